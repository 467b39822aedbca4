//! The listing of a schedule: the threads' accesses to memory in order, with a line for each step.

use std::collections::BTreeMap;

use super::ThreadId;
use crate::machine::launch::run::Run;
use crate::machine::op::Op;

/// The most steps that are kept.
const KEPT: usize = 4096;
/// The numbers of lines that are shown: the first ones, and the last ones.
const SHOWN: (usize, usize) = (4, 28);

/// The effect of one step on one place.
#[derive(Debug, Clone)]
pub(super) struct StepRecord {
    /// The host address of the place.
    pub(super) host: u64,
    effect: Effect,
    /// Under weak memory: for a load the newest value, for a store the value that stays the newest.
    pub(super) old: Option<Vec<u8>>,
    /// The thread whose write was read.
    pub(super) writer: Option<ThreadId>,
    /// The version of the write that was read.
    pub(super) version: u64,
    /// Whether it is a load that took its value after later stores of its thread.
    pub(super) late: bool,
}

/// The kind of access, with the value that was read or written, or the values before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Effect {
    Reads(u64),
    Writes(u64),
    Changes(u64, u64),
}

fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .take(8)
        .rev()
        .fold(0, |value, &byte| value << 8 | u64::from(byte))
}

impl StepRecord {
    fn new(host: u64, effect: Effect) -> Self {
        Self {
            host,
            effect,
            old: None,
            writer: None,
            version: 0,
            late: false,
        }
    }

    pub(super) fn read(host: u64, bytes: &[u8]) -> Self {
        Self::new(host, Effect::Reads(number(bytes)))
    }

    pub(super) fn written(host: u64, bytes: &[u8]) -> Self {
        Self::new(host, Effect::Writes(number(bytes)))
    }

    pub(super) fn changed(host: u64, before: &[u8], after: &[u8]) -> Self {
        Self::new(host, Effect::Changes(number(before), number(after)))
    }
}

#[derive(Debug, Clone)]
struct Step {
    who: ThreadId,
    mask: u32,
    op: u32,
    did: Option<StepRecord>,
    /// The number of further places.
    more: usize,
    /// How often it happened in a row, including the first time.
    times: u64,
}

/// The steps of a launch.
#[derive(Debug, Default)]
pub(super) struct Steps {
    list: std::collections::VecDeque<Step>,
    /// The number of steps that are no longer kept.
    dropped: usize,
    /// The thread and the operation that wrote each place last.
    writers: BTreeMap<u64, (ThreadId, u32)>,
}

impl Steps {
    /// Adds a step of some lanes.
    pub(super) fn add(&mut self, who: ThreadId, mask: u32, op: u32, did: Vec<StepRecord>) {
        for did in &did {
            let changes = match did.effect {
                Effect::Reads(_) => false,
                Effect::Writes(_) => true,
                Effect::Changes(before, after) => before != after,
            };
            if changes {
                self.writers.insert(did.host, (who, op));
            }
        }
        let more = did.len().saturating_sub(1);
        let did = did.into_iter().next();
        let effect = |did: &Option<StepRecord>| did.as_ref().map(|d| (d.host, d.effect.clone()));
        if let Some(last) = self.list.back_mut()
            && (last.who, last.mask, last.op) == (who, mask, op)
            && effect(&last.did) == effect(&did)
        {
            last.times += 1;
            return;
        }
        if self.list.len() == KEPT {
            self.list.pop_front();
            self.dropped += 1;
        }
        self.list.push_back(Step {
            who,
            mask,
            op,
            did,
            more,
            times: 1,
        });
    }

    /// Returns the thread that wrote a place last, and its operation.
    pub(super) fn writer(&self, host: u64) -> Option<(ThreadId, u32)> {
        self.writers.get(&host).copied()
    }

    /// Returns the steps as lines. If there are many, the middle is left out.
    pub(super) fn show(&self, run: &Run<'_>) -> Vec<String> {
        let count = self.list.len();
        let skip = count.saturating_sub(SHOWN.0 + SHOWN.1);
        let from = if skip > 0 { SHOWN.0 } else { 0 };
        let mut names = BTreeMap::new();
        let mut rows = Vec::new();
        for (i, step) in self.list.iter().enumerate() {
            if skip > 0 && (from..from + skip).contains(&i) {
                continue;
            }
            let op = &raw const run.program.ops[step.op as usize];
            rows.push([
                format!("{}", self.dropped + i + 1),
                run.name(step.who, step.mask),
                place(run, op),
                step.what(run, &mut names),
            ]);
        }
        let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
        let widths = [width(0), width(1), width(2)];
        let mut lines: Vec<String> = Vec::new();
        for (i, [number, who, at, what]) in rows.iter().enumerate() {
            if skip > 0 && i == from {
                lines.push(format!("{:>1$}", "...", widths[0].max(3)));
            }
            let line = format!(
                "{number:>0$}  {who:<1$}  {at:<2$}  {what}",
                widths[0], widths[1], widths[2]
            );
            lines.push(line.trim_end().to_string());
        }
        lines.extend(names.iter().map(|(host, name)| {
            let at = run.memory.whereabouts(*host).to_string();
            let at = match at.strip_prefix("is ") {
                Some(at) if !at.contains("past") && !at.contains("before") => at.to_string(),
                _ => "an address in shared memory".into(),
            };
            format!("{name}: {at}")
        }));
        lines
    }
}

/// Returns "gpu/src/x.rs:7 (ptx line 9, `st.global.u32`)", or the second part alone.
fn place(run: &Run<'_>, op: *const Op) -> String {
    let place = run.place(op);
    let ptx = format!("ptx line {}, `{}`", place.line, place.text);
    match place.source {
        Some(at) => format!("{}:{} ({ptx})", at.file, at.line),
        None => ptx,
    }
}

impl Step {
    fn what(&self, run: &Run<'_>, names: &mut BTreeMap<u64, String>) -> String {
        let Some(did) = &self.did else {
            return String::new();
        };
        let count = names.len();
        let name = names
            .entry(did.host)
            .or_insert_with(|| letters(count))
            .clone();
        let mut text = match did.effect {
            Effect::Reads(value) => format!("reads {name} = {value:#x}"),
            Effect::Writes(value) => format!("writes {name} = {value:#x}"),
            Effect::Changes(before, after) if before == after => {
                format!("leaves {name} = {before:#x}")
            }
            Effect::Changes(before, after) => format!("changes {name} = {before:#x} to {after:#x}"),
        };
        if let Some(old) = &did.old {
            let by = did.writer.map_or("the value at the start".into(), |who| {
                format!("what {} wrote", run.name(who, 1 << who.lane))
            });
            text += &match did.effect {
                Effect::Writes(_) => format!(", before {:#x} in its order", number(old)),
                _ => format!(", {by}; the newest is {:#x}", number(old)),
            };
        }
        if did.late {
            text += ", after later stores of its own thread";
        }
        if self.more > 0 {
            text += &format!(", and {} places more", self.more);
        }
        if self.times > 1 {
            text += &format!(" ({} times)", self.times);
        }
        text
    }
}

/// Returns a, b, ... z, aa, ... for the numbers from 0.
fn letters(mut number: usize) -> String {
    let mut name = String::new();
    loop {
        name.insert(0, char::from(b'a' + (number % 26) as u8));
        number /= 26;
        if number == 0 {
            return name;
        }
        number -= 1;
    }
}

impl Run<'_> {
    /// Returns "block 1, thread (3,0,0)", with the number of further lanes if there are any.
    pub(super) fn name(&self, who: ThreadId, mask: u32) -> String {
        let [x, y, z] = self.thread(who.warp, who.lane as usize);
        let more = match mask.count_ones() {
            0 | 1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        format!("block {}, thread ({x},{y},{z}){more}", who.block)
    }
}
