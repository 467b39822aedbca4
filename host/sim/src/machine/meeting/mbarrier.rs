//! `mbarrier`: barriers that are objects in shared memory. Threads arrive at them, and so do bytes
//! of asynchronous copies.
//!
//! PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier".
//! `semantics::mbarrier` defines what an object is and when a phase ends. Lanes go one after
//! another, lowest first. `.sem` and `.scope` matter to the race check only: the blocks of a
//! cluster run on one host thread, in the program's order.
//!
//! Open in the ISA: how long `try_wait` suspends a thread. Here it suspends until the phase ends,
//! or until nothing else in the cluster can run, or until other threads have spun for a long time.
//! In the last two cases it returns false. The time that the program suggests is ignored.
//! `test_wait` never waits at first. After a warp has got false from it many times in a row, it
//! does as `try_wait` does, so that threads that spin without end are found. Reported: memory that
//! is not an object (zeros are not one), an object that is initialised again, counts out of range,
//! more arrivals than are pending, and waits for another block's object. The arrivals of one
//! instruction count together, as on an H200 (measured: launches that end with an error). The team
//! reports a wait without end.

use crate::machine::checks::race::AccessKind;
use crate::machine::core::Core;
use crate::machine::event::{Event, FaultKind, Wait};
use crate::machine::lane::{LANES, lanes};
use crate::machine::memory::access::LaneAccess;
use crate::machine::memory::flag;
use crate::machine::memory::state_space::NamedSpace;
use crate::machine::op::{Op, STOP};
use crate::memory::window;
use crate::semantics::mbarrier::{Mbarrier, MbarrierError};

/// Bits in `aux` of these operations, besides `flag::NARROW`.
pub(crate) mod how {
    /// The address is generic.
    pub(crate) const GENERIC: u32 = 1 << 2;
    /// `arrive`: later phases expect fewer arrivals, by those that arrive here.
    pub(crate) const DROP: u32 = 1 << 3;
    /// `arrive`: row `b` holds the bytes to expect, and one thread arrives. Without it, row `b`
    /// holds the count.
    pub(crate) const EXPECT: u32 = 1 << 4;
    /// `arrive`: the arrival must not end the phase.
    pub(crate) const NO_COMPLETE: u32 = 1 << 5;
    /// The wait may suspend the thread.
    pub(crate) const TRY: u32 = 1 << 6;
    /// The wait is for a parity.
    pub(crate) const PARITY: u32 = 1 << 7;
    /// The operation orders no other accesses.
    pub(crate) const RELAXED: u32 = 1 << 8;
    /// The bytes have arrived; without it, they are expected.
    pub(crate) const COMPLETE: u32 = 1 << 9;
}

/// Stands in place of a row: there is no result.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// The place of an mbarrier object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::machine) struct MbarrierPlace {
    /// The rank of its block in the cluster.
    pub(in crate::machine) rank: usize,
    /// Its shared address there.
    pub(in crate::machine) at: u32,
}

/// The size of an object in bytes.
const SIZE: u64 = 8;
/// The number of waits in a row that may find the phase not ended before a warp is suspended.
const PATIENCE: u32 = 64;

impl Core<'_> {
    /// Finds the object at an address, and its host memory.
    pub(in crate::machine) fn mbarrier(
        &mut self,
        op: *const Op,
        lane: usize,
        space: NamedSpace,
        address: u64,
    ) -> Option<(MbarrierPlace, *mut u64)> {
        let one = LaneAccess {
            lane,
            act: AccessKind::Atomic,
            space,
            address,
            bytes: SIZE,
            align: SIZE,
        };
        let host = self.locate(op, one)?;
        let (_, at) = space.spot(address);
        let rank = (at / window::SHARED_PER_BLOCK).checked_sub(1);
        let home = MbarrierPlace {
            rank: rank.map_or(self.current.0, |rank| rank as usize),
            at: (at % window::SHARED_PER_BLOCK) as u32,
        };
        self.check_ended(op, lane, home.rank, || "use of an mbarrier".into());
        Some((home, host.cast()))
    }

    /// Returns the host memory of an object that was found before.
    fn mbarrier_at(&mut self, home: MbarrierPlace) -> *mut u64 {
        let start = self.run.shared_start;
        let host = self.team.blocks[home.rank].shared.start();
        host.wrapping_add((home.at - start) as usize).cast()
    }

    /// Changes an object. If its phase ends, the lanes that wait for it go on. Returns the object's
    /// bits before the change.
    ///
    /// # Errors
    /// Changes that the ISA does not define.
    pub(in crate::machine) fn change(
        &mut self,
        home: MbarrierPlace,
        f: impl FnOnce(&mut Mbarrier) -> Result<bool, MbarrierError>,
    ) -> Result<u64, MbarrierError> {
        let at = self.mbarrier_at(home);
        // SAFETY: the code that made `home` found eight aligned bytes of the block's shared memory
        // there. That memory does not move while the team runs on this thread.
        let before = unsafe { at.read() };
        let mut object = Mbarrier::of(before)?;
        let ended = f(&mut object)?;
        // SAFETY: as above.
        unsafe { at.write(object.bits()) };
        if ended {
            self.team.expiries = 0;
            self.wake(home);
        }
        Ok(before)
    }

    /// Makes the lanes that wait for an object test it again.
    pub(in crate::machine) fn wake(&mut self, home: MbarrierPlace) {
        for warp in &mut self.team.blocks[home.rank].warps {
            for group in &mut warp.groups {
                if group.wait == Wait::Phase(home.at) {
                    group.wait = Wait::Ready;
                }
            }
        }
    }

    /// Raises a fault for an operation that the ISA does not define.
    pub(in crate::machine) fn undefined(
        &mut self,
        op: *const Op,
        lane: usize,
        error: MbarrierError,
    ) -> *const Op {
        let help = match error {
            MbarrierError::Invalid => {
                "let one thread run `mbarrier.init`, and put a barrier between that and the first use by other threads"
            }
            MbarrierError::TooMany { .. } | MbarrierError::Completes => {
                "give `mbarrier.init` the number of arrivals of one phase"
            }
            MbarrierError::Count(_) => "check the count that the instruction is given",
            MbarrierError::Live => {
                "initialise an mbarrier once; run `mbarrier.inval` before its memory is used for another"
            }
            MbarrierError::Bytes(_) => "wait for a phase before more copies are started",
        };
        let message = error.to_string();
        self.fault(op, lane, FaultKind::Illegal { message, help })
    }

    /// Ends every suspended wait with the result false. Returns false if no wait is suspended.
    pub(in crate::machine) fn expire(&mut self) -> bool {
        let mut any = false;
        for warp in self.team.blocks.iter_mut().flat_map(|b| &mut b.warps) {
            for group in &mut warp.groups {
                if matches!(group.wait, Wait::Phase(_)) {
                    group.wait = Wait::Ready;
                    warp.expired |= group.mask;
                    any = true;
                }
            }
        }
        any
    }

    /// Returns the present state of an object, if the memory still holds one.
    pub(in crate::machine) fn mbarrier_now(
        &mut self,
        home: MbarrierPlace,
    ) -> Result<Mbarrier, MbarrierError> {
        // SAFETY: as in `change`.
        Mbarrier::of(unsafe { self.mbarrier_at(home).read() })
    }

    /// Describes what an object waits for, for reports.
    pub(in crate::machine) fn describe_mbarrier(&mut self, home: MbarrierPlace) -> String {
        match self.mbarrier_now(home) {
            Ok(object) => {
                let s = if object.pending == 1 { "" } else { "s" };
                format!(
                    "{} arrival{s} and {} bytes are missing in the phase of parity {}",
                    object.pending,
                    object.bytes,
                    u32::from(object.phase)
                )
            }
            Err(error) => error.to_string(),
        }
    }

    /// Returns the space of an operation's address.
    fn space(o: &Op) -> NamedSpace {
        if o.aux & how::GENERIC == 0 {
            NamedSpace::Shared
        } else {
            NamedSpace::GenericShared
        }
    }

    /// Returns the race check's key of an object, which is unique in the launch.
    pub(in crate::machine) fn key(&self, home: MbarrierPlace) -> (u64, u32) {
        (self.team.blocks[home.rank].linear, home.at)
    }

    /// Tells the race check that a warp has arrived.
    pub(in crate::machine) fn arrived(&mut self, (rank, warp): (usize, u32), home: MbarrierPlace) {
        if self.run.launch.checks.race {
            let (block, key) = (self.team.blocks[rank].linear, self.key(home));
            self.checks.races.arrive(block, warp, key);
        }
        if self.explore.is_some() {
            let key = self.key(home);
            let at = (rank, warp as usize);
            let mask = match at == self.current {
                true => self.active,
                false => self.team.blocks[at.0].warps[at.1].exist,
            };
            self.arrive_explored(at, mask, key);
        }
    }
}

/// Returns how often the lanes of an instruction arrive at the object of this lane, if it is the
/// first one there.
pub(in crate::machine) fn all_of_lanes(
    lane: usize,
    mask: u32,
    addresses: &[u64; LANES],
    count: impl Fn(usize) -> u32,
) -> Option<u32> {
    let is_here = |other: &usize| addresses[*other] == addresses[lane];
    let first = lanes(mask).find(is_here)?;
    let all = || lanes(mask).filter(is_here).map(count);
    (first == lane).then(|| all().fold(0, u32::saturating_add))
}

/// `mbarrier.init`: row `b` holds the count.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn init(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: the decoder gave this operation an address row and a `u32` row.
    let (o, mask, addresses, counts) = unsafe {
        let o = &*op;
        (o, core.mask(o), core.addresses(op), *core.lanes::<u32>(o.b))
    };
    for lane in lanes(mask) {
        let Some((home, host)) = core.mbarrier(op, lane, Core::space(o), addresses[lane]) else {
            return STOP;
        };
        // SAFETY: `mbarrier` gave eight aligned bytes.
        let before = unsafe { host.read() };
        let objects = &mut core.team.blocks[home.rank].objects;
        match objects.iter_mut().find(|(at, _)| *at == home.at) {
            Some(&mut (_, count)) if Mbarrier::is_live(before, count) => {
                return core.undefined(op, lane, MbarrierError::Live);
            }
            Some((_, count)) => *count = counts[lane],
            None => objects.push((home.at, counts[lane])),
        }
        match Mbarrier::new(counts[lane]) {
            // SAFETY: as above.
            Ok(object) => unsafe { host.write(object.bits()) },
            Err(error) => return core.undefined(op, lane, error),
        }
        core.wake(home);
    }
    op.wrapping_add(1)
}

/// `mbarrier.inval`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn invalidate(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: the decoder gave this operation an address row.
    let (o, mask, addresses) = unsafe { (&*op, core.mask(&*op), core.addresses(op)) };
    for lane in lanes(mask) {
        let Some((home, host)) = core.mbarrier(op, lane, Core::space(o), addresses[lane]) else {
            return STOP;
        };
        // SAFETY: as above.
        if let Err(error) = Mbarrier::of(unsafe { host.read() }) {
            return core.undefined(op, lane, error);
        }
        if let Err((by, error)) = core.complete_for(home) {
            return core.undefined(by, 32, error);
        }
        // SAFETY: as above.
        unsafe { host.write(0) };
        core.wake(home);
    }
    op.wrapping_add(1)
}

/// `mbarrier.arrive`, `.arrive_drop`, `.expect_tx`: row `d` (or none) gets the
/// object's state before.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn arrive(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: as for `init`.
    let (o, mask, addresses, counts) = unsafe {
        let o = &*op;
        (o, core.mask(o), core.addresses(op), *core.lanes::<u32>(o.b))
    };
    let has = |flag: u32| o.aux & flag != 0;
    let count_of = |lane: usize| if has(how::EXPECT) { 1 } else { counts[lane] };
    for lane in lanes(mask) {
        let Some((home, _)) = core.mbarrier(op, lane, Core::space(o), addresses[lane]) else {
            return STOP;
        };
        if let Some(count) = all_of_lanes(lane, mask, &addresses, count_of)
            && let Ok(Mbarrier { pending, .. }) = core.mbarrier_now(home)
            && count > pending
        {
            return core.undefined(op, lane, MbarrierError::TooMany { count, pending });
        }
        let bytes = if has(how::EXPECT) { counts[lane] } else { 0 };
        let count = count_of(lane);
        if !has(how::RELAXED) {
            core.arrived((core.current.0, core.current.1 as u32), home);
        }
        let result = core.change(home, |object| {
            if has(how::EXPECT) {
                // This operation has not arrived yet, so the phase cannot end: an
                // arrival is missing.
                object.expect_tx(bytes)?;
            }
            let ended = match has(how::DROP) {
                true => object.arrive_drop(count)?,
                false => object.arrive(count)?,
            };
            if ended && has(how::NO_COMPLETE) {
                return Err(MbarrierError::Completes);
            }
            Ok(ended)
        });
        match result {
            // SAFETY: the decoder gave this operation a `u64` row or none.
            Ok(before) if o.d != NOWHERE => unsafe { core.lanes::<u64>(o.d)[lane] = before },
            Ok(_) => {}
            Err(error) => return core.undefined(op, lane, error),
        }
    }
    op.wrapping_add(1)
}

/// `mbarrier.expect_tx`, `.complete_tx`: row `b` holds the number of bytes.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn transaction(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: as for `init`.
    let (o, mask, addresses, bytes) = unsafe {
        let o = &*op;
        (o, core.mask(o), core.addresses(op), *core.lanes::<u32>(o.b))
    };
    for lane in lanes(mask) {
        let Some((home, _)) = core.mbarrier(op, lane, Core::space(o), addresses[lane]) else {
            return STOP;
        };
        let result = core.change(home, |object| match o.aux & how::COMPLETE {
            0 => object.expect_tx(bytes[lane]),
            _ => object.complete_tx(bytes[lane]),
        });
        if let Err(error) = result {
            return core.undefined(op, lane, error);
        }
    }
    op.wrapping_add(1)
}

/// `mbarrier.test_wait`, `.try_wait`: predicate `d` is set to whether the phase that row `b` names
/// has ended. Row `b` holds an object's state that an arrival returned, or a parity.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn wait(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` belongs to the running frame; another operation follows it.
    let (o, mask, next) = unsafe { (&*op, core.mask(&*op), op.wrapping_add(1)) };
    if mask == 0 {
        return next;
    }
    let has = |flag: u32| o.aux & flag != 0;
    // SAFETY: row `a` holds addresses, row `b` parities or states.
    let (addresses, states) = unsafe {
        let states = match has(how::PARITY) {
            true => core.lanes::<u32>(o.b).map(u64::from),
            false => *core.lanes::<u64>(o.b),
        };
        (core.addresses(op), states)
    };
    let expired = std::mem::take(&mut core.warp().expired);
    core.warp().expired = expired & !mask;
    let (mut ended, mut waiting) = (0, [0u32; 32]);
    for lane in lanes(mask) {
        let Some((home, _)) = core.mbarrier(op, lane, Core::space(o), addresses[lane]) else {
            return STOP;
        };
        if home.rank != core.current.0 {
            let message = "a wait for an mbarrier of another block".into();
            let help = "wait for objects in the block's own shared memory; other blocks may arrive at them, but not wait";
            return core.fault(op, lane, FaultKind::Illegal { message, help });
        }
        if let Err((by, error)) = core.complete_for(home) {
            return core.undefined(by, 32, error);
        }
        let object = match core.change(home, |_| Ok(false)).and_then(Mbarrier::of) {
            Ok(object) => object,
            Err(error) => return core.undefined(op, lane, error),
        };
        let done = match has(how::PARITY) {
            true => object.ended_parity(states[lane] as u32),
            false => object.ended(states[lane]),
        };
        if done {
            ended |= 1 << lane;
            if core.run.launch.checks.race && !has(how::RELAXED) {
                let (block, key) = (core.block().linear, core.key(home));
                core.checks.races.pass(block, core.current.1 as u32, key);
            }
            if core.explore.is_some() && !has(how::RELAXED) {
                let key = core.key(home);
                core.pass_explored(1 << lane, key);
            }
        } else {
            waiting[lane] = home.at + 1;
        }
    }
    core.turn.spins += 1;
    let tests = &mut core.warp().tests;
    *tests = if ended == 0 { *tests + 1 } else { 0 };
    let suspends = has(how::TRY) || *tests > PATIENCE;
    let stay = if suspends {
        mask & !ended & !expired
    } else {
        0
    };
    // SAFETY: `d` is a predicate of the frame.
    unsafe { core.set_predicate(o.d, ended, mask & !stay) };
    if stay == 0 {
        return next;
    }
    let (all, mut left) = (core.active, stay);
    while left != 0 {
        let at = waiting[left.trailing_zeros() as usize];
        let same = lanes(left).filter(|&lane| waiting[lane] == at);
        core.active = same.fold(0, |set, lane| set | 1 << lane);
        left &= !core.active;
        core.park(op, Wait::Phase(at - 1));
    }
    core.active = all & !stay;
    if core.active == 0 {
        return core.stop(Event::Ended);
    }
    core.stop(Event::Jump(next))
}

const _: () = assert!(how::GENERIC > flag::NARROW | flag::SPINS);
