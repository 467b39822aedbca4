//! The race check in its simplest form: one map for all cells, and one for all clocks. Tests
//! compare the fast form with it.

use std::collections::HashMap;

use super::{Access, AccessKind};

/// An access with the time at which it happened.
#[derive(Debug, Clone, Copy)]
struct Stamp {
    access: Access,
    /// The warp's clock.
    warp_time: u32,
    /// The block's clock, which moves on at each release.
    block_time: u32,
    /// The number of the warp's instruction that accesses memory. Lanes of one
    /// instruction share it.
    instruction: u64,
}

/// The accesses of four bytes.
#[derive(Debug, Default)]
struct Cell {
    /// The last write, and which of the bytes it wrote.
    write: Option<(Stamp, u8)>,
    /// Earlier writes of bytes that the last write did not write.
    beside: Vec<(Stamp, u8)>,
    /// Reads since the last write, of two threads: the first and the last.
    reads: [Option<(Stamp, u8)>; 2],
}

/// The clocks of one block.
#[derive(Debug, Default)]
struct Block {
    /// For each warp: its clock, and the times of other warps that happened before it.
    warps: Vec<Warp>,
    /// The block's own clock. It advances at each release.
    time: u32,
    /// Times of other blocks that happened before this one.
    knows: HashMap<u64, u32>,
}

#[derive(Debug, Default, Clone)]
struct Warp {
    time: u32,
    knows: HashMap<u32, u32>,
    /// What was known at the last fence.
    fenced: Option<ReleasedClocks>,
    /// What strong reads have found since then.
    seen: ReleasedClocks,
    instruction: u64,
    /// The last instruction before the lanes of the warp were last ordered.
    synced: u64,
}

/// The state of the check in one launch. A launch that checks for races runs on one core.
#[derive(Debug, Default)]
pub(super) struct Races {
    blocks: HashMap<u64, Block>,
    /// Global cells by word, and shared ones by block and word.
    cells: HashMap<(Option<u64>, u64), Cell>,
    /// The clocks that releases stored, by word.
    left: HashMap<(Option<u64>, u64), ReleasedClocks>,
    /// The clocks that arrivals stored at mbarriers, by block and shared address.
    objects: HashMap<(u64, u32), ReleasedClocks>,
    /// The number of warps of a block, if no block accesses another's shared memory.
    alone: Option<u32>,
}

/// The clocks of a warp at its release: times of warps, by block and warp, and of blocks.
#[derive(Debug, Default, Clone)]
struct ReleasedClocks {
    warps: HashMap<(u64, u32), u32>,
    blocks: HashMap<u64, u32>,
}

impl ReleasedClocks {
    fn join(&mut self, other: &Self, wide: bool) {
        for (warp, time) in &other.warps {
            let at = self.warps.entry(*warp).or_default();
            *at = (*time).max(*at);
        }
        if wide {
            for (block, time) in &other.blocks {
                let at = self.blocks.entry(*block).or_default();
                *at = (*time).max(*at);
            }
        }
    }
}

impl Races {
    pub(super) fn begins(alone: Option<u32>) -> Self {
        Self {
            alone,
            ..Self::default()
        }
    }

    fn warp(&mut self, block: u64, warp: u32) -> &mut Warp {
        let warps = &mut self.blocks.entry(block).or_default().warps;
        if warps.len() <= warp as usize {
            // Clocks start at 1: time 0 is before everything.
            warps.resize(
                warp as usize + 1,
                Warp {
                    time: 1,
                    ..Warp::default()
                },
            );
        }
        &mut warps[warp as usize]
    }

    /// Begins the warp's next instruction that accesses memory.
    pub(super) fn step(&mut self, block: u64, warp: u32) {
        self.warp(block, warp).instruction += 1;
    }

    /// Records an access. Returns an earlier access that it races with, if there is one.
    pub(super) fn access(&mut self, access: Access, address: u64, size: u64) -> Option<Access> {
        let Access {
            block,
            warp,
            kind,
            strong,
            shared: space,
            ..
        } = access;
        if strong {
            self.synchronise(&access, address / 4);
        }
        let of = &self.warp(block, warp).clone();
        let block_time = self.blocks.get(&block).map_or(0, |b| b.time);
        let stamp = Stamp {
            access,
            warp_time: of.time,
            block_time,
            instruction: of.instruction,
        };
        let mut found = None;
        // The access itself reports bytes beyond the end of the address space.
        let (mut at, last) = (address, address.saturating_add(size));
        while at < last {
            let word = at / 4;
            let end = (word + 1).saturating_mul(4).min(last);
            let bytes = ((1u32 << (end - word * 4)) - (1u32 << (at - word * 4))) as u8;
            let cell = self.cells.entry((space, word)).or_default();
            let blocks = &self.blocks;
            let races = |before: &Option<(Stamp, u8)>| {
                let (before, touched) = before.as_ref()?;
                (touched & bytes != 0 && unordered(blocks, before, &stamp)).then_some(before.access)
            };
            let beside = cell.beside.iter().find_map(|before| races(&Some(*before)));
            let against_write = races(&cell.write).or(beside);
            let against_read = cell
                .reads
                .iter()
                .find_map(races)
                .filter(|_| kind != AccessKind::Read);
            found = found.or(against_write).or(against_read);
            if kind == AccessKind::Read {
                let thread = |s: &Stamp| (s.access.block, s.access.warp, s.access.lane);
                let slot = cell
                    .reads
                    .iter()
                    .position(|r| r.as_ref().is_none_or(|(s, _)| thread(s) == thread(&stamp)));
                match slot {
                    Some(slot) => cell.reads[slot] = Some((stamp, bytes)),
                    // The cell keeps the first reader and the last.
                    None => cell.reads[1] = Some((stamp, bytes)),
                }
            } else {
                cell.beside.extend(cell.write.take());
                cell.beside
                    .iter_mut()
                    .for_each(|(_, touched)| *touched &= !bytes);
                cell.beside.retain(|(_, touched)| *touched != 0);
                cell.write = Some((stamp, bytes));
                cell.reads = [None, None];
            }
            at = end;
        }
        found
    }

    /// Joins the clocks that are stored at a word. If the access releases, also stores the
    /// warp's clocks there.
    fn synchronise(&mut self, access: &Access, word: u64) {
        let (block, warp, wide) = (access.block, access.warp, !access.narrow);
        let key = (access.shared, word);
        if access.kind != AccessKind::Write
            && let Some(left) = self.left.get(&key).cloned()
        {
            match access.acquires {
                true => self.take_up(block, warp, &left, wide),
                false => self.warp(block, warp).seen.join(&left, wide),
            }
        }
        if access.kind != AccessKind::Read {
            let mut leaves = self.warp(block, warp).fenced.clone();
            if access.releases {
                let now = self.snapshot(block, warp, wide);
                leaves.get_or_insert_default().join(&now, true);
            }
            if let Some(leaves) = leaves {
                self.left.entry(key).or_default().join(&leaves, wide);
            }
        }
    }

    fn snapshot(&mut self, block: u64, warp: u32, wide: bool) -> ReleasedClocks {
        let of = self.warp(block, warp);
        let mut knows = of.knows.clone();
        let own = knows.entry(warp).or_default();
        *own = of.time.max(*own);
        of.time += 1;
        let warps = knows.into_iter().map(|(w, t)| ((block, w), t)).collect();
        let mut blocks = HashMap::new();
        if wide {
            let of = self.blocks.entry(block).or_default();
            of.time += 1;
            blocks = of.knows.clone();
            blocks.insert(block, of.time);
        }
        ReleasedClocks { warps, blocks }
    }

    fn take_up(&mut self, block: u64, warp: u32, left: &ReleasedClocks, wide: bool) {
        let it = self.warp(block, warp);
        for (&(_, other), &time) in left.warps.iter().filter(|((b, _), _)| *b == block) {
            let at = it.knows.entry(other).or_default();
            *at = time.max(*at);
        }
        if wide {
            let of = self.blocks.entry(block).or_default();
            for (&other, &time) in left.blocks.iter().filter(|(other, _)| **other != block) {
                let at = of.knows.entry(other).or_default();
                *at = time.max(*at);
            }
        }
    }

    pub(super) fn fence(&mut self, block: u64, warp: u32, wide: bool) {
        let seen = std::mem::take(&mut self.warp(block, warp).seen);
        self.take_up(block, warp, &seen, wide);
        let now = self.snapshot(block, warp, wide);
        let fenced = &mut self.warp(block, warp).fenced;
        fenced.get_or_insert_default().join(&now, true);
    }

    /// Orders the lanes of the warp, as `bar.warp.sync` does.
    pub(super) fn warp_barrier(&mut self, block: u64, warp: u32) {
        let of = self.warp(block, warp);
        of.synced = of.instruction;
    }

    /// Completes an asynchronous access of `size` bytes that a thread (block, warp, lane) began.
    pub(super) fn complete(
        &mut self,
        (block, warp, lane): (u64, u32, u32),
        space: Option<u64>,
        address: u64,
        size: u64,
    ) {
        let (warp_time, instruction) = {
            let of = self.warp(block, warp);
            (of.time, of.instruction)
        };
        let block_time = self.blocks.get(&block).map_or(0, |b| b.time);
        for word in address / 4..(address + size).div_ceil(4) {
            let Some(cell) = self.cells.get_mut(&(space, word)) else {
                continue;
            };
            let reads = cell.reads.iter_mut().flatten();
            let writes = cell.write.iter_mut().chain(&mut cell.beside);
            for (stamp, _) in reads.chain(writes) {
                let access = &mut stamp.access;
                if access.pending && (access.block, access.warp, access.lane) == (block, warp, lane)
                {
                    access.pending = false;
                    (stamp.warp_time, stamp.block_time, stamp.instruction) =
                        (warp_time, block_time, instruction);
                }
            }
        }
    }

    /// Stores the clocks of a warp that arrives at an mbarrier.
    pub(super) fn arrive(&mut self, block: u64, warp: u32, key: (u64, u32)) {
        let now = self.snapshot(block, warp, true);
        self.objects.entry(key).or_default().join(&now, true);
    }

    /// Joins the clocks at an mbarrier whose phase a warp has found complete.
    pub(super) fn pass(&mut self, block: u64, warp: u32, key: (u64, u32)) {
        if let Some(left) = self.objects.get(&key).cloned() {
            self.take_up(block, warp, &left, true);
            self.warp_barrier(block, warp);
        }
    }

    /// Completes a barrier of a cluster, at which these blocks arrived. Each has its
    /// number of warps.
    pub(super) fn cluster(&mut self, blocks: &[(u64, u32)]) {
        let mut joined: HashMap<u64, u32> = HashMap::new();
        for &(block, warps) in blocks {
            self.barrier(block, &(0..warps).collect::<Vec<_>>());
            let of = self.blocks.entry(block).or_default();
            for (other, time) in of
                .knows
                .iter()
                .map(|(b, t)| (*b, *t))
                .chain([(block, of.time + 1)])
            {
                let at = joined.entry(other).or_default();
                *at = time.max(*at);
            }
            of.time += 1;
        }
        for (block, _) in blocks {
            let of = self.blocks.entry(*block).or_default();
            of.knows = joined.clone();
            of.knows.remove(block);
        }
    }

    /// Completes a barrier of the block, at which these warps arrived.
    pub(super) fn barrier(&mut self, block: u64, warps: &[u32]) {
        let mut joined: HashMap<u32, u32> = HashMap::new();
        for &warp in warps {
            let of = self.warp(block, warp);
            let (time, knows) = (of.time, of.knows.clone());
            for (other, time) in knows.into_iter().chain([(warp, time)]) {
                let at = joined.entry(other).or_default();
                *at = time.max(*at);
            }
        }
        for &warp in warps {
            let of = self.warp(block, warp);
            of.knows.clone_from(&joined);
            of.time += 1;
            of.synced = of.instruction;
        }
        if self.alone == Some(warps.len() as u32) {
            let own = self
                .cells
                .iter_mut()
                .filter(|((of, _), _)| *of == Some(block));
            own.for_each(|(_, cell)| cell.reads = [None, None]);
        }
    }
}

/// Returns whether nothing orders `before` before `now`.
fn unordered(blocks: &HashMap<u64, Block>, before: &Stamp, now: &Stamp) -> bool {
    let (a, b) = (&before.access, &now.access);
    let volatile = a.volatile && b.volatile;
    if a.strong && b.strong && !volatile && (a.block == b.block || !(a.narrow || b.narrow)) {
        return false;
    }
    if a.pending || b.read_only && a.kind != AccessKind::Read {
        return true;
    }
    if a.block != b.block {
        let known = blocks
            .get(&b.block)
            .and_then(|block| block.knows.get(&a.block))
            .copied()
            .unwrap_or(0);
        // Everything that was done at a time of the block is before the release that
        // advances that time.
        return before.block_time >= known;
    }
    if a.warp != b.warp {
        let warp = blocks
            .get(&b.block)
            .and_then(|block| block.warps.get(b.warp as usize));
        return warp
            .is_none_or(|warp| before.warp_time > warp.knows.get(&a.warp).copied().unwrap_or(0));
    }
    if a.lane == b.lane {
        return false;
    }
    if before.instruction == now.instruction && a.kind == b.kind {
        return false; // one instruction: which lane's store stays is open, but one does
    }
    let warps = blocks.get(&b.block).map(|block| &block.warps);
    let warp = warps.and_then(|warps| warps.get(b.warp as usize));
    warp.is_none_or(|warp| before.instruction > warp.synced)
}
