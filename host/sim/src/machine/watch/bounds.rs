//! Shared memory: accesses outside of the array that they are meant for, and of blocks that have ended.
//!
//! That an address lies in the block's shared memory is always checked. Here the array counts that the address was computed from
//! (see `decode::arrays`). Missed: arrays whose address went through memory, parameters or a choice between two arrays;
//! dynamic shared memory, which is one array.

use crate::checks::FindingKind;
use crate::machine::core::Core;
use crate::machine::lane::{LANES, lanes};
use crate::machine::op::Op;
use crate::machine::program::{Class, Variable, VariableSpace};
use crate::memory::window;

/// Where the array of an operation begins and ends in shared memory, which is everywhere where it has none.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::machine) struct ArrayBounds {
    /// The operation, by one more than its number.
    op: u32,
    start: u64,
    end: u64,
}

impl<'l> Core<'l> {
    /// The shared array that an operation's address was computed from: where it begins and ends.
    fn array(&self, index: u32) -> Option<(&'l Variable, u64, u64)> {
        let run = self.run;
        let arrays = &run.program.arrays;
        let at = arrays.binary_search_by_key(&index, |&(op, _)| op).ok()?;
        let variable = &run.program.variables[arrays[at].1 as usize];
        let VariableSpace::Shared(offset) = variable.space else {
            return None;
        };
        let start = u64::from(run.shared_start + run.scratch) + u64::from(offset);
        Some((variable, start, start + variable.size))
    }

    /// Whether bytes from `start` to `end` of the block's shared memory leave the array that an operation's address was
    /// computed from.
    #[inline]
    pub(super) fn leaves_array(&mut self, index: u32, start: u64, end: u64) -> bool {
        let place = index as usize % self.arrays.len();
        if self.arrays[place].op != index + 1 {
            let (from, to) = self
                .array(index)
                .map_or((0, u64::MAX), |(_, from, to)| (from, to));
            self.arrays[place] = ArrayBounds {
                op: index + 1,
                start: from,
                end: to,
            };
        }
        let array = self.arrays[place];
        start < array.start || end > array.end
    }

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
        if !checks.memory {
            return;
        }
        let Some((variable, start, end)) = self.array(index) else {
            return;
        };
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
