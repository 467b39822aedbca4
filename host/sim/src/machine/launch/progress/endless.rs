//! Threads in a loop that has no exit.

use std::collections::HashMap;

use crate::isa::Successors;
use crate::machine::core::Core;
use crate::machine::event::{FaultKind, RawFault};
use crate::machine::frame::{function_index, op_index};
use crate::machine::lane::LANES;
use crate::machine::launch::run::Failure;
use crate::machine::op::Op;
use crate::machine::program::Program;

impl Core<'_> {
    /// Returns the fault of threads of the team that are in a loop without an exit, if
    /// there are any.
    pub(super) fn endless(&mut self) -> Option<Failure> {
        let program = self.run.program;
        let mut known = HashMap::new();
        let mut found = None;
        'all: for (b, block) in self.team.blocks.iter().enumerate() {
            for (w, warp) in block.warps.iter().enumerate() {
                for group in &warp.groups {
                    let no_end = known.entry(group.op);
                    if *no_end.or_insert_with(|| has_no_end(program, group.op)) {
                        found = Some((b, w, *group));
                        break 'all;
                    }
                }
            }
        }
        let (block, warp, group) = found?;
        self.enter(block, warp);
        let (threads, linear) = (group.mask.count_ones(), self.block().linear);
        let plural = if threads == 1 { "" } else { "s" };
        Some(self.failure(RawFault {
            op: group.op,
            lane: LANES,
            what: FaultKind::Endless {
                notes: vec![format!(
                    "block {linear}, warp {warp}: {threads} thread{plural} of it"
                )],
            },
        }))
    }
}

/// Returns whether no path leads from a place in a kernel to its end, whatever the conditions of
/// its branches are. A called function may end the thread, so a call counts as an end.
fn has_no_end(program: &Program, op: *const Op) -> bool {
    let function = function_index(program, op);
    let Some(kernel) = program.functions.get(function).filter(|it| it.entry) else {
        return false; // its callers go on
    };
    let start = kernel.start as usize;
    let next = program.functions.get(function + 1);
    let end = next.map_or(program.ops.len(), |next| next.start as usize);
    let mut seen = vec![false; end.saturating_sub(start)];
    let mut open = vec![op_index(program, op)];
    while let Some(at) = open.pop() {
        let Some(seen) = at.checked_sub(start).and_then(|at| seen.get_mut(at)) else {
            return false; // not followed further
        };
        if std::mem::replace(seen, true) {
            continue;
        }
        let op = &program.ops[at];
        let successors = program.infos[at].successors;
        match successors {
            Successors::None | Successors::Callee => return false,
            Successors::Label => {
                let to = (&raw const *op).wrapping_byte_offset(op.jump());
                open.push(op_index(program, to));
            }
            Successors::Table => {
                let table = program.tables.get(op.aux as usize);
                open.extend(table.into_iter().flatten().map(|&to| to as usize));
            }
            Successors::Next => {}
        }
        if successors == Successors::Next || op.guard != 0 {
            open.push(at + 1);
        }
    }
    true
}
