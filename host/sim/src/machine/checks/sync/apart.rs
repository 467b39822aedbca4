//! Barriers that threads of one warp reach separately.
//!
//! PTX ISA, "bar, barrier": an `.aligned` barrier must be executed by all threads of a warp
//! together. Threads that have ended no longer belong to the warp: `if i >= n { return }` before a
//! barrier is correct, and a GPU counts such threads as arrived (measured on an H200: 104 of 128
//! threads pass a barrier after 24 have returned, and compute-sanitizer reports nothing).
//!
//! Whether an arrival is an error is clear only later. So the arrival is only noted, and it is
//! judged when the barrier ends. Reported: threads of one warp that arrived at different
//! instructions, and threads that did not arrive and went on to do something else. Missed: threads
//! that go around the barrier and end without touching memory, which has the same effect as a
//! return before it.

use crate::checks::FindingKind;
use crate::isa::Successors;
use crate::machine::control;
use crate::machine::core::Core;
use crate::machine::event::Wait;
use crate::machine::frame::op_index;
use crate::machine::lane::lanes;
use crate::machine::op::{Handler, Op};
use crate::machine::program::{Class, Program};

/// The number of operations that are followed to see whether a path leads straight to
/// the kernel's end.
const STEPS: usize = 32;
/// The handler of an operation that only ends threads.
const EXIT: Handler = control::exit;

/// Threads of a warp that reached a barrier without the others.
#[derive(Debug, Clone, Copy)]
pub(in crate::machine) struct StrayThreads {
    /// The barrier's number.
    barrier: usize,
    /// The number of the warp in its block.
    warp: u32,
    /// The barrier operation that they reached.
    op: *const Op,
    /// The lanes of its threads, a bit each.
    lanes: u32,
    /// The other threads of the warp that had something else to do then.
    elsewhere: u32,
}

/// Returns whether lanes at `op` are about to end and do nothing before.
fn leaves(program: &Program, mut op: *const Op) -> bool {
    for _ in 0..STEPS {
        let index = op_index(program, op);
        let (Some(o), Some(info)) = (program.ops.get(index), program.infos.get(index)) else {
            return false;
        };
        let always = o.guard == 0;
        op = match info.successors {
            Successors::None if always => return std::ptr::fn_addr_eq(o.run, EXIT),
            Successors::Label if always => op.wrapping_byte_offset(o.jump()),
            Successors::None | Successors::Next if info.class == Class::Plain => op.wrapping_add(1),
            _ => return false,
        };
    }
    false
}

impl Core<'_> {
    /// Returns the live threads of the running warp that are neither in `here`, the lanes at `op`,
    /// nor about to end.
    fn elsewhere(&mut self, op: *const Op, here: u32) -> u32 {
        let program = self.run.program;
        let around = self.active & !here;
        let mut elsewhere = 0;
        if around != 0 && !leaves(program, op.wrapping_add(1)) {
            elsewhere |= around;
        }
        let groups = self.warp().groups.iter();
        let staying = groups.filter(|g| g.wait != Wait::Ready || !leaves(program, g.op));
        elsewhere |= staying.fold(0, |mask, g| mask | g.mask);
        elsewhere & !here
    }

    /// Notes that the threads `mask` of the running warp reached the barrier of this number
    /// without the others.
    #[cold]
    pub(in crate::machine) fn came_apart(&mut self, op: *const Op, mask: u32, barrier: usize) {
        if !self.run.launch.checks.sync || mask == self.warp().live {
            return;
        }
        let apart = StrayThreads {
            barrier,
            warp: self.current.1 as u32,
            op,
            lanes: mask,
            elsewhere: self.elsewhere(op, mask),
        };
        self.block().apart.push(apart);
    }

    /// Judges the arrivals that were noted for the barrier of this number, which ends.
    #[cold]
    pub(in crate::machine) fn judge_apart(&mut self, barrier: usize) {
        let block = self.current.0;
        let mut noted = std::mem::take(&mut self.block().apart);
        let of: Vec<StrayThreads> = noted.extract_if(.., |a| a.barrier == barrier).collect();
        self.block().apart = noted;
        for apart in &of {
            let mine = || of.iter().filter(|other| other.warp == apart.warp);
            let arrived = mine().fold(0, |mask, other| mask | other.lanes);
            let other_op = mine().find(|other| other.op != apart.op);
            let missing = apart.elsewhere & !arrived;
            let note = match other_op {
                Some(other) => {
                    let line = self.run.place(other.op).line;
                    format!("other threads of the warp reached it at ptx line {line}")
                }
                None if missing != 0 => {
                    let lanes = missing.count_ones();
                    format!("{lanes} of the warp's threads bypassed it")
                }
                None => continue,
            };
            let lane = lanes(apart.lanes).next().unwrap_or(0);
            let what = "the threads of a warp reach a barrier separately".to_string();
            let by = (block, apart.warp, lane);
            self.note_by(FindingKind::DivergentBarrier, apart.op, by, || {
                Some((what, vec![note]))
            });
        }
    }

    /// Checks the threads `mask` of the running warp, which run an `.aligned` instruction of
    /// the cluster's barrier.
    #[cold]
    pub(in crate::machine) fn aligned_apart(&mut self, op: *const Op, mask: u32) {
        if self.run.launch.checks.sync && self.elsewhere(op, mask) != 0 {
            let lane = lanes(mask).next().unwrap_or(0);
            self.note(FindingKind::DivergentBarrier, op, lane);
        }
    }
}
