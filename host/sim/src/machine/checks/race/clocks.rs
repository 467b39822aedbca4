//! Vector clocks: for each block and warp, the times of others that happened before it.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::AccessKind;

/// The clocks of one block.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// The block's number in the grid.
    pub(super) linear: u64,
    /// For each warp: its clock, and the times of other warps that happened before it.
    pub(super) warps: Vec<Warp>,
    /// The block's own clock. It advances at each release.
    pub(super) time: u32,
    /// Times of other blocks that happened before this one.
    pub(super) knows: Times,
    /// Times of other blocks that happened before its end, though nothing orders memory.
    pub(super) outlasts: Times,
    /// Whether threads of other blocks have accessed its shared memory.
    pub(super) reached: bool,
    /// The number after the last record that wrote to its shared memory, among those in the cells.
    pub(super) written: u32,
    /// The number after the last record that accessed its shared memory.
    pub(super) touched: u32,
    /// The first record since the last barrier that all its warps reached. Earlier reads of its
    /// shared memory cannot race any more.
    pub(super) since: u32,
}

impl Block {
    /// Notes that the cells contain an access of the block's shared memory by this record.
    #[inline(always)]
    pub(super) fn touch(&mut self, number: u32, kind: AccessKind) {
        self.touched = self.touched.max(number + 1);
        if kind != AccessKind::Read {
            self.written = self.written.max(number + 1);
        }
    }
}

/// Times of blocks, by the index of each block in the check.
pub(super) type Times = HashMap<u32, u32, FixedState>;

#[derive(Debug, Clone)]
pub(super) struct Warp {
    pub(super) time: u32,
    /// Times of the block's warps. A warp after the end of the list has none.
    pub(super) knows: Vec<u32>,
    /// What was known at the last fence. A strong write releases it.
    pub(super) fenced: Option<ReleasedClocks>,
    /// What strong reads have found since then. The next fence acquires it.
    pub(super) seen: Option<ReleasedClocks>,
    pub(super) instruction: u32,
    /// The last instruction before the lanes of the warp were last ordered.
    pub(super) synced: u32,
    /// Everything that threads of the block did before this record is ordered before everything
    /// that the warp does now.
    pub(super) floor: u32,
    /// Whether it has arrived at a cluster barrier without a release.
    pub(super) relaxed: bool,
    /// The number of the record of its reads, and how often records had been discarded when it
    /// got the number.
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

/// The clocks of a warp at its release.
#[derive(Debug, Clone, Default)]
pub(super) struct ReleasedClocks {
    /// Times of each block's warps, by the block's index. A warp after the end of a list has none.
    pub(super) warps: HashMap<u32, Vec<u32>, FixedState>,
    pub(super) blocks: Times,
}

impl ReleasedClocks {
    /// Joins the clocks of another release. Times of other blocks are joined only if `wide`.
    pub(super) fn join(&mut self, other: &Self, wide: bool) {
        for (&block, times) in &other.warps {
            raise_all(self.warps.entry(block).or_default(), times);
        }
        for (&block, &time) in other.blocks.iter().filter(|_| wide) {
            learn(&mut self.blocks, block, time);
        }
    }
}

/// Raises the time of another block.
pub(super) fn learn(times: &mut Times, block: u32, time: u32) {
    let at = times.entry(block).or_default();
    *at = time.max(*at);
}

/// Raises the times of all warps of a block. It handles them in parallel, which is fast, because a
/// block may have 32 warps with 32 times each.
pub(super) fn raise_all(times: &mut Vec<u32>, others: &[u32]) {
    times.resize(times.len().max(others.len()), 0);
    for (to, &time) in times.iter_mut().zip(others) {
        *to = time.max(*to);
    }
}

/// Raises the time of another warp.
pub(super) fn raise(times: &mut Vec<u32>, warp: usize, time: u32) {
    if times.len() <= warp {
        times.resize(warp + 1, 0);
    }
    times[warp] = time.max(times[warp]);
}

/// Returns whether an instruction comes after another. The counts may wrap around.
#[inline(always)]
pub(super) fn is_after(instruction: u32, other: u32) -> bool {
    instruction.wrapping_sub(other) as i32 > 0
}
