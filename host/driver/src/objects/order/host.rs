//! The host's own loads and stores: which pages to protect from them, and the text of a race.
//!
//! Only whole pages of pinned and managed memory can be protected ([`super::host_pages`]), so only
//! those are checked.

use super::host_pages::{Allowed, PAGE, ProtectedPages};
use super::ticket::{Ticket, submitted};
use crate::objects::handle::origin::Origin;
use lanewise_sim::checks::{FindingKind, Footprint};
use lanewise_sim::{FaultReport, Finding};
use std::sync::Arc;

/// How to look addresses up.
#[derive(Clone, Copy)]
pub(crate) struct Addresses {
    /// Where it lies, in words.
    pub(crate) describe: fn(u64) -> String,
    /// The allocation that holds it: its first address, its end, and whether the host shares it.
    pub(crate) allocation: fn(u64) -> Option<(u64, u64, bool)>,
}

/// An access of the host's own code to memory where an operation was at work that the host has
/// not waited for.
#[derive(Debug)]
pub(super) struct EarlyHostAccess {
    pub(super) address: u64,
    pub(super) writes: bool,
    /// Whether it was made in a function that a stream runs.
    pub(super) by_stream: bool,
    pub(super) origin: Option<Origin>,
    /// The operation and its label.
    pub(super) before: (Arc<Ticket>, String),
    /// Whether the operation wrote there.
    pub(super) written: bool,
}

impl EarlyHostAccess {
    pub(super) fn report(&self, addresses: Addresses) -> Finding {
        let verb = |writes: bool| if writes { "writes" } else { "reads" };
        let (act, other_act) = (verb(self.writes), verb(self.written));
        let (what, who, help) = match self.by_stream {
            false => (
                format!("race: the host {act} memory before it has waited for what {other_act} it"),
                format!("the host {act}"),
                "wait before the host touches the memory: for the stream, for an event recorded after the operation, or for the context",
            ),
            true => (
                format!(
                    "race: a host function {act} memory, and its stream has not waited for what {other_act} it"
                ),
                format!("a function that a stream runs on the host {act}"),
                "let the function's stream wait for an event recorded after the operation, or put both into one stream",
            ),
        };
        let (place, note) = match &self.origin {
            Some(origin) => origin.describe_code(&who),
            None => (None, who),
        };
        let (ticket, label) = &self.before;
        let (other, other_note) = submitted(ticket, label, self.written);
        let at = (addresses.describe)(self.address);
        let report = FaultReport::of_host(
            what,
            place.or(other),
            vec![note, other_note, format!("the first byte {at}")],
            Some(help.into()),
        );
        Finding::new(FindingKind::Race, report)
    }
}

/// The shared pages to protect: those that weak accesses of an operation covered as far as
/// an allocation reaches.
pub(super) fn pages(footprint: &Footprint, addresses: Addresses) -> Vec<ProtectedPages> {
    // Neighbouring ranges are mostly in one allocation, so the last one is kept.
    let mut allocation = (0, 0, false);
    let mut end_of_shared = |address: u64| {
        if !(allocation.0..allocation.1).contains(&address) {
            allocation = (addresses.allocation)(address).unwrap_or_default();
        }
        allocation.2.then_some(allocation.1)
    };
    let mut shared = |list: &[(u64, u64)]| {
        let mut list = list.to_vec();
        list.retain(|&(start, _)| end_of_shared(start).is_some());
        list
    };
    let written = shared(&footprint.written);
    let mut touched = Footprint {
        read: [shared(&footprint.read), written.clone()].concat(),
        ..Footprint::default()
    };
    touched.sort();
    let mut found = Vec::new();
    for (list, allowed) in [(written, Allowed::Nothing), (touched.read, Allowed::Reads)] {
        for (start, end) in list {
            let from = start.next_multiple_of(PAGE);
            let to = match end_of_shared(start) {
                Some(last) if end >= last => last.next_multiple_of(PAGE),
                _ => end / PAGE * PAGE,
            };
            if from < to {
                let (start, end) = (from, to);
                found.push(ProtectedPages {
                    start,
                    end,
                    allowed,
                });
            }
        }
    }
    found
}
