//! Shared memory that threads write and an asynchronous unit reads, without a fence
//! between the two.
//!
//! Bulk copies, tensor copies and `wgmma` access shared memory through another *proxy* than
//! ordinary stores do. They see what threads wrote only after a `fence.proxy.async`. PTX ISA,
//! "Memory Consistency Model: Proxies"; "membar / fence".
//!
//! For each 16 bytes of a block's shared memory the check keeps the latest ordinary write, with the
//! clock of the warp that wrote. A fence covers the writes that happen before it: those of its own
//! warp, and those of other warps before a barrier. A fence that is concurrent with the write does
//! not cover it. Writes by other blocks of the cluster count as covered by every later fence of the
//! block. Also missed: a fence that another lane of the warp ran before the write; bytes that a
//! `cp.async` brought; global memory; tensor maps.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::checks::FindingKind;
use crate::machine::asynchronous::pending::CheckedPlace;
use crate::machine::core::Core;
use crate::machine::lane::{LANES, lanes};
use crate::machine::op::Op;

/// The granularity of the record, in bytes.
const PIECE: u64 = 16;

/// The writes that are not fenced yet, by the block's number in the grid.
#[derive(Debug, Default)]
pub(in crate::machine) struct Proxies(HashMap<u64, Written, FixedState>);

/// The writes to one block's shared memory.
#[derive(Debug, Default)]
struct Written {
    pieces: Vec<LatestWrite>,
    /// The number of fences so far.
    fences: u32,
    /// For each of the block's warps, the time up to which a fence covers its writes.
    covered: Vec<u32>,
}

/// The latest write of some bytes.
#[derive(Debug, Clone, Copy, Default)]
struct LatestWrite {
    /// One more than the number of the block's fences before it; 0 if there was no write.
    generation: u32,
    /// The number of the operation that wrote.
    op: u32,
    /// The block's warp that wrote, and its clock; none for a warp of another block.
    by: Option<(u16, u32)>,
}

/// A write without a fence.
#[derive(Debug, PartialEq, Eq)]
struct Unfenced {
    op: u32,
    /// Whether there was a fence since that does not cover it.
    beside: bool,
}

impl Proxies {
    /// Records an ordinary write.
    fn write(&mut self, block: u64, (address, bytes): (u64, u64), op: u32, by: Option<(u16, u32)>) {
        let written = self.0.entry(block).or_default();
        let last = ((address + bytes.max(1) - 1) / PIECE) as usize;
        if written.pieces.len() <= last {
            written.pieces.resize(last + 1, LatestWrite::default());
        }
        let generation = written.fences + 1;
        written.pieces[(address / PIECE) as usize..=last].fill(LatestWrite { generation, op, by });
    }

    /// Records a fence by a thread of the block, which covers writes up to these times of
    /// the block's warps.
    fn fence(&mut self, block: u64, times: &[u32]) {
        let Some(written) = self.0.get_mut(&block) else {
            return;
        };
        written.fences += 1;
        let covered = &mut written.covered;
        covered.resize(covered.len().max(times.len()), 0);
        for (to, &time) in covered.iter_mut().zip(times) {
            *to = time.max(*to);
        }
    }

    /// Returns the first write to these bytes that no fence covers.
    fn unfenced(&self, block: u64, address: u64, bytes: u64) -> Option<Unfenced> {
        let written = self.0.get(&block)?;
        let first = (address / PIECE) as usize;
        let end = (address + bytes).div_ceil(PIECE) as usize;
        let pieces = written.pieces.get(first..end.min(written.pieces.len()))?;
        pieces.iter().find_map(|piece| {
            let beside = piece.generation <= written.fences;
            let is = match piece.by {
                _ if piece.generation == 0 => false,
                None => !beside,
                Some((warp, time)) => {
                    time > written.covered.get(usize::from(warp)).copied().unwrap_or(0)
                }
            };
            let op = piece.op;
            is.then_some(Unfenced { op, beside })
        })
    }

    /// Removes the records of a block that has ended.
    pub(in crate::machine) fn end(&mut self, block: u64) {
        self.0.remove(&block);
    }
}

impl Core<'_> {
    /// Records writes of `size` bytes to shared memory by lanes of `mask`, if the kernel has
    /// instructions that read it asynchronously.
    pub(in crate::machine::checks) fn remember_writes(
        &mut self,
        op: u32,
        addresses: &[u64; LANES],
        mask: u32,
        size: u64,
    ) {
        if !self.run.function.reads_asynchronously {
            return;
        }
        let (own, warp) = (self.team.blocks[self.current.0].linear, self.current.1);
        let time = self.checks.races.time(own, warp as u32);
        for lane in lanes(mask) {
            let (block, address) = self.owner(addresses[lane]);
            if let Some(block) = block {
                let by = (block == own).then_some((warp as u16, time));
                self.checks.proxies.write(block, (address, size), op, by);
            }
        }
    }

    /// Records a `fence.proxy.async`.
    pub(in crate::machine) fn fence_proxies(&mut self) {
        if self.run.launch.checks.race {
            let block = self.team.blocks[self.current.0].linear;
            let times = self.checks.races.times_so_far(block, self.current.1 as u32);
            self.checks.proxies.fence(block, &times);
        }
    }

    /// Checks that a fence precedes an asynchronous read.
    #[cold]
    pub(in crate::machine) fn check_proxies(
        &mut self,
        op: *const Op,
        lane: usize,
        (block, address): CheckedPlace,
        bytes: u64,
    ) {
        let Some(Unfenced { op: writer, beside }) =
            block.and_then(|block| self.checks.proxies.unfenced(block, address, bytes))
        else {
            return;
        };
        let run = self.run;
        let by = (self.current.0, self.current.1 as u32, lane);
        self.note_by(FindingKind::MissedFence, op, by, || {
            let place = run.place(&raw const run.program.ops[writer as usize]);
            let line = format!("ptx line {}, `{}`", place.line, place.text);
            let at = match &place.source {
                Some(source) => format!("{source} ({line})"),
                None => line,
            };
            let note = match beside {
                true => format!(
                    "some of it was written at {at}, and the fences since are of threads that nothing orders behind the write"
                ),
                false => format!("some of it was written at {at}, and no fence came after"),
            };
            let what = "an asynchronous read of shared memory that threads have written, without a fence between";
            Some((what.to_owned(), vec![note]))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{Proxies, Unfenced};

    const BARE: Option<Unfenced> = Some(Unfenced {
        op: 7,
        beside: false,
    });

    #[test]
    fn a_write_is_remembered_until_a_fence_of_its_block() {
        let mut proxies = Proxies::default();
        let by = Some((0, 1));
        proxies.write(1, (0x418, 4), 7, by);
        assert_eq!(proxies.unfenced(1, 0x400, 64), BARE);
        assert_eq!(proxies.unfenced(1, 0x400, 16), None, "another piece");
        assert_eq!(proxies.unfenced(2, 0x400, 64), None, "another block");
        proxies.fence(2, &[1]);
        assert_eq!(proxies.unfenced(1, 0x400, 64), BARE);
        proxies.fence(1, &[1]);
        assert_eq!(proxies.unfenced(1, 0x400, 64), None);
        proxies.write(1, (0x40e, 4), 7, Some((0, 2)));
        assert_eq!(
            proxies.unfenced(1, 0x410, 16),
            BARE,
            "over the edge of a piece"
        );
        proxies.end(1);
        assert_eq!(proxies.unfenced(1, 0x400, 1 << 20), None);
    }

    #[test]
    fn a_fence_covers_what_is_before_it() {
        let mut proxies = Proxies::default();
        proxies.write(1, (0x400, 4), 7, Some((3, 5)));
        proxies.fence(1, &[9, 9, 9, 4]);
        let beside = Some(Unfenced {
            op: 7,
            beside: true,
        });
        assert_eq!(proxies.unfenced(1, 0x400, 4), beside);
        proxies.fence(1, &[1, 1, 1, 5]);
        assert_eq!(proxies.unfenced(1, 0x400, 4), None);
        // Another block's warps have clocks of their own.
        proxies.write(1, (0x400, 4), 7, None);
        assert_eq!(proxies.unfenced(1, 0x400, 4), BARE);
        proxies.fence(1, &[]);
        assert_eq!(proxies.unfenced(1, 0x400, 4), None);
    }
}
