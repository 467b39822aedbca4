//! The operations that order threads: fences, releases and acquires, barriers, mbarriers,
//! asynchronous accesses that complete, and memory that passes from one thread to another.
//!
//! The rules are listed in the documentation of [`race`](super).

use super::clocks::{ReleasedClocks, Times, learn, raise, raise_all};
use super::record::{PENDING, Record};
use super::{Access, AccessKind, Races};

impl Races {
    /// Returns whether the access's warp has read a value that the other's warp released,
    /// without an acquire.
    pub(crate) fn has_seen(&self, access: &Access, other: &Access) -> bool {
        let place = |linear| self.places.get(&linear).copied();
        let seen = || {
            let of = &self.blocks[place(access.block)? as usize];
            of.warps.get(access.warp as usize)?.seen.as_ref()
        };
        let (Some(seen), Some(block)) = (seen(), place(other.block)) else {
            return false;
        };
        match access.block == other.block {
            true => {
                let times = seen.warps.get(&block).map_or(&[][..], Vec::as_slice);
                times.get(other.warp as usize).is_some_and(|&time| time > 0)
            }
            false => seen.blocks.contains_key(&block),
        }
    }

    /// Returns whether the access's warp has arrived at a cluster barrier without a release.
    pub(crate) fn arrived_relaxed(&self, access: &Access) -> bool {
        let place = self.places.get(&access.block);
        let block = place.map(|&place| &self.blocks[place as usize]);
        let warp = block.and_then(|block| block.warps.get(access.warp as usize));
        warp.is_some_and(|warp| warp.relaxed)
    }

    /// Joins the clocks that are stored at a word. If the access releases, also stores the
    /// warp's clocks there.
    pub(super) fn synchronise(&mut self, access: &Access, word: u64) {
        let Access {
            block,
            warp,
            shared,
            kind,
            ..
        } = *access;
        let wide = !access.narrow;
        if kind != AccessKind::Write
            && let Some(left) = self.left.get(&(shared, word))
        {
            let left = left.clone();
            if access.acquires {
                self.take_up(block, warp, &left, wide);
            } else {
                let seen = &mut self.warp(block, warp).seen;
                seen.get_or_insert_default().join(&left, wide);
            }
        }
        if kind == AccessKind::Read {
            return;
        }
        let mut leaves = self.warp(block, warp).fenced.clone();
        if access.releases {
            let now = self.snapshot(block, warp, wide);
            leaves.get_or_insert_default().join(&now, true);
        }
        if let Some(leaves) = leaves {
            let left = self.left.entry((shared, word)).or_default();
            left.join(&leaves, wide);
        }
    }

    /// Returns the current clocks of a warp, with those of other blocks only if `wide`. They do not
    /// cover what the warp does afterwards.
    pub(super) fn snapshot(&mut self, block: u64, warp: u32, wide: bool) -> ReleasedClocks {
        let times = self.times_so_far(block, warp);
        let place = self.place(block);
        let mut left = ReleasedClocks::default();
        left.warps.insert(place, times);
        if wide {
            let of = &mut self.blocks[place as usize];
            of.time += 1;
            left.blocks.clone_from(&of.knows);
            learn(&mut left.blocks, place, of.time);
        }
        left
    }

    /// Joins clocks that another warp stored, with those of other blocks only if `wide`.
    pub(super) fn take_up(&mut self, block: u64, warp: u32, left: &ReleasedClocks, wide: bool) {
        self.current = None;
        self.warp(block, warp);
        let place = self.place(block);
        let of = &mut self.blocks[place as usize];
        let it = &mut of.warps[warp as usize];
        if let Some(times) = left.warps.get(&place) {
            raise_all(&mut it.knows, times);
        }
        let blocks = left.blocks.iter().filter(|(other, _)| **other != place);
        for (&other, &time) in blocks.filter(|_| wide) {
            learn(&mut of.knows, other, time);
        }
    }

    /// Performs a fence, also for threads of other blocks if `wide`. The clocks that strong reads
    /// have found are joined, and later strong writes store the warp's clocks.
    pub(crate) fn fence(&mut self, block: u64, warp: u32, wide: bool) {
        if let Some(seen) = self.warp(block, warp).seen.take() {
            self.take_up(block, warp, &seen, wide);
        }
        let now = self.snapshot(block, warp, wide);
        let fenced = &mut self.warp(block, warp).fenced;
        fenced.get_or_insert_default().join(&now, true);
    }

    /// Returns a warp's clock.
    pub(crate) fn time(&mut self, block: u64, warp: u32) -> u32 {
        self.warp(block, warp).time
    }

    /// Returns the times of a block's warps that are before the warp's next access. They do not
    /// cover what the warp does afterwards.
    pub(crate) fn times_so_far(&mut self, block: u64, warp: u32) -> Vec<u32> {
        self.current = None;
        let of = self.warp(block, warp);
        let mut times = of.knows.clone();
        raise(&mut times, warp as usize, of.time);
        of.time += 1;
        times
    }

    /// Orders the lanes of the warp, as `bar.warp.sync` does.
    pub(crate) fn warp_barrier(&mut self, block: u64, warp: u32) {
        self.current = None;
        let of = self.warp(block, warp);
        of.synced = of.instruction;
    }

    /// Completes an asynchronous access of `size` bytes that a thread (block, warp, lane) began.
    pub(crate) fn complete(
        &mut self,
        (block, warp, lane): (u64, u32, u32),
        shared: Option<u64>,
        address: u64,
        size: u64,
    ) {
        self.catch_up();
        let place = self.place(block);
        let space = shared.map(|linear| self.place(linear));
        let of = self.warp(block, warp);
        let (warp_time, instruction) = (of.time, of.instruction);
        let block_time = self.blocks[place as usize].time;
        let records = &mut self.records;
        // The record of the completed access, and the one that takes its place.
        let mut over: Option<(u32, u32)> = None;
        for word in address / 4..(address + size).div_ceil(4) {
            self.cells.change(space, word, |mark| {
                let record = *records.of(*mark);
                let by = (record.block, u32::from(record.warp), mark.lane());
                if record.how & PENDING == 0 || by != (place, warp, lane) {
                    return;
                }
                let to = match over {
                    Some((from, to)) if from == mark.record() => to,
                    _ => records.add(Record {
                        how: record.how & !PENDING,
                        warp_time,
                        block_time,
                        instruction,
                        ..record
                    }),
                };
                over = Some((mark.record(), to));
                *mark = mark.of_record(to);
            });
        }
        if let Some(space) = space {
            let of = &mut self.blocks[space as usize];
            of.written = self.records.len();
            of.touched = of.written;
        }
    }

    /// Stores the clocks of a warp that arrives at an mbarrier.
    pub(crate) fn arrive(&mut self, block: u64, warp: u32, key: (u64, u32)) {
        let now = self.snapshot(block, warp, true);
        self.objects.entry(key).or_default().join(&now, true);
    }

    /// Joins the clocks at an mbarrier whose phase a warp has found complete.
    pub(crate) fn pass(&mut self, block: u64, warp: u32, key: (u64, u32)) {
        let Some(left) = self.objects.get(&key).cloned() else {
            return;
        };
        self.take_up(block, warp, &left, true);
        self.warp_barrier(block, warp);
    }

    /// Joins, for these warps, the clocks of a barrier whose phase they have found complete. The
    /// stored clocks are removed.
    pub(crate) fn pass_all(&mut self, block: u64, warps: &[u32], key: (u64, u32)) {
        let Some(left) = self.objects.remove(&key) else {
            return;
        };
        for &warp in warps {
            self.take_up(block, warp, &left, true);
        }
    }

    /// Stores the clocks of a warp that gives memory back to the device's heap or to the slots for
    /// launches. The memory is given by address and size.
    pub(crate) fn gives_back(&mut self, block: u64, warp: u32, (address, bytes): (u64, u64)) {
        let now = self.snapshot(block, warp, true);
        let (end, left) = self.returned.entry(address).or_default();
        *end = address.saturating_add(bytes).max(*end);
        left.join(&now, true);
    }

    /// Orders a warp that receives memory after the threads that gave it back.
    pub(crate) fn is_given(&mut self, block: u64, warp: u32, (address, bytes): (u64, u64)) {
        let last = address.saturating_add(bytes);
        let before = self.returned.range(..last);
        let overlapping = before.filter(|(_, (end, _))| *end > address);
        let starts: Vec<u64> = overlapping.map(|(&start, _)| start).collect();
        for start in starts {
            let Some((end, left)) = self.returned.remove(&start) else {
                continue;
            };
            self.take_up(block, warp, &left, true);
            self.warp_barrier(block, warp);
            // A thread that receives the rest is also ordered after them.
            if start < address || end > last {
                self.returned.insert(start, (end, left));
            }
        }
    }

    /// Completes a barrier of a cluster, at which these blocks arrived. Each has its
    /// number of warps.
    pub(crate) fn cluster(&mut self, blocks: &[(u64, u32)]) {
        self.current = None;
        let mut joined = Times::default();
        for &(block, warps) in blocks {
            self.barrier(block, &(0..warps).collect::<Vec<_>>());
            let place = self.place(block);
            let of = &mut self.blocks[place as usize];
            of.time += 1;
            for (&other, &time) in of.knows.iter().chain([(&place, &of.time)]) {
                learn(&mut joined, other, time);
            }
        }
        for &(block, _) in blocks {
            let place = self.place(block);
            let knows = &mut self.blocks[place as usize].knows;
            knows.clone_from(&joined);
            knows.remove(&place);
        }
    }

    /// Completes a barrier of a cluster at which some warps arrived with relaxed order. For those,
    /// only what their fences released is joined. Each block has a list of its warps, with whether
    /// each was relaxed.
    pub(crate) fn cluster_relaxed(&mut self, blocks: &[(u64, Vec<bool>)]) {
        let mut all = ReleasedClocks::default();
        let each = || {
            blocks.iter().flat_map(|&(block, ref warps)| {
                let warps = warps.iter().enumerate();
                warps.map(move |(warp, &relaxed)| (block, warp as u32, relaxed))
            })
        };
        for (block, warp, relaxed) in each() {
            let leaves = match relaxed {
                true => {
                    let of = self.warp(block, warp);
                    of.relaxed = true;
                    of.fenced.clone()
                }
                false => Some(self.snapshot(block, warp, true)),
            };
            leaves.iter().for_each(|leaves| all.join(leaves, true));
        }
        for (block, warp, _) in each() {
            self.take_up(block, warp, &all, true);
            self.warp_barrier(block, warp);
        }
        let mut arrived = Times::default();
        for &(block, _) in blocks {
            let place = self.place(block);
            let of = &mut self.blocks[place as usize];
            of.time += 1;
            arrived.insert(place, of.time);
        }
        for &place in arrived.keys() {
            let outlasts = &mut self.blocks[place as usize].outlasts;
            arrived
                .iter()
                .for_each(|(&other, &time)| learn(outlasts, other, time));
        }
    }

    /// Completes a barrier of the block, at which these warps wait.
    pub(crate) fn barrier(&mut self, block: u64, warps: &[u32]) {
        self.current = None;
        let place = self.place(block);
        warps.iter().for_each(|&warp| _ = self.warp(block, warp));
        let all = &mut self.blocks[place as usize].warps;
        let mut joined: Vec<u32> = vec![0; all.len()];
        let mut absent = vec![true; all.len()];
        for &warp in warps {
            let of = &all[warp as usize];
            raise_all(&mut joined, &of.knows);
            raise(&mut joined, warp as usize, of.time);
            absent[warp as usize] = false;
        }
        // If every warp that has done anything arrives, all earlier accesses are ordered before
        // the later ones.
        let floor = match absent.contains(&true) {
            false => Some(self.records.len()),
            true => None,
        };
        for &warp in warps {
            let of = &mut all[warp as usize];
            of.knows.clone_from(&joined);
            of.time += 1;
            of.synced = of.instruction;
            of.floor = floor.unwrap_or(of.floor);
        }
        if let Some(floor) = floor
            && self.alone == Some(warps.len() as u32)
        {
            self.blocks[place as usize].since = floor;
            self.deferred.forget(place);
        }
    }
}
