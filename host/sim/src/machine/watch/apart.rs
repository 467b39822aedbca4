//! Barriers that threads of one warp reach apart.
//!
//! PTX ISA, "bar, barrier": an `.aligned` barrier is one that all threads of a warp run together.
//! Threads that have ended are none of the warp any more: `if i >= n { return }` before a barrier
//! is right, and a GPU counts such threads as arrived (measured on an H200: 104 of 128 threads pass
//! a barrier after 24 have returned, and compute-sanitizer reports nothing).
//!
//! Which it is shows later, so an arrival is only noted, and judged when the barrier ends.
//! Reported: threads of one warp that arrived at different instructions; threads that did not
//! arrive and went on to do something else. Missed: threads that go around the barrier and end
//! without touching memory, which is the same as to return before it.

use crate::checks::FindingKind;
use crate::isa::Successors;
use crate::machine::control;
use crate::machine::core::Core;
use crate::machine::event::Wait;
use crate::machine::frame::op_index;
use crate::machine::lane::lanes;
use crate::machine::op::{Handler, Op};
use crate::machine::program::{Class, Program};

/// Operations that are followed to see whether a way leads straight to the kernel's end.
const STEPS: usize = 32;
/// What runs an operation that ends threads, and nothing besides.
const EXIT: Handler = control::exit;

/// Threads of a warp that came to a barrier without the others.
#[derive(Debug, Clone, Copy)]
pub(in crate::machine) struct StrayThreads {
    /// The barrier's number.
    barrier: usize,
    /// The number of the warp in its block.
    warp: u32,
    /// Where they came to it.
    op: *const Op,
    /// The lanes of its threads, a bit each.
    lanes: u32,
    /// Threads that had something else to do then.
    elsewhere: u32,
}

/// Whether who stands at `op` is about to end and does nothing before.
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
    /// The live threads of the running warp that are not of `here`, which are at `op`, and do not
    /// simply end.
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

    /// Threads `mask` of the running warp came to the barrier of this number without all others.
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

    /// The barrier of this number ends: judges who came to it apart.
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

    /// Threads `mask` of the running warp run an `.aligned` instruction of the cluster's barrier.
    #[cold]
    pub(in crate::machine) fn aligned_apart(&mut self, op: *const Op, mask: u32) {
        if self.run.launch.checks.sync && self.elsewhere(op, mask) != 0 {
            let lane = lanes(mask).next().unwrap_or(0);
            self.note(FindingKind::DivergentBarrier, op, lane);
        }
    }
}
