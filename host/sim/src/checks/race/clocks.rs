//! Vector clocks: what blocks and warps know of each other's time.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::AccessKind;

/// What one block knows of time.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Its number in the grid.
    pub(super) linear: u64,
    /// For each warp: its clock, and the times of other warps that happened before it.
    pub(super) warps: Vec<Warp>,
    /// Moves on at each release.
    pub(super) time: u32,
    /// Times of other blocks that happened before this one.
    pub(super) knows: Times,
    /// Whether threads of other blocks have accessed its shared memory.
    pub(super) reached: bool,
    /// Behind the last record that wrote to its shared memory, as far as the cells show.
    pub(super) written: u32,
    /// Behind the last that accessed it.
    pub(super) touched: u32,
    /// The first record since the last barrier at which all its warps met: reads of its shared
    /// memory before it count no more.
    pub(super) since: u32,
}

impl Block {
    /// The cells of its shared memory show an access by the record of a number.
    #[inline(always)]
    pub(super) fn touch(&mut self, number: u32, kind: AccessKind) {
        self.touched = self.touched.max(number + 1);
        if kind != AccessKind::Read {
            self.written = self.written.max(number + 1);
        }
    }
}

/// Times of blocks, by their place among those that the check knows.
pub(super) type Times = HashMap<u32, u32, FixedState>;

#[derive(Debug, Clone)]
pub(super) struct Warp {
    pub(super) time: u32,
    /// Times of the block's warps; none for those behind the end.
    pub(super) knows: Vec<u32>,
    /// What was known at the last fence: strong writes leave it.
    pub(super) fenced: Option<ReleasedClocks>,
    /// What strong reads have found since then: the next fence takes it up.
    pub(super) seen: Option<ReleasedClocks>,
    pub(super) instruction: u32,
    /// The last instruction before the lanes of the warp were last ordered.
    pub(super) synced: u32,
    /// Whatever threads of the block did before this record is ordered before all that the warp
    /// does now.
    pub(super) floor: u32,
    /// Whether it has arrived at a barrier of the cluster that released nothing.
    pub(super) relaxed: bool,
    /// The record of its reads, with how often records had been thrown away when it got its number.
    pub(super) reads: (u32, u32),
}

impl Default for Warp {
    fn default() -> Self {
        Self {
            // Clocks start at 1: time 0 is before everything.
            time: 1,
            knows: Vec::new(),
            fenced: None,
            seen: None,
            instruction: 0,
            synced: 0,
            floor: 0,
            relaxed: false,
            reads: (0, u32::MAX),
        }
    }
}

/// What a warp knew when it released.
#[derive(Debug, Clone, Default)]
pub(super) struct ReleasedClocks {
    /// Times of each block's warps, by the block's place; none for those behind the end.
    pub(super) warps: HashMap<u32, Vec<u32>, FixedState>,
    pub(super) blocks: Times,
}

impl ReleasedClocks {
    /// Adds what another knew; of other blocks only where `wide`.
    pub(super) fn join(&mut self, other: &Self, wide: bool) {
        for (&block, times) in &other.warps {
            raise_all(self.warps.entry(block).or_default(), times);
        }
        for (&block, &time) in other.blocks.iter().filter(|_| wide) {
            learn(&mut self.blocks, block, time);
        }
    }
}

/// Takes up a time of another block.
pub(super) fn learn(times: &mut Times, block: u32, time: u32) {
    let at = times.entry(block).or_default();
    *at = time.max(*at);
}

/// Takes up times of all warps of a block: side by side, which is quick, since a block may have 32
/// warps that know of 32.
pub(super) fn raise_all(times: &mut Vec<u32>, others: &[u32]) {
    times.resize(times.len().max(others.len()), 0);
    for (to, &time) in times.iter_mut().zip(others) {
        *to = time.max(*to);
    }
}

/// Takes up a time of another warp.
pub(super) fn raise(times: &mut Vec<u32>, warp: usize, time: u32) {
    if times.len() <= warp {
        times.resize(warp + 1, 0);
    }
    times[warp] = time.max(times[warp]);
}

/// Whether an instruction is after another. Their counts may start again at zero.
#[inline(always)]
pub(super) fn is_after(instruction: u32, other: u32) -> bool {
    instruction.wrapping_sub(other) as i32 > 0
}
