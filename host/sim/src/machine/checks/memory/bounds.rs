//! Accesses outside of the shared or local array that they are meant for, and shared memory of
//! blocks that have ended.
//!
//! It is always checked that an address lies in the block's shared memory, or in the thread's local
//! memory. This check looks at the array that the address was computed from (see `decode::arrays`),
//! and at each of the two addresses of an asynchronous copy. Missed: arrays whose address went
//! through memory, parameters or a choice between two arrays; dynamic shared memory, which is one
//! array; arrays that a compiler has put into one variable, as it does with those of a function.

use crate::checks::FindingKind;
use crate::machine::core::Core;
use crate::machine::frame::op_index;
use crate::machine::lane::{LANES, lanes};
use crate::machine::launch::team::Block;
use crate::machine::op::Op;
use crate::machine::program::{Class, LocalArray, Program, Variable, VariableSpace};
use crate::memory::window;

/// The start and the end of an operation's array, relative to the kernel's own shared memory. An
/// operation without an array has bounds that contain every address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArrayBounds {
    start: u64,
    end: u64,
}

/// Returns the bounds for all operations, by operation number. The program computes them at its
/// first launch that is checked for accesses outside of arrays, and keeps them.
pub(in crate::machine) fn array_bounds(program: &Program) -> &[ArrayBounds] {
    program.array_bounds.get_or_init(|| {
        let everywhere = ArrayBounds {
            start: 0,
            end: u64::MAX,
        };
        let mut bounds = vec![everywhere; program.ops.len()];
        for &(op, variable) in &program.arrays {
            let variable = &program.variables[variable as usize];
            if let VariableSpace::Shared(offset) = variable.space {
                let start = u64::from(offset);
                bounds[op as usize] = ArrayBounds {
                    start,
                    end: start + variable.size,
                };
            }
        }
        bounds.into()
    })
}

impl<'l> Core<'l> {
    /// Returns the shared array that an operation's address was computed from, with its
    /// start and end.
    fn array(&self, index: u32) -> Option<(&'l Variable, u64, u64)> {
        let arrays = &self.run.program.arrays;
        let at = arrays.binary_search_by_key(&index, |&(op, _)| op).ok()?;
        self.numbered_array(arrays[at].1)
    }

    /// Returns the shared array that an asynchronous copy reads, or the one that it writes.
    fn copied_array(&self, index: u32, reads: bool) -> Option<(&'l Variable, u64, u64)> {
        let arrays = &self.run.program.copied_arrays;
        let at = arrays.binary_search_by_key(&index, |&(op, _)| op).ok()?;
        self.numbered_array(arrays[at].1[usize::from(reads)]?)
    }

    fn numbered_array(&self, variable: u32) -> Option<(&'l Variable, u64, u64)> {
        let run = self.run;
        let variable = &run.program.variables[variable as usize];
        let VariableSpace::Shared(offset) = variable.space else {
            return None;
        };
        let start = run.first_array() + u64::from(offset);
        Some((variable, start, start + variable.size))
    }

    /// Returns whether bytes from `start` to `end` of the block's shared memory leave the array
    /// that an operation's address was computed from.
    #[inline(always)]
    pub(in crate::machine::checks) fn leaves_array(
        &self,
        index: usize,
        start: u64,
        end: u64,
    ) -> bool {
        let array = self.run.arrays.get(index);
        let first = self.run.first_array();
        // An address before the kernel's own memory is before every array.
        let (start, end) = (start.wrapping_sub(first), end.wrapping_sub(first));
        array.is_some_and(|array| start < array.start || end > array.end)
    }

    /// Returns the local array that an operation's address was computed from.
    pub(in crate::machine::checks) fn local_array(&self, index: u32) -> Option<&'l LocalArray> {
        let arrays = &self.run.program.local_arrays;
        let at = arrays.binary_search_by_key(&index, |&(op, _)| op).ok()?;
        Some(&arrays[at].1)
    }

    /// Checks accesses of the lanes of `mask` to local memory, at these local addresses.
    #[cold]
    pub(in crate::machine::checks) fn check_local(
        &mut self,
        op: *const Op,
        index: u32,
        (class, bytes): (Class, u8),
        addresses: &[u64; LANES],
        mask: u32,
    ) {
        let Some(array) = self.local_array(index) else {
            return;
        };
        // SAFETY: the decoder gave the frame of this operation's function the row, of 64 bits.
        let starts = unsafe { *self.lanes::<u64>(array.row) };
        for lane in lanes(mask) {
            let (address, start) = (addresses[lane], starts[lane]);
            let end = start + array.size;
            if address >= start && address.saturating_add(bytes.into()) <= end {
                continue;
            }
            let what = format!(
                "{bytes}-byte {} of local memory outside of its array",
                verb(class)
            );
            let note = away("local", address, start, (&array.name, array.size));
            let by = (self.current.0, self.current.1 as u32, lane);
            self.note_by(FindingKind::OutsideArray, op, by, || {
                Some((what, vec![note]))
            });
        }
    }

    /// Checks accesses of the lanes of `mask` to shared memory, at these shared addresses.
    #[cold]
    pub(in crate::machine::checks) fn check_shared(
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
                if let Some(rank) = (addresses[lane] / window::SHARED_PER_BLOCK).checked_sub(1) {
                    let what = || format!("{bytes}-byte {} of shared memory", verb(class));
                    self.check_ended(op, lane, rank as usize, what);
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
            let what = format!(
                "{bytes}-byte {} of shared memory outside of its array",
                verb(class)
            );
            let note = away("shared", address, start, (&variable.name, variable.size));
            let by = by(self, lane);
            self.note_by(FindingKind::OutsideArray, op, by, || {
                Some((what, vec![note]))
            });
        }
    }
}

impl Core<'_> {
    /// Checks that the bytes of shared memory that a lane's asynchronous copy reads, or those that
    /// it writes, are in their array.
    #[cold]
    pub(in crate::machine) fn check_copied(
        &mut self,
        op: *const Op,
        lane: usize,
        reads: bool,
        (address, bytes): (u64, u64),
    ) {
        let index = op_index(self.run.program, op);
        let Some((variable, start, end)) = self.copied_array(index as u32, reads) else {
            return;
        };
        if address >= start && address.saturating_add(bytes) <= end {
            return;
        }
        let act = if reads { "read" } else { "write" };
        let what = format!("{bytes}-byte asynchronous {act} of shared memory outside of its array");
        let note = away("shared", address, start, (&variable.name, variable.size));
        let by = (self.current.0, self.current.1 as u32, lane);
        self.note_by(FindingKind::OutsideArray, op, by, || {
            Some((what, vec![note]))
        });
    }

    /// Reports what other blocks of the cluster did to shared memory of the running block, which
    /// ends now, if it did not wait for them: in other schedules, they come after its end.
    #[cold]
    pub(in crate::machine) fn check_accesses_before_end(&mut self) {
        let run = self.run;
        if !run.launch.checks.race || !run.launch.checks.sync {
            return;
        }
        let ends = &self.team.blocks[self.current.0];
        let ([x, y, z], linear) = (ends.id, ends.linear);
        for access in self.checks.races.not_before_end(linear) {
            let of_access = |block: &Block| block.linear == access.block;
            let Some(rank) = self.team.blocks.iter().position(of_access) else {
                continue;
            };
            let op = &raw const run.program.ops[access.op as usize];
            let class = run.program.infos[access.op as usize].class;
            let by = (rank, access.warp, access.lane as usize);
            self.note_by(FindingKind::EndedBlock, op, by, || {
                let what = "of shared memory of a block that does not wait for it before it ends";
                Some((
                    format!("a {} {what}", verb(class)),
                    vec![format!("the memory belongs to block ({x},{y},{z})")],
                ))
            });
        }
    }

    /// Reports what a lane does to shared memory of the cluster's block with this rank, if that
    /// block has ended.
    pub(in crate::machine) fn check_ended(
        &mut self,
        op: *const Op,
        lane: usize,
        rank: usize,
        what: impl FnOnce() -> String,
    ) {
        let block = self.team.blocks.get(rank).filter(|block| block.live == 0);
        let Some([x, y, z]) = block.map(|block| block.id) else {
            return;
        };
        if self.run.launch.checks.sync {
            let by = (self.current.0, self.current.1 as u32, lane);
            self.note_by(FindingKind::EndedBlock, op, by, || {
                let what = format!("{} of a block that has ended", what());
                Some((
                    what,
                    vec![format!("the memory belongs to block ({x},{y},{z})")],
                ))
            });
        }
    }
}

/// Describes the distance of an address from an array's start.
fn away(space: &str, address: u64, start: u64, (name, size): (&str, u64)) -> String {
    let at = match address < start {
        true => format!("{} bytes before", start - address),
        false => format!("{} bytes past the start of", address - start),
    };
    format!("{space} address {address:#x} is {at} `{name}`, which has {size} bytes")
}

fn verb(class: Class) -> &'static str {
    match class {
        Class::Load(_) | Class::Rows => "read",
        Class::Store(_) => "write",
        _ => "atomic access",
    }
}
