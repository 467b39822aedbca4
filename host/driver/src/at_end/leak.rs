//! The check `leak`: reports objects that the program has made and not released, as findings.
//!
//! For a whole program the check runs at its very end, after the destructors of its static objects.
//! A test can check a part of itself with an [`Observer`](crate::Observer).

use crate::abi::CUmodule;
use crate::objects::handle::ledger::{self, LiveObject, ObjectKind};
use crate::observe::Observer;
use crate::{log, settings, summary};
use lanewise_sim::checks::FindingKind;
use lanewise_sim::{FaultReport, Finding, SourcePlace};

/// The objects that one place of the program made.
struct Group {
    entries: Vec<LiveObject>,
    place: Option<SourcePlace>,
    note: String,
}

/// Returns one finding for each kind and place.
fn findings(entries: Vec<LiveObject>) -> Vec<Finding> {
    let mut groups: Vec<Group> = Vec::new();
    for entry in entries {
        let (place, note) = entry.origin.describe("made");
        let same = |group: &&mut Group| group.entries[0].what == entry.what && group.note == note;
        match groups.iter_mut().find(same) {
            Some(group) => group.entries.push(entry),
            None => groups.push(Group {
                entries: vec![entry],
                place,
                note,
            }),
        }
    }
    groups.into_iter().map(finding).collect()
}

fn finding(group: Group) -> Finding {
    let Group {
        entries,
        place,
        note,
    } = group;
    let (one, many, back) = entries[0].what.words();
    let bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
    let mut what = match entries.len() {
        1 => format!("leak: 1 {one} was not given back"),
        count => format!("leak: {count} {many} were not given back"),
    };
    if bytes > 0 {
        what += &format!(", {bytes} bytes");
    }
    let help = format!("call {back} when it is no longer needed");
    let report = FaultReport::of_host(what, place, vec![note], Some(help));
    let mut finding = Finding::new(FindingKind::Leak, report);
    finding.count = entries.len() as u64;
    finding
}

/// Finds what is left when the process ends, and reports it.
pub(crate) fn at_end() {
    if !settings::launches().checks.leak {
        return;
    }
    let found = findings(ledger::entries());
    found.iter().for_each(log::found);
    found.into_iter().for_each(summary::found_on_host);
}

impl Observer {
    /// Returns what the calling thread has made since this observer was started and has not
    /// released. There is one finding for each kind of object and place of the program. The list is
    /// empty if the check of leaks is off.
    pub fn left(&self) -> Vec<Finding> {
        let mut entries = ledger::entries();
        entries.retain(|entry| entry.origin.is_own_since(self.begun()));
        findings(entries)
    }
}

/// Excludes a module that was loaded earlier from the check of leaks: it is kept until
/// the process ends.
pub fn keep_module(handle: CUmodule) {
    ledger::gone(ObjectKind::Module, handle.0 as u64);
}

/// Runs `make`, whose objects are meant to live until the process ends. The check of
/// leaks ignores them.
pub fn kept<T>(make: impl FnOnce() -> T) -> T {
    crate::objects::handle::origin::aside(make)
}
