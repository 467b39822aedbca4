//! The part of the machine that operations see: the running lanes, their frame, and the
//! memory within reach.
//!
//! A [`Core`] runs one team of blocks (one block, or the blocks of a cluster) on one host thread.
//! It runs a group of lanes that share a program counter until they end, wait, fault or join other
//! lanes. Then `schedule` chooses the group that runs next.

use super::event::Event;
use super::explore::Explore;
use super::lane::{CHUNK, LANES, Lane};
use super::launch::progress::Probe;
use super::launch::run::Run;
use super::launch::team::{Block, Team};
use super::memory::address::AddressPattern;
use super::memory::flag;
use super::op::{Op, STOP};
use super::warp::Warp;
use crate::counters::Counters;
use crate::machine::checks::init::ShadowSite;
use crate::machine::checks::race::Races;
use crate::machine::checks::race::proxy::Proxies;
use crate::machine::checks::record::Steps;
use crate::memory::Range;

/// The number of entries in the cache of allocations. An operation's position in the code selects
/// its entry, so several operations share one.
const SITES: usize = 64;

/// One host thread's execution state.
pub(crate) struct Core<'l> {
    /// The running lanes' frame.
    pub(super) frame: *mut u8,
    /// The running lanes.
    pub(super) active: u32,
    /// Whether some lanes of the warp are at another place, so that jumps must look for them.
    pub(super) diverged: bool,
    /// The first place at which the running lanes join other lanes. The loop stops there.
    pub(super) limit: *const Op,
    /// The first operation at which other lanes of the warp are. While the running lanes are before
    /// it, they run before the others, whatever these wait for. Null where that is not known.
    pub(super) ahead: *const Op,
    /// When the turn of the running warp ends.
    pub(super) turn: Turn,
    /// The memory within reach.
    pub(super) memory: MemoryView,
    /// What was counted.
    pub(super) tally: Tally,
    /// The state of the checks.
    pub(super) checks: CheckState,
    /// The state of schedule exploration, if the launch explores schedules.
    pub(super) explore: Option<Box<Explore>>,
    /// Why the loop ended.
    pub(super) event: Event,
    /// The offset of `frame` in the warp's registers, and its call depth.
    pub(super) at: FramePlace,
    /// The blocks that run together.
    pub(super) team: Team,
    /// The running block's index in the team, and the running warp's in the block.
    pub(super) current: (usize, usize),
    /// What all cores of a launch share.
    pub(super) run: &'l Run<'l>,
}

/// How long a warp runs before another one has its turn.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// The jumps that the warp may still make before its turn ends.
    pub(super) fuel: i64,
    /// Atomics and volatile reads since the scheduler last made a spinning group stand back.
    pub(super) spins: u32,
    /// Decisions until the scheduler makes a group stand back because it has not met another.
    pub(super) patience: u32,
    /// The lanes that the scheduler prefers, and for how many decisions.
    pub(super) favour: (u32, u32),
    /// The number of effects that memory does not show: prints, allocations, stores of
    /// bytes in bulk.
    pub(super) effects: u64,
}

/// The memory that the running warp reaches, and what is known of its latest accesses.
pub(super) struct MemoryView {
    /// Shared memory of the running block.
    pub(super) shared: View,
    /// Local memory of the running warp, 32 lanes interleaved by words; `size` is that of one lane.
    pub(super) local: View,
    /// The allocation that each site accessed last.
    pub(super) ranges: [Range; SITES],
    /// The address patterns that operations store for later operations with the same addresses.
    pub(super) kept: [AddressPattern; flag::SLOTS],
    /// Each lane's host address, after an access whose addresses are neither contiguous
    /// nor all equal.
    pub(super) hosts: [*mut u8; LANES],
}

impl MemoryView {
    /// Returns the view before anything has run.
    fn new() -> Self {
        Self {
            shared: View::EMPTY,
            local: View::EMPTY,
            ranges: [Range::NONE; SITES],
            kept: [AddressPattern::default(); flag::SLOTS],
            hosts: [std::ptr::null_mut(); LANES],
        }
    }
}

/// What a core has counted.
#[derive(Default)]
pub(super) struct Tally {
    /// Bytes that lanes read from global memory.
    pub(super) read: u64,
    /// Bytes that lanes wrote to global memory.
    pub(super) written: u64,
    /// How many instructions of warps were executed.
    pub(super) instructions: u64,
    /// How many of the instructions are already taken from the budget.
    pub(super) spent: u64,
    /// How many times a clock was read.
    pub(super) ticks: u64,
    /// The launch's counters, if it requested them.
    pub(super) counters: Counters,
    /// The running lanes when operations were counted last, and their number.
    pub(super) counted: (u32, u64),
}

/// The state of the checks that a launch requested.
pub(super) struct CheckState {
    /// The lanes that checks look at one by one, and whether their addresses are known
    /// to be scattered.
    pub(super) looked_at: (u32, bool),
    /// The state of the race check, if the launch requested it.
    pub(super) races: Races,
    /// For the race check: shared memory that was written and is not fenced yet.
    pub(super) proxies: Proxies,
    /// Whether a register of the running warp holds uninitialised data.
    pub(super) tainted: bool,
    /// The allocations with unwritten bytes that were accessed last.
    pub(super) shadows: [ShadowSite; SITES],
    /// What was executed, if the launch is recorded.
    pub(super) steps: Steps,
    /// Observes operations for progress, if the team is probed.
    pub(super) probe: Option<Box<Probe>>,
}

impl CheckState {
    /// Returns the state at the start of a launch.
    fn new(run: &Run<'_>) -> Self {
        let warps = (run.cluster == [1; 3]).then(|| run.threads.div_ceil(32));
        Self {
            looked_at: (0, false),
            races: match run.launch.checks.race {
                true => Races::begins(warps),
                false => Races::default(),
            },
            proxies: Proxies::default(),
            tainted: false,
            shadows: [ShadowSite::default(); SITES],
            steps: Steps::default(),
            probe: None,
        }
    }
}

/// A frame's place in a warp's register file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct FramePlace {
    /// The frame's offset, in bytes.
    pub(super) frame: u32,
    /// The number of open calls above it.
    pub(super) depth: u32,
}

/// A piece of memory as a core sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    /// Where it is on the host.
    pub(super) host: *mut u8,
    /// The address of its first byte in its own space.
    pub(super) start: u64,
    /// How many bytes it has.
    pub(super) size: u64,
}

impl View {
    /// The value before anything has run.
    pub(super) const EMPTY: Self = Self {
        host: std::ptr::null_mut(),
        start: 0,
        size: 0,
    };
}

impl<'l> Core<'l> {
    /// Returns a core for a launch, with no team yet.
    pub(super) fn new(run: &'l Run<'l>) -> Self {
        Self {
            frame: std::ptr::null_mut(),
            active: 0,
            diverged: false,
            limit: STOP,
            ahead: std::ptr::null(),
            turn: Turn::default(),
            memory: MemoryView::new(),
            tally: Tally::default(),
            checks: CheckState::new(run),
            explore: None,
            event: Event::None,
            at: FramePlace::default(),
            team: Team::default(),
            current: (0, 0),
            run,
        }
    }

    /// Returns the running lanes whose guard is true.
    ///
    /// # Safety
    /// `op` must belong to the running frame.
    #[inline(always)]
    pub(super) unsafe fn mask(&self, op: &Op) -> u32 {
        // SAFETY: the guard is a predicate of the frame.
        self.active & unsafe { self.predicate(op.guard) }
    }

    /// Returns the predicate at `offset`, negated if its lowest bit is set.
    ///
    /// # Safety
    /// `offset` must name a predicate of the running frame.
    #[inline(always)]
    pub(super) unsafe fn predicate(&self, offset: u32) -> u32 {
        // SAFETY: predicates are words of the frame, four bytes apart, so the lowest bit is free
        // for the negation.
        let bits = unsafe { *self.frame.add((offset & !1) as usize).cast::<u32>() };
        bits ^ 0u32.wrapping_sub(offset & 1)
    }

    /// Sets the predicate at `offset` to `bits`, in the lanes of `mask`.
    ///
    /// # Safety
    /// `offset` must name a predicate of the running frame.
    #[inline(always)]
    pub(super) unsafe fn set_predicate(&mut self, offset: u32, bits: u32, mask: u32) {
        // SAFETY: as above.
        let at = unsafe { &mut *self.frame.add(offset as usize).cast::<u32>() };
        *at = (*at & !mask) | (bits & mask);
    }

    /// Returns the row at `offset`, in chunks.
    ///
    /// # Safety
    /// `offset` must name a row of type `T` of the running frame.
    #[inline(always)]
    pub(super) unsafe fn row<T: Lane>(&self, offset: u32) -> *mut [T::Repr; CHUNK] {
        // SAFETY: the offset is inside the frame.
        unsafe { self.frame.add(offset as usize).cast() }
    }

    /// Returns the whole row at `offset`.
    ///
    /// # Safety
    /// As for [`Core::row`], and no other reference to the row may be live.
    #[inline(always)]
    pub(super) unsafe fn lanes<T: Lane>(&mut self, offset: u32) -> &mut [T::Repr; LANES] {
        // SAFETY: rows hold `LANES` values and are aligned to 64 bytes.
        unsafe { &mut *self.frame.add(offset as usize).cast() }
    }

    /// Returns the running block.
    #[inline]
    pub(super) fn block(&mut self) -> &mut Block {
        &mut self.team.blocks[self.current.0]
    }

    /// Returns the running warp.
    #[inline]
    pub(super) fn warp(&mut self) -> &mut Warp {
        &mut self.team.blocks[self.current.0].warps[self.current.1]
    }

    /// Returns an operation's entry in the cache of allocations.
    #[inline(always)]
    pub(super) fn site(op: *const Op) -> usize {
        (op as usize / size_of::<Op>()) % SITES
    }
}
