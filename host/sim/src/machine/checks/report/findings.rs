//! Findings of the checks. Each pair of instructions is reported once, with the lowest block and
//! thread that did it.

use std::sync::PoisonError;

use crate::checks::{Finding, FindingKind};
use crate::machine::checks::report::place::index;
use crate::machine::core::Core;
use crate::machine::op::Op;
use crate::machine::program::Program;
use crate::report::FaultReport;

/// The identity of a finding: its kind and the places that took part.
pub(in crate::machine) type FindingKey = (FindingKind, u32, u32);

/// Returns the lines of a report for a kind of finding: what it is, and what to do.
fn words(kind: FindingKind) -> (&'static str, &'static str) {
    match kind {
        FindingKind::AbsentLane => (
            "a shuffle reads from an inactive lane",
            "let all lanes of the mask take part, or use the predicate that says whether the value is valid",
        ),
        FindingKind::DifferentMasks => (
            "the lanes of one operation pass different masks",
            "pass the same mask in every lane that it names: compute it once, by a vote of the lanes that take part",
        ),
        FindingKind::DivergentBarrier => (
            "the threads of a warp reach a barrier separately",
            "move the barrier out of the branch, so that all threads of the block reach it together",
        ),
        FindingKind::Race | FindingKind::Volatile => (
            "a race",
            "order the two with a barrier, or make both atomic",
        ),
        FindingKind::OutsideArray => (
            "an access outside of an array",
            "compare the index with the array's length: the memory after it belongs to another array",
        ),
        FindingKind::Unwritten => (
            "a use of uninitialised memory",
            "write every element before it is read: new allocations and shared memory have arbitrary contents at first",
        ),
        FindingKind::UnwrittenRead => (
            "a load reads uninitialised memory",
            "write every element before it is read; for padding, and for values that may be absent, use `init` in place of `init=strict`",
        ),
        FindingKind::MissedFence => (
            "an asynchronous read without a fence",
            "let each thread that writes run `fence.proxy.async` after its writes and before the barrier that precedes the read",
        ),
        FindingKind::EarlyRegister => (
            "note: a register of `wgmma` is used before the wait",
            "put `wgmma.commit_group` and `wgmma.wait_group` before the use: NVIDIA's assembler adds a wait there, and then the products of the kernel run one after another",
        ),
        FindingKind::EndedLanes => (
            "note: the mask of an operation names lanes that have ended",
            "this is allowed, and the operation does not wait for them; let them take part if their values are meant",
        ),
        FindingKind::EndedWarps => (
            "note: a barrier of the block ends without warps that have returned",
            "this is allowed, and the barrier does not wait for them; let them reach it if they have work to do after it",
        ),
        // No launch finds these.
        FindingKind::Leak => ("a leak", "give it back"),
        FindingKind::Freed => ("a use of freed memory", "keep it until nothing uses it"),
        FindingKind::Unawaited => (
            "an asynchronous transfer that nothing waits for",
            "wait for the phase that expects the bytes before the block ends: when they arrive, its shared memory may belong to another block",
        ),
        FindingKind::Unexpected => (
            "an mbarrier receives more or fewer bytes than it expects",
            "expect as many bytes in a phase as its copies bring: waiting threads go on as soon as that many have arrived",
        ),
        FindingKind::PartOfAWarpgroup => (
            "a `wgmma` that not every warp of the warpgroup executes",
            "let all four warps execute each `wgmma`, whatever part of the product they keep: otherwise the result is undefined",
        ),
        FindingKind::EndedBlock => (
            "an access to shared memory of a block that has ended",
            "let the blocks of the cluster wait at its barrier before any of them ends",
        ),
    }
}

impl Core<'_> {
    /// Records something that a check found at `op`, by `lane` of the running warp.
    #[cold]
    pub(in crate::machine) fn note(&mut self, kind: FindingKind, op: *const Op, lane: usize) {
        let at = (self.current.0, self.current.1 as u32, lane);
        self.note_by(kind, op, at, || None);
    }

    /// Records a finding by any thread of the team: block, warp and lane. `says` returns a more
    /// exact description and notes, if there are any.
    #[cold]
    pub(in crate::machine) fn note_by(
        &mut self,
        kind: FindingKind,
        op: *const Op,
        (block, warp, lane): (usize, u32, usize),
        says: impl FnOnce() -> Option<(String, Vec<String>)>,
    ) {
        let run = self.run;
        let at = index(run.program, op).unwrap_or(0) as u32;
        let mut findings = run.findings.lock().unwrap_or_else(PoisonError::into_inner);
        let (what, help) = words(kind);
        let key = place_key(run.program, at);
        let found = findings.entry((kind, key, key)).or_insert_with(|| {
            let report = FaultReport {
                what: what.into(),
                place: run.place(op),
                before: None,
                seed: run.launch.seed,
                notes: vec![],
                help: Some(help.into()),
                steps: vec![],
            };
            Finding {
                kind,
                report,
                count: 0,
            }
        });
        found.count += 1;
        // The lowest block and thread represent all others, whichever core came first.
        let block = self.team.blocks[block].id;
        let thread = run.thread(warp, lane);
        let place = &mut found.report.place;
        let key = |b: Option<[u32; 3]>, t: Option<[u32; 3]>| (b.map(reversed), t.map(reversed));
        if place.block.is_none() || key(Some(block), Some(thread)) < key(place.block, place.thread)
        {
            (place.block, place.thread) = (Some(block), Some(thread));
            if let Some((what, notes)) = says() {
                (found.report.what, found.report.notes) = (what, notes);
            }
        }
    }
}

/// Returns the key of an operation's place. This is its source line, so that unrolled copies of a
/// loop count as one place, or the operation itself if no line is known.
pub(in crate::machine) fn place_key(program: &Program, op: u32) -> u32 {
    let source = program.infos[op as usize].source;
    let line = source
        .checked_sub(1)
        .map_or(0, |i| program.sources[i as usize].line);
    match line {
        0 => op,
        _ => source | 1 << 31,
    }
}

/// Returns z before y before x: the order in which blocks and threads are numbered.
fn reversed([x, y, z]: [u32; 3]) -> [u32; 3] {
    [z, y, x]
}
