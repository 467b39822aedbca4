//! Races: two threads access one place, one of them writes, and nothing orders them.
//!
//! The order is happens-before, kept with vector clocks (as FastTrack, Flanagan and Freund, PLDI 2009), so a race is found
//! whatever the interleaving was, as long as both accesses ran. PTX ISA, "Memory Consistency Model", says what orders:
//!
//! - Within a block each warp has a clock and knows a time of every other warp. A barrier joins what the arriving warps
//!   know and moves their clocks on. Lanes of one warp are ordered by `bar.warp.sync` and by barriers, and by nothing less,
//!   since Volta.
//! - A release (a fence and then a strong write or atomic, or one that says `.release`) leaves at the address what the warp knew at
//!   the fence. An acquire (a strong read or atomic and then a fence, or one that says `.acquire`) takes it up.
//! - A fence, a strong access, a release or an acquire of block scope (`.cta`) orders threads of one block only.
//! - An asynchronous access is ordered before nothing until somebody waited for it; then it is one of the thread that began it,
//!   at that time.
//! - An arrival at an mbarrier leaves what the warp knows there, and a wait that finds the phase ended takes it up. A cluster's
//!   barrier is one of all its blocks.
//! - Two strong accesses (atomic, volatile, relaxed, acquire, release) do not race with each other where the scopes of both hold
//!   both threads.
//! - Lanes that store one value to one place in one instruction do not race.
//!
//! Found: read-write and write-write races in shared and global memory, within a launch, to the byte.
//! Missed: clusters' scope is taken for the device's; pairs where the place was accessed by more than two other readers in between; order that only some lanes of a
//! warp or some warps of a block have is taken to hold for all of it, so a race beside a correct hand-over may be missed.
//! Never reported: what is ordered by the launch's end, by the host, or by program order.

mod cells;
#[cfg(test)]
mod plain;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use foldhash::fast::FixedState;

use cells::{Cells, LINE, Layout, Mark};

use crate::checks::Footprint;
use crate::counters::even::Even;

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It only reads.
    Read,
    /// It writes, and is no atomic.
    Write,
    /// Both as one step.
    Atomic,
}

/// One lane's access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Access {
    /// The block, by its number in the grid.
    pub(crate) block: u64,
    /// The warp in the block.
    pub(crate) warp: u32,
    /// The lane in the warp.
    pub(crate) lane: u32,
    /// The operation, by its number in the program.
    pub(crate) op: u32,
    /// What it does.
    pub(crate) kind: Kind,
    /// Whether it is strong in the memory model's sense.
    pub(crate) strong: bool,
    /// Whether it releases by itself, without a fence before it.
    pub(crate) releases: bool,
    /// Whether it acquires by itself, without a fence behind it.
    pub(crate) acquires: bool,
    /// Whether it is of block scope.
    pub(crate) narrow: bool,
    /// Of shared memory: the block that it belongs to, by its number in the grid; else global.
    pub(crate) shared: Option<u64>,
    /// Whether it was only begun: nothing is ordered after it until it is over.
    pub(crate) pending: bool,
}

/// What one block knows of time.
#[derive(Debug, Default)]
struct Block {
    /// Its number in the grid.
    linear: u64,
    /// For each warp: its clock, and the times of other warps that happened before it.
    warps: Vec<Warp>,
    /// Moves on at each release.
    time: u32,
    /// Times of other blocks that happened before this one.
    knows: Times,
}

/// Times of blocks, by their place among those that the check knows.
type Times = HashMap<u32, u32, FixedState>;

#[derive(Debug, Clone)]
struct Warp {
    time: u32,
    /// Times of the block's warps; none for those behind the end.
    knows: Vec<u32>,
    /// What was known at the last fence: strong writes leave it.
    fenced: Option<Left>,
    /// What strong reads have found since then: the next fence takes it up.
    seen: Option<Left>,
    instruction: u32,
    /// The last instruction before the lanes of the warp were last ordered.
    synced: u32,
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
        }
    }
}

/// Everything that is known in one launch; a launch that checks for races runs on one core.
#[derive(Debug, Default)]
pub(crate) struct Races {
    blocks: Vec<Block>,
    /// Places in `blocks`, by the block's number in the grid.
    places: HashMap<u64, u32, FixedState>,
    /// The block that was asked for last, and its place.
    last: Option<(u64, u32)>,
    cells: Cells,
    /// What releases left behind, by word.
    left: HashMap<(Option<u64>, u64), Left, FixedState>,
    /// What arrivals left at mbarriers, by block and shared address.
    objects: HashMap<(u64, u32), Left>,
}

/// What a warp knew when it released: times of warps, by block and warp, and of blocks.
#[derive(Debug, Clone, Default)]
struct Left {
    warps: HashMap<(u32, u32), u32, FixedState>,
    blocks: Times,
}

impl Left {
    /// Adds what another knew; of other blocks only where `wide`.
    fn join(&mut self, other: &Self, wide: bool) {
        for (&warp, &time) in &other.warps {
            let at = self.warps.entry(warp).or_default();
            *at = time.max(*at);
        }
        for (&block, &time) in other.blocks.iter().filter(|_| wide) {
            learn(&mut self.blocks, block, time);
        }
    }
}

impl Races {
    /// The place of a block, by its number in the grid.
    #[inline]
    fn place(&mut self, linear: u64) -> u32 {
        if let Some((last, place)) = self.last
            && last == linear
        {
            return place;
        }
        let place = *self.places.entry(linear).or_insert_with(|| {
            self.blocks.push(Block {
                linear,
                ..Block::default()
            });
            (self.blocks.len() - 1) as u32
        });
        self.last = Some((linear, place));
        place
    }

    fn block(&mut self, linear: u64) -> &mut Block {
        let place = self.place(linear);
        &mut self.blocks[place as usize]
    }

    #[inline]
    fn warp(&mut self, block: u64, warp: u32) -> &mut Warp {
        let (warps, warp) = (&mut self.block(block).warps, warp as usize);
        if warps.len() <= warp {
            warps.resize(warp + 1, Warp::default());
        }
        &mut warps[warp]
    }

    /// The warp begins another instruction that accesses memory.
    pub(crate) fn step(&mut self, block: u64, warp: u32) {
        let of = self.warp(block, warp);
        of.instruction = of.instruction.wrapping_add(1);
    }

    /// A mark of what a thread does now.
    fn mark(&mut self, access: &Access) -> Mark {
        let Access { block, warp, .. } = *access;
        let place = self.place(block);
        let of = self.warp(block, warp);
        let (warp_time, instruction) = (of.time, of.instruction);
        let mark = Mark {
            block: place,
            op: access.op,
            warp_time,
            block_time: self.blocks[place as usize].time,
            instruction,
            ..Mark::default()
        };
        mark.by(
            warp,
            access.lane,
            access.kind,
            (access.strong, access.narrow, access.pending),
        )
    }

    /// Remembers an access; gives the one before it that it races with, if there is one.
    pub(crate) fn access(&mut self, access: Access, address: u64, size: u64) -> Option<Access> {
        let Access { shared, .. } = access;
        if access.strong {
            self.synchronise(&access, address / 4);
        }
        let mark = self.mark(&access);
        let here = &self.blocks[mark.block as usize];
        let mut found = None;
        // What lies beyond all addresses is reported by the access itself.
        let (mut at, last) = (address, address.saturating_add(size));
        while at < last {
            let word = at / 4;
            let end = (word + 1).saturating_mul(4).min(last);
            let now = mark.of((1 << (end - word * 4)) - (1 << (at - word * 4)));
            let before = self
                .cells
                .touch(shared, word, now, |before| unordered(here, before, &now));
            found = found.or(before);
            at = end;
        }
        found.map(|before| Access {
            block: self.blocks[before.block as usize].linear,
            warp: before.warp(),
            lane: before.lane(),
            op: before.op,
            kind: before.kind(),
            strong: before.strong(),
            releases: false,
            acquires: false,
            narrow: before.narrow(),
            shared,
            pending: before.pending(),
        })
    }

    /// Remembers one access by all lanes of `mask`, which is not strong: `size` bytes each, evenly from the first lane on. False, and
    /// nothing has changed, if they have to be looked at lane by lane: one of them may race, or they lie neither side by side
    /// nor at one place.
    pub(crate) fn together(&mut self, access: &Access, even: Even, mask: u32, size: u64) -> bool {
        if !even.aligned(size) {
            return false;
        }
        let mark = self.mark(access);
        let here = &self.blocks[mark.block as usize];
        let space = access.shared;
        let word = even.start / 4;
        if even.step == 0 && access.kind == Kind::Read && size <= 4 && mask.count_ones() > 1 {
            let now = mark.of(((1 << size) - 1) << (even.start % 4));
            let races = |before: &Mark, now: &Mark| unordered(here, before, now);
            return self.cells.touch_by_all(space, word, (now, mask), races);
        }
        let first = mask.trailing_zeros();
        let words = even.lanes * size / 4;
        let rows = even.step == size && matches!(size, 4 | 8 | 16);
        if !rows || !word.is_multiple_of(LINE) || !words.is_multiple_of(LINE) {
            return false;
        }
        let now = mark.of(15);
        let races = |before: &Mark| unordered(here, before, &now);
        let log = (size / 4).trailing_zeros();
        for line in 0..words / LINE {
            let layout = Layout {
                first: (u64::from(first) + ((line * LINE) >> log)) as u8,
                log: log as u8,
            };
            let at = word + line * LINE;
            if !self.cells.touch_line(space, at, (now, layout), races) {
                // Those before were touched already; to touch them again by the same lanes changes nothing.
                return false;
            }
        }
        true
    }

    /// Which bytes of global memory the launch has accessed so far.
    pub(crate) fn footprint(&self) -> Footprint {
        self.cells.footprint()
    }

    /// A block has ended: nobody accesses its shared memory any more.
    pub(crate) fn end(&mut self, block: u64) {
        self.cells.forget(block);
    }

    /// Takes up what was left at a word, and leaves what the warp knew there where the access releases.
    fn synchronise(&mut self, access: &Access, word: u64) {
        let Access {
            block,
            warp,
            shared,
            kind,
            ..
        } = *access;
        let wide = !access.narrow;
        if kind != Kind::Write
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
        if kind == Kind::Read {
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

    /// What a warp knows now; of other blocks only where `wide`. What it does from here on is no part of it.
    fn snapshot(&mut self, block: u64, warp: u32, wide: bool) -> Left {
        let place = self.place(block);
        let of = self.warp(block, warp);
        let time = of.time;
        of.time += 1;
        let known = (0..).zip(of.knows.iter().copied());
        let mut left = Left::default();
        for (other, time) in known.chain([(warp, time)]) {
            let at = left.warps.entry((place, other)).or_default();
            *at = time.max(*at);
        }
        if wide {
            let of = &mut self.blocks[place as usize];
            of.time += 1;
            left.blocks.clone_from(&of.knows);
            learn(&mut left.blocks, place, of.time);
        }
        left
    }

    /// Learns what another warp left; of other blocks only where `wide`.
    fn take_up(&mut self, block: u64, warp: u32, left: &Left, wide: bool) {
        self.warp(block, warp);
        let place = self.place(block);
        let of = &mut self.blocks[place as usize];
        let it = &mut of.warps[warp as usize];
        for (&(_, other), &time) in left.warps.iter().filter(|((b, _), _)| *b == place) {
            raise(&mut it.knows, other as usize, time);
        }
        let blocks = left.blocks.iter().filter(|(other, _)| **other != place);
        for (&other, &time) in blocks.filter(|_| wide) {
            learn(&mut of.knows, other, time);
        }
    }

    /// A fence, for threads of other blocks too where `wide`: what strong reads found is known from here on, and strong writes
    /// leave what is known.
    pub(crate) fn fence(&mut self, block: u64, warp: u32, wide: bool) {
        if let Some(seen) = self.warp(block, warp).seen.take() {
            self.take_up(block, warp, &seen, wide);
        }
        let now = self.snapshot(block, warp, wide);
        let fenced = &mut self.warp(block, warp).fenced;
        fenced.get_or_insert_default().join(&now, true);
    }

    /// `bar.warp.sync`: the lanes of the warp are ordered.
    pub(crate) fn warp_barrier(&mut self, block: u64, warp: u32) {
        let of = self.warp(block, warp);
        of.synced = of.instruction;
    }

    /// An asynchronous access of `size` bytes is over, that a thread (block, warp, lane) began.
    pub(crate) fn complete(
        &mut self,
        (block, warp, lane): (u64, u32, u32),
        shared: Option<u64>,
        address: u64,
        size: u64,
    ) {
        let now = self.mark(&Access {
            block,
            warp,
            lane,
            op: 0,
            kind: Kind::Read,
            strong: false,
            releases: false,
            acquires: false,
            narrow: false,
            shared,
            pending: false,
        });
        for word in address / 4..(address + size).div_ceil(4) {
            self.cells.change(shared, word, |mark| {
                if mark.pending() && mark.same_thread(&now) {
                    mark.complete(&now);
                }
            });
        }
    }

    /// A warp arrives at an mbarrier.
    pub(crate) fn arrive(&mut self, block: u64, warp: u32, key: (u64, u32)) {
        let now = self.snapshot(block, warp, true);
        self.objects.entry(key).or_default().join(&now, true);
    }

    /// A warp finds that an mbarrier's phase has ended.
    pub(crate) fn pass(&mut self, block: u64, warp: u32, key: (u64, u32)) {
        let Some(left) = self.objects.get(&key).cloned() else {
            return;
        };
        self.take_up(block, warp, &left, true);
        self.warp_barrier(block, warp);
    }

    /// A barrier of a cluster completes: these blocks, each with its number of warps, arrived.
    pub(crate) fn cluster(&mut self, blocks: &[(u64, u32)]) {
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

    /// A barrier of the block completes: these warps arrived.
    pub(crate) fn barrier(&mut self, block: u64, warps: &[u32]) {
        let mut joined = Vec::new();
        for &warp in warps {
            let of = self.warp(block, warp);
            for (other, &time) in of.knows.iter().enumerate() {
                raise(&mut joined, other, time);
            }
            raise(&mut joined, warp as usize, of.time);
        }
        for &warp in warps {
            let of = self.warp(block, warp);
            of.knows.clone_from(&joined);
            of.time += 1;
            of.synced = of.instruction;
        }
    }
}

/// Takes up a time of another block.
fn learn(times: &mut Times, block: u32, time: u32) {
    let at = times.entry(block).or_default();
    *at = time.max(*at);
}

/// Takes up a time of another warp.
fn raise(times: &mut Vec<u32>, warp: usize, time: u32) {
    if times.len() <= warp {
        times.resize(warp + 1, 0);
    }
    times[warp] = time.max(times[warp]);
}

/// Whether nothing orders `before` before `now`, an access of the block `here`.
#[inline]
fn unordered(here: &Block, before: &Mark, now: &Mark) -> bool {
    let narrow = before.narrow() || now.narrow();
    if before.strong() && now.strong() && (before.block == now.block || !narrow) {
        return false;
    }
    if before.pending() {
        return true;
    }
    if before.block != now.block {
        let known = here.knows.get(&before.block).copied().unwrap_or(0);
        // What was done at a block's time is before the release that moves that time on.
        return before.block_time >= known;
    }
    if before.warp() != now.warp() {
        let knows = &here.warps[now.warp() as usize].knows;
        let known = knows.get(before.warp() as usize).copied().unwrap_or(0);
        return before.warp_time > known;
    }
    if before.same_thread(now) {
        return false;
    }
    if before.instruction == now.instruction && before.kind() == now.kind() {
        return false; // one instruction: which lane's store stays is open, but one does
    }
    let synced = here.warps[now.warp() as usize].synced;
    // Counts of instructions may start again at zero.
    before.instruction.wrapping_sub(synced) as i32 > 0
}
