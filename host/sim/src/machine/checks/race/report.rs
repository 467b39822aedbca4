//! The report of a race: both accesses with their places, threads and values, and the order
//! that is missing.

use std::sync::PoisonError;

use crate::checks::{Finding, FindingKind};
use crate::machine::checks::init::flow::FlowKind;
use crate::machine::checks::race::{Access, AccessKind};
use crate::machine::checks::report::findings::place_key;
use crate::machine::core::Core;
use crate::machine::launch::run::Run;
use crate::machine::op::Op;
use crate::machine::program::Class;
use crate::memory::window;
use crate::report::{FaultReport, Place};

impl Core<'_> {
    /// Records that the running warp's access `now`, by `op`, races with the access `before`. `now`
    /// has not happened yet.
    #[cold]
    pub(in crate::machine) fn note_race(
        &mut self,
        op: *const Op,
        before: Access,
        now: Access,
        address: u64,
    ) {
        let run = self.run;
        let infos = &run.program.infos;
        let pair = (
            place_key(run.program, before.op),
            place_key(run.program, now.op),
        );
        let volatile = before.volatile && now.volatile;
        if volatile {
            if infos[before.op as usize].polls || infos[now.op as usize].polls {
                return;
            }
            self.checks.races.volatile.found(pair, now.shared, address);
        }
        let kind = match volatile {
            true => FindingKind::Volatile,
            false => FindingKind::Race,
        };
        let key = (kind, pair.0, pair.1);
        let mut findings = run.findings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = findings.get_mut(&key) {
            found.count += 1;
            return;
        }
        let place = run.accessed(op, now);
        let other = run.accessed(&raw const run.program.ops[before.op as usize], before);
        let mut what = described(&before, &now, volatile);
        if before.pending {
            what = what.replacen("race: a", "race: an unfinished asynchronous", 1);
        }
        let notes = self.values((&before, &other), now, address);
        let help = self.missing(&before, &now);
        let report = FaultReport {
            what,
            place,
            before: Some(Box::new(other)),
            seed: run.launch.seed,
            notes,
            help: Some(help.into()),
            steps: vec![],
        };
        findings.insert(
            key,
            Finding {
                kind,
                report,
                count: 1,
            },
        );
    }

    /// Returns the notes of a report: where the earlier access was, and what values there are.
    fn values(
        &mut self,
        (before, other): (&Access, &Place),
        now: Access,
        address: u64,
    ) -> Vec<String> {
        let at = match &other.source {
            Some(source) => format!("{source} (ptx line {}, `{}`)", other.line, other.text),
            None => format!("ptx line {}, `{}`", other.line, other.text),
        };
        let triple =
            |v: Option<[u32; 3]>| v.map_or(String::new(), |[x, y, z]| format!("({x},{y},{z})"));
        let mut first = format!(
            "the {} was at {at}, block {}, thread {}",
            noun(before.kind),
            triple(other.block),
            triple(other.thread)
        );
        let mut notes = Vec::new();
        let width = self.width(now);
        // Copied bytes may not have arrived yet.
        let there = self.there(now, address, width).filter(|_| !before.pending);
        if let Some(there) = &there {
            let verb = match before.kind {
                AccessKind::Read => "read",
                AccessKind::Write | AccessKind::Atomic => "left",
            };
            first += &format!("; it {verb} {there}");
        }
        notes.push(first);
        notes.extend(match now.kind {
            AccessKind::Write => self
                .stored(now)
                .map(|value| format!("the write puts {value} there")),
            AccessKind::Read => there.map(|there| format!("the read finds {there}")),
            AccessKind::Atomic => there.map(|there| format!("the atomic access finds {there}")),
        });
        notes.push(match now.shared {
            Some(_) => format!("shared address {address:#x}"),
            None => format!("address {}", self.run.memory.whereabouts(address)),
        });
        notes
    }

    /// Drops the findings on volatile accesses whose places are all polled: they are flags.
    pub(in crate::machine) fn drop_flags(&mut self) {
        let findings = self.run.findings.lock();
        let mut findings = findings.unwrap_or_else(PoisonError::into_inner);
        for (before, now) in self.checks.races.volatile.of_flags() {
            findings.remove(&(FindingKind::Volatile, before, now));
        }
    }

    /// Returns the number of elements of an access and their size in bytes. None if the operation
    /// does not determine them.
    fn width(&self, access: Access) -> Option<(usize, usize)> {
        let program = self.run.program;
        let info = program.infos[access.op as usize];
        let bytes = usize::from(info.bytes);
        match info.class {
            Class::Load(_) | Class::Store(_) => {
                let flow = program.flows.of(access.op)?;
                let parts = match flow.kind {
                    FlowKind::Load(_) => program.flows.writes(flow),
                    FlowKind::Store => program.flows.reads(flow),
                    _ => return None,
                };
                let size = bytes.checked_div(parts.len())?;
                (1..=8).contains(&size).then_some((parts.len(), size))
            }
            Class::Atomic(_) => (1..=8).contains(&bytes).then_some((1, bytes)),
            _ => None,
        }
    }

    /// Returns the bytes at the address of an access that is about to happen.
    fn there(
        &mut self,
        access: Access,
        address: u64,
        width: Option<(usize, usize)>,
    ) -> Option<String> {
        let (count, size) = width?;
        let address = match access.shared {
            // Memory of other blocks is not read.
            Some(block) if block != access.block => return None,
            Some(_) => window::SHARED + address,
            None => address,
        };
        let bytes = self.peek(access.lane as usize, address, count * size)?;
        let value = |bytes: &[u8]| {
            let mut value = [0; 8];
            value[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(value)
        };
        Some(listed(bytes.chunks(size).map(value)))
    }

    /// Returns the value that a store is about to write.
    fn stored(&mut self, access: Access) -> Option<String> {
        let (_, size) = self.width(access)?;
        let flows = &self.run.program.flows;
        let flow = flows.of(access.op)?;
        if flow.kind != FlowKind::Store {
            return None;
        }
        let kept = u64::MAX >> (64 - 8 * size);
        let values = flows.reads(flow).iter();
        let values = values.map(|&part| Some(self.value(part, access.lane as usize)? & kept));
        Some(listed(values.collect::<Option<Vec<_>>>()?.into_iter()))
    }

    /// Names the barrier, fence or scope that would have ordered the two accesses.
    fn missing(&self, before: &Access, now: &Access) -> &'static str {
        if now.read_only {
            return "use an ordinary load for memory that the same kernel writes: `.nc` (`__ldg`, `const __restrict__`, a `&[T]` to memory that is \
                    also written) may read old bytes, whatever barrier is in between";
        }
        if before.pending {
            let op = &raw const self.run.program.ops[before.op as usize];
            return match self.run.place(op).text.contains(".bulk_group") {
                true => {
                    "wait for the copy first, by `cp.async.bulk.wait_group`: with `.read` that waits for its source alone"
                }
                false => {
                    "wait for the copy first: by `cp.async.wait_group`, or for the mbarrier that it signals"
                }
            };
        }
        if before.volatile && now.volatile {
            return "`volatile` orders nothing: put a barrier between the two (of the block, or of the warp if no other warp takes part), or pass the value by \
                    an atomic with release and acquire";
        }
        let apart = before.block != now.block;
        if apart && before.strong && now.strong {
            return "block scope (`.cta`) includes no other block: give both accesses device scope (`.gpu`)";
        }
        if self.checks.races.has_seen(now, before) {
            return "the thread read what the other released without acquiring it: read the flag with `.acquire`, or put a fence after the read \
                    whose scope includes the other thread";
        }
        match (apart, now.shared) {
            (true, Some(_)) if self.checks.races.arrived_relaxed(before) => {
                "the first arrived at the cluster's barrier in between with `.relaxed`, which releases nothing: let it arrive with `.release`, as \
                 `sync_cluster` does, or run a fence of cluster scope before"
            }
            (true, Some(_)) => {
                "a barrier of the cluster (`sync_cluster`, `barrier.cluster`) between the two orders them"
            }
            (true, None) => {
                "no barrier orders two blocks: make both atomic, split the kernel between the two, or let the first block release a flag \
                 afterwards that the second acquires, at device scope"
            }
            (false, _) if before.warp == now.warp => {
                "put a barrier of the block (`sync_threads`, `bar.sync`) between the two, or of the warp (`sync_warp`, `bar.warp.sync`) if no other warp \
                 takes part; or make both atomic"
            }
            (false, _) => {
                "put a barrier of the block (`sync_threads`, `bar.sync`) between the two, or make both atomic"
            }
        }
    }
}

/// Formats numbers for reports.
fn listed(values: impl Iterator<Item = u64>) -> String {
    let values: Vec<String> = values.map(|value| format!("{value:#x}")).collect();
    values.join(", ")
}

fn noun(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
        AccessKind::Atomic => "atomic access",
    }
}

fn verb(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "a read",
        AccessKind::Write => "a write",
        AccessKind::Atomic => "an atomic access",
    }
}

impl Run<'_> {
    /// Returns the place of an access that the race check has recorded.
    fn accessed(&self, op: *const Op, access: Access) -> Place {
        let [x, y, _] = self.launch.grid.map(u64::from);
        let block = [
            access.block % x,
            access.block / x % y,
            access.block / (x * y),
        ]
        .map(|n| n as u32);
        let thread = self.thread(access.warp, access.lane as usize);
        Place {
            block: Some(block),
            thread: Some(thread),
            ..self.place(op)
        }
    }
}

/// Describes two accesses that race.
fn described(before: &Access, now: &Access, volatile: bool) -> String {
    let memory = match now.shared {
        Some(_) => "shared",
        None => "global",
    };
    let (before, name) = (
        verb(before.kind),
        if volatile { "volatile" } else { "race" },
    );
    match now.read_only && !volatile {
        true => format!("{name}: {before} and a read by `.nc` of {memory} memory, in one launch"),
        false => {
            let now = verb(now.kind);
            format!("{name}: {before} and {now} of {memory} memory that nothing orders")
        }
    }
}
