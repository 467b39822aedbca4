//! Shared memory that threads write and an asynchronous unit reads, with no fence between the two.
//!
//! Bulk copies, tensor copies and `wgmma` see shared memory by another way than ordinary stores do, another *proxy*. What threads
//! wrote is there for them after a `fence.proxy.async`. PTX ISA, "Memory Consistency Model: Proxies"; "membar / fence".
//!
//! Kept for each 16 bytes of a block's shared memory is the latest ordinary write since the block's latest fence. A fence by any
//! thread of the block is taken to cover all that was written there before, as it does where a barrier orders the two; that one is missing is the
//! race check's to find. Missed besides: bytes that a `cp.async` brought; global memory; tensor maps.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::checks::FindingKind;
use crate::machine::asynchronous::pending::CheckedPlace;
use crate::machine::core::Core;
use crate::machine::lane::{LANES, lanes};
use crate::machine::op::Op;

/// Bytes that are remembered together.
const PIECE: u64 = 16;

/// What was written and not fenced, by the block's number in the grid.
#[derive(Debug, Default)]
pub(in crate::machine) struct Proxies(HashMap<u64, Written, FixedState>);

/// Of one block: for each piece in which generation it was written, and by which operation. A fence begins a generation.
#[derive(Debug, Default)]
struct Written {
    pieces: Vec<(u32, u32)>,
    fences: u32,
}

impl Proxies {
    /// An ordinary write.
    fn write(&mut self, block: u64, address: u64, bytes: u64, op: u32) {
        let written = self.0.entry(block).or_default();
        let last = ((address + bytes.max(1) - 1) / PIECE) as usize;
        if written.pieces.len() <= last {
            written.pieces.resize(last + 1, (0, 0));
        }
        // Generation 0 is before every write.
        written.pieces[(address / PIECE) as usize..=last].fill((written.fences + 1, op));
    }

    /// A fence by a thread of the block.
    fn fence(&mut self, block: u64) {
        if let Some(written) = self.0.get_mut(&block) {
            written.fences += 1;
        }
    }

    /// The first write among these bytes that no fence has followed.
    fn unfenced(&self, block: u64, address: u64, bytes: u64) -> Option<u32> {
        let written = self.0.get(&block)?;
        let first = (address / PIECE) as usize;
        let end = (address + bytes).div_ceil(PIECE) as usize;
        let pieces = written.pieces.get(first..end.min(written.pieces.len()))?;
        let found = pieces
            .iter()
            .find(|(generation, _)| *generation == written.fences + 1);
        found.map(|(_, op)| *op)
    }

    /// The block has ended.
    pub(in crate::machine) fn end(&mut self, block: u64) {
        self.0.remove(&block);
    }
}

impl Core<'_> {
    /// Remembers writes of `size` bytes to shared memory by lanes of `mask`, where the program has what reads it asynchronously.
    pub(super) fn remember_writes(
        &mut self,
        op: u32,
        addresses: &[u64; LANES],
        mask: u32,
        size: u64,
    ) {
        if !self.run.program.reads_asynchronously() {
            return;
        }
        for lane in lanes(mask) {
            let (block, address) = self.owner(addresses[lane]);
            if let Some(block) = block {
                self.proxies.write(block, address, size, op);
            }
        }
    }

    /// A `fence.proxy.async` was executed.
    pub(in crate::machine) fn fence_proxies(&mut self) {
        if self.run.launch.checks.race {
            let block = self.team.blocks[self.current.0].linear;
            self.proxies.fence(block);
        }
    }

    /// Looks whether a fence stands before an asynchronous read.
    #[cold]
    pub(in crate::machine) fn look_proxies(
        &mut self,
        op: *const Op,
        lane: usize,
        (block, address): CheckedPlace,
        bytes: u64,
    ) {
        let Some(writer) = block.and_then(|block| self.proxies.unfenced(block, address, bytes))
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
            let note = format!("some of it was written at {at}, and no fence came after");
            let what = "an asynchronous read of shared memory that threads have written, without a fence between";
            Some((what.to_owned(), vec![note]))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::Proxies;

    #[test]
    fn a_write_is_remembered_until_a_fence_of_its_block() {
        let mut proxies = Proxies::default();
        proxies.write(1, 0x418, 4, 7);
        assert_eq!(proxies.unfenced(1, 0x400, 64), Some(7));
        assert_eq!(proxies.unfenced(1, 0x400, 16), None, "another piece");
        assert_eq!(proxies.unfenced(2, 0x400, 64), None, "another block");
        proxies.fence(2);
        assert_eq!(proxies.unfenced(1, 0x400, 64), Some(7));
        proxies.fence(1);
        assert_eq!(proxies.unfenced(1, 0x400, 64), None);
        proxies.write(1, 0x40e, 4, 9);
        assert_eq!(
            proxies.unfenced(1, 0x410, 16),
            Some(9),
            "over the edge of a piece"
        );
        proxies.end(1);
        assert_eq!(proxies.unfenced(1, 0x400, 1 << 20), None);
    }
}
