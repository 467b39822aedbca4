//! Shared memory: accesses outside of the array that they are meant for, and of blocks that have ended.
//!
//! That an address lies in the block's shared memory is always checked. Here the array counts that the address was computed from
//! (see `decode::arrays`). Missed: arrays whose address went through memory, parameters or a choice between two arrays;
//! dynamic shared memory, which is one array.

use crate::checks::FindingKind;
use crate::machine::core::Core;
use crate::machine::lane::{LANES, lanes};
use crate::machine::op::Op;
use crate::machine::program::{Class, VariableSpace};
use crate::memory::window;

impl Core<'_> {
    /// Checks accesses of the lanes of `mask` to shared memory, at these shared addresses.
    #[cold]
    pub(super) fn check_shared(
        &mut self,
        op: *const Op,
        index: u32,
        (class, bytes): (Class, u8),
        addresses: &[u64; LANES],
        mask: u32,
    ) {
        let run = self.run;
        let checks = run.launch.checks;
        let by = |core: &Self, lane| (core.current.0, core.current.1 as u32, lane);
        if checks.sync {
            for lane in lanes(mask) {
                let rank = (addresses[lane] / window::SHARED_PER_BLOCK).checked_sub(1);
                let block = rank.and_then(|rank| self.team.blocks.get(rank as usize));
                if let Some(block) = block.filter(|block| block.live == 0) {
                    let [x, y, z] = block.id;
                    let what = format!(
                        "{bytes}-byte {} of shared memory of a block that has ended",
                        verb(class)
                    );
                    let note = format!("it is memory of block ({x},{y},{z})");
                    let by = by(self, lane);
                    self.note_by(FindingKind::EndedBlock, op, by, || Some((what, vec![note])));
                }
            }
        }
        let arrays = &run.program.arrays;
        let Ok(at) = arrays.binary_search_by_key(&index, |&(op, _)| op) else {
            return;
        };
        let variable = &run.program.variables[arrays[at].1 as usize];
        let VariableSpace::Shared(offset) = variable.space else {
            return;
        };
        if !checks.memory {
            return;
        }
        let start = u64::from(run.shared_start + run.scratch) + u64::from(offset);
        let end = start + variable.size;
        for lane in lanes(mask) {
            let address = addresses[lane];
            let inside = address >= start && address.saturating_add(bytes.into()) <= end;
            if inside || address >= window::SHARED_PER_BLOCK {
                continue;
            }
            let (name, size) = (&variable.name, variable.size);
            let at = match address < start {
                true => format!("{} bytes before", start - address),
                false => format!("{} bytes past the start of", address - start),
            };
            let what = format!(
                "{bytes}-byte {} of shared memory outside of its array",
                verb(class)
            );
            let note =
                format!("shared address {address:#x} is {at} `{name}`, which has {size} bytes");
            let by = by(self, lane);
            self.note_by(FindingKind::OutsideArray, op, by, || {
                Some((what, vec![note]))
            });
        }
    }
}

fn verb(class: Class) -> &'static str {
    match class {
        Class::Load(_) | Class::Rows => "read",
        Class::Store(_) => "write",
        _ => "atomic access",
    }
}
