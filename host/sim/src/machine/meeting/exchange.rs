//! Lanes of a warp exchange values: `shfl`, `vote`, `match`, `redux`,
//! `activemask`, `elect`, `bar.warp.sync`.
//!
//! PTX ISA, "Data Movement and Conversion: shfl.sync" and "Parallel Synchronization and
//! Communication Instructions". The `.sync` forms wait until all lanes of the member mask that
//! have not ended are at such an instruction, whatever path they took (see `together`). Lanes may
//! name different masks, as the tiles of a warp do. Each set that is complete goes on. `shfl` and
//! `vote` without `.sync`, which modules for GPUs before sm_70 may use, do not wait. Their members
//! are the lanes that run them. Those GPUs ran a warp's lanes together from the point of
//! reconvergence, and here the lanes ahead wait at that point too (see `schedule`). Reported: a
//! lane that is absent from its own mask, and a shuffle that reads an inactive lane. Open in the
//! ISA: the value that is read from an inactive lane. Here it is [`POISON`], and a finding, so
//! that no kernel comes to depend on it. Also open: which lanes `activemask` returns. Here they
//! are the lanes that run with the caller.

use std::hint::select_unpredictable as select;

use super::together::Rendezvous;
use crate::checks::FindingKind;
use crate::machine::compute::alu::conjure;
use crate::machine::core::Core;
use crate::machine::event::{Event, FaultKind, Wait};
use crate::machine::lane::{CHUNK, FULL, LANES, Lane, Repr, lanes};
use crate::machine::level::{Level, levels};
use crate::machine::op::{Handler, Op, STOP};
use crate::semantics::warp::redux_f32;

/// The value that a shuffle reads from an inactive lane: a NaN, and a large number.
pub(crate) const POISON: u32 = 0x7fff_dead;

/// Stands in place of the row of member masks: the members are the lanes that run. No row starts
/// at this offset.
pub(crate) const WHO_RUNS: u32 = 0;

/// The modes of `shfl`, in the low bits of `aux`. The bits above hold the index of a list of the
/// member mask's row and the predicate.
pub(crate) mod mode {
    /// The lane `b` positions below.
    pub(crate) const UP: u32 = 0;
    /// The lane `b` positions above.
    pub(crate) const DOWN: u32 = 1;
    /// The lane whose number differs in the bits that are set in `b`.
    pub(crate) const BFLY: u32 = 2;
    /// The lane with the number `b`.
    pub(crate) const IDX: u32 = 3;
}

/// Returns the lane that `lane` reads and the predicate result. Outside its segment a
/// lane reads itself.
#[inline(always)]
fn source<const MODE: u32>(lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let bound = (lane & segment) | (clamp & !segment);
    let low = lane & segment;
    let (from, inside) = match MODE {
        mode::UP => (lane.wrapping_sub(b), lane as i32 - b as i32 >= bound as i32),
        mode::DOWN => (lane + b, lane + b <= bound),
        mode::BFLY => (lane ^ b, lane ^ b <= bound),
        _ => (low | (b & !segment), low | (b & !segment) <= bound),
    };
    (select(inside, from & 31, lane), inside)
}

/// Computes [`source`] for every lane: the lanes that they read, and which are
/// inside their segment.
#[inline(always)]
fn sources<L: Level, const MODE: u32>(b: &[u32; LANES], c: &[u32; LANES]) -> ([u32; LANES], u32) {
    let (mut from, mut inside) = ([0; LANES], 0);
    for k in (0..LANES).step_by(CHUNK) {
        let mut within = [0; CHUNK];
        for i in 0..CHUNK {
            let (lane, is) = source::<MODE>((k + i) as u32, b[k + i], c[k + i]);
            from[k + i] = lane;
            within[i] = 0u32.wrapping_sub(u32::from(is));
        }
        inside |= L::top_bits(within) << k;
    }
    (from, inside)
}

impl Core<'_> {
    /// Waits for the other members. `Ok` contains the lanes that go on with the instruction now;
    /// other lanes are parked.
    ///
    /// # Safety
    /// `members` must be a `u32` row of the running frame.
    #[inline(always)]
    pub(in crate::machine) unsafe fn meet(
        &mut self,
        op: *const Op,
        mask: u32,
        members: u32,
    ) -> Result<u32, *const Op> {
        // SAFETY: passed on.
        let members = unsafe { self.lanes::<u32>(members) };
        let mut other = 0;
        for m in members.iter() {
            other |= m ^ FULL;
        }
        if mask == FULL && other == 0 {
            return Ok(FULL);
        }
        let members = *members;
        self.meet_some(op, mask, &members)
    }

    #[inline(never)]
    fn meet_some(
        &mut self,
        op: *const Op,
        mask: u32,
        members: &[u32; LANES],
    ) -> Result<u32, *const Op> {
        if let Some(lane) = lanes(mask).find(|&lane| members[lane] >> lane & 1 == 0) {
            let message = format!(
                "lane {lane} is not in its own member mask {:#010x}",
                members[lane]
            );
            let help = "a thread must pass a mask that names its own lane";
            return Err(self.fault(op, lane, FaultKind::Illegal { message, help }));
        }
        if self.run.launch.checks.sync {
            let differs = |lane: usize| {
                let named = members[lane] & mask;
                lanes(named).any(|other| members[other] != members[lane])
            };
            if let Some(lane) = lanes(mask).find(|&lane| differs(lane)) {
                self.note(FindingKind::DifferentMasks, op, lane);
            }
        }
        let (live, exist) = (self.warp().live, self.warp().exist);
        if self.run.launch.checks.sync
            && let Some(lane) = lanes(mask).find(|&lane| members[lane] & exist & !live != 0)
        {
            let ended = (members[lane] & exist & !live).count_ones();
            let by = (self.current.0, self.current.1 as u32, lane);
            let note = format!(
                "the mask is {:#010x}; {ended} of its lanes have ended",
                members[lane]
            );
            self.note_by(FindingKind::EndedLanes, op, by, || {
                let what = "note: the mask of an operation names lanes that have ended";
                Some((what.into(), vec![note]))
            });
        }
        let (mut complete, mut through, mut left, all) = (0, 0, mask, self.active);
        while left != 0 {
            let m = members[left.trailing_zeros() as usize];
            let same = lanes(left)
                .filter(|&lane| members[lane] == m)
                .fold(0, |set, lane| set | 1 << lane);
            left &= !same;
            if m & live == same {
                complete |= same;
                continue;
            }
            match self.meet_elsewhere(op, (same, m & live), Wait::Lanes(m)) {
                Rendezvous::Ran => through |= same,
                Rendezvous::Faulted => return Err(STOP),
                Rendezvous::NotYet => {
                    self.active = same;
                    self.park(op, Wait::Lanes(m));
                    self.diverged = true;
                }
            }
        }
        self.active = all & !mask | complete | through;
        if complete != 0 {
            return Ok(complete);
        }
        if self.active != 0 {
            // Lanes whose guard is false go on, and so do lanes for which the instruction has run.
            return Err(self.stop(Event::Jump(op.wrapping_add(1))));
        }
        Err(self.stop(Event::Ended))
    }
}

/// Evaluates the guard and waits for the members, or returns the operation to go on with.
macro_rules! members {
    ($core:ident, $op:ident, $members:expr) => {{
        // SAFETY: `op` belongs to the running frame, and the decoder gave it this row
        // of member masks.
        let mask = unsafe { $core.mask(&*$op) };
        if mask == 0 {
            return $op.wrapping_add(1);
        }
        // SAFETY: as above.
        match unsafe { $core.meet($op, mask, $members) } {
            Ok(mask) => mask,
            Err(next) => return next,
        }
    }};
}

pub(in crate::machine) use members;

/// Does the same for an instruction that may have no `.sync`.
macro_rules! runners_or_members {
    ($core:ident, $op:ident, $members:expr) => {
        if $members == WHO_RUNS {
            // SAFETY: `op` belongs to the running frame.
            let mask = unsafe { $core.mask(&*$op) };
            if mask == 0 {
                return $op.wrapping_add(1);
            }
            mask
        } else {
            members!($core, $op, $members)
        }
    };
}

/// Returns the rows of member masks, or full masks.
///
/// # Safety
/// `members` must be [`WHO_RUNS`] or a `u32` row of the running frame.
unsafe fn member_rows(core: &mut Core<'_>, members: u32) -> [u32; LANES] {
    match members {
        WHO_RUNS => [FULL; LANES],
        // SAFETY: passed on.
        members => unsafe { *core.lanes::<u32>(members) },
    }
}

/// # Safety
/// As for every handler.
#[inline(always)]
unsafe fn shuffle_body<L: Level>(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the program.
    let o = unsafe { &*op };
    let (mode, list) = (o.aux & 3, (o.aux >> 2) as usize);
    let lists = &core.run.program.lists;
    let (members, predicate) = (lists[list], lists[list + 1]);
    let mask = runners_or_members!(core, op, members);
    // SAFETY: the decoder gave this operation `u32` rows.
    let (a, b, c) = unsafe {
        (
            *core.lanes::<u32>(o.a),
            *core.lanes::<u32>(o.b),
            *core.lanes::<u32>(o.c),
        )
    };
    let (from, inside) = match mode {
        mode::UP => sources::<L, { mode::UP }>(&b, &c),
        mode::DOWN => sources::<L, { mode::DOWN }>(&b, &c),
        mode::BFLY => sources::<L, { mode::BFLY }>(&b, &c),
        _ => sources::<L, { mode::IDX }>(&b, &c),
    };
    let mut values = [0; LANES];
    for (value, from) in values.iter_mut().zip(from) {
        *value = a[from as usize % LANES];
    }
    if mask != FULL {
        let absent = lanes(mask).filter(|&lane| mask >> from[lane] & 1 == 0);
        let absent = absent.fold(0, |set, lane| set | 1 << lane);
        for lane in lanes(absent) {
            values[lane] = POISON;
        }
        if absent != 0 {
            let first = absent.trailing_zeros() as usize;
            core.note(FindingKind::AbsentLane, op, first);
        }
    }
    if core.run.launch.record.is_some() {
        core.record_shuffle(&from);
    }
    if core.checks.tainted {
        core.shuffled(op, &from, mask);
    }
    // SAFETY: as above; the predicate is one of the frame.
    unsafe {
        let d = core.lanes::<u32>(o.d);
        for (lane, value) in values.into_iter().enumerate() {
            d[lane] = value.blend(d[lane], mask >> lane & 1 != 0);
        }
        core.set_predicate(predicate, inside, mask);
        op.wrapping_add(1)
    }
}

levels!(
    /// `shfl.sync`: row `d` gets the value of row `a` in the lane that rows `b` and `c` select.
    pub(crate) fn shuffle = shuffle_body
);

/// `vote.sync`: predicate `a`, member mask in row `b`. `f(true lanes, members)` returns one truth
/// value for all lanes.
///
/// # Safety
/// As for every handler.
unsafe fn vote_handler<F: Fn(u32, u32) -> bool + Copy>(
    core: &mut Core<'_>,
    op: *const Op,
) -> *const Op {
    // SAFETY: `op` is an operation of the program.
    let o = unsafe { &*op };
    let mask = runners_or_members!(core, op, o.b);
    // SAFETY: the decoder gave this operation these operands.
    unsafe {
        let truths = core.predicate(o.a);
        let rows = member_rows(core, o.b);
        let mut result = 0;
        for lane in lanes(mask) {
            let members = rows[lane] & mask;
            result |= u32::from(conjure::<F>()(truths & members, members)) << lane;
        }
        core.set_predicate(o.d, result, mask);
        op.wrapping_add(1)
    }
}

/// `vote.sync.all`, `.any`, `.uni`.
pub(crate) fn vote<F: Fn(u32, u32) -> bool + Copy>(_: F) -> Handler {
    vote_handler::<F>
}

/// `vote.sync.ballot`: row `d` gets the lanes whose predicate `a` is true.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn ballot(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the program.
    let o = unsafe { &*op };
    let mask = runners_or_members!(core, op, o.b);
    // SAFETY: the decoder gave this operation these operands.
    unsafe {
        let truths = core.predicate(o.a) & mask;
        let rows = member_rows(core, o.b);
        let d = core.lanes::<u32>(o.d);
        for lane in lanes(mask) {
            d[lane] = truths & rows[lane];
        }
        op.wrapping_add(1)
    }
}

/// `match.any.sync`: row `d` gets the members whose value in row `a` is the same.
///
/// # Safety
/// As for every handler.
unsafe fn match_any_handler<T: Lane>(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the program.
    let o = unsafe { &*op };
    let mask = members!(core, op, o.b);
    // SAFETY: the decoder gave this operation these operands.
    unsafe {
        let (values, rows) = (*core.lanes::<T>(o.a), *core.lanes::<u32>(o.b));
        let d = core.lanes::<u32>(o.d);
        for lane in lanes(mask) {
            let same = lanes(mask & rows[lane]).filter(|&other| values[other] == values[lane]);
            d[lane] = same.fold(0, |set, other| set | 1 << other);
        }
        op.wrapping_add(1)
    }
}

/// Returns the handler of `match.any.sync`.
pub(crate) fn match_any<T: Lane>() -> Handler {
    match_any_handler::<T>
}

/// `match.all.sync`: row `d` gets the members if all have the same value, else 0. Predicate `aux`
/// is set to whether they do.
///
/// # Safety
/// As for every handler.
unsafe fn match_all_handler<T: Lane>(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the program.
    let o = unsafe { &*op };
    let mask = members!(core, op, o.b);
    // SAFETY: the decoder gave this operation these operands.
    unsafe {
        let (values, rows) = (*core.lanes::<T>(o.a), *core.lanes::<u32>(o.b));
        let d = core.lanes::<u32>(o.d);
        let mut truths = 0;
        for lane in lanes(mask) {
            let members = mask & rows[lane];
            let all = lanes(members).all(|other| values[other] == values[lane]);
            d[lane] = if all { members } else { 0 };
            truths |= u32::from(all) << lane;
        }
        core.set_predicate(o.aux, truths, mask);
        op.wrapping_add(1)
    }
}

/// Returns the handler of `match.all.sync`.
pub(crate) fn match_all<T: Lane>() -> Handler {
    match_all_handler::<T>
}

/// `redux.sync`: row `d` gets the values of row `a` in all members, combined by `f`.
///
/// # Safety
/// As for every handler.
unsafe fn redux_handler<T: Lane, F: Fn(T, T) -> T + Copy>(
    core: &mut Core<'_>,
    op: *const Op,
) -> *const Op {
    // SAFETY: `op` is an operation of the program.
    let o = unsafe { &*op };
    let mask = members!(core, op, o.b);
    // SAFETY: the decoder gave this operation these operands.
    unsafe {
        let (values, rows) = (*core.lanes::<T>(o.a), *core.lanes::<u32>(o.b));
        let d = core.lanes::<T>(o.d);
        let mut left = mask;
        while left != 0 {
            let members = mask & rows[left.trailing_zeros() as usize];
            let joined = lanes(members)
                .map(|lane| T::of(values[lane]))
                .reduce(conjure::<F>());
            for lane in lanes(members) {
                if let Some(joined) = joined {
                    d[lane] = joined.repr();
                }
            }
            left &= !members;
        }
        op.wrapping_add(1)
    }
}

/// Returns the handler of `redux.sync`.
pub(crate) fn redux<T: Lane, F: Fn(T, T) -> T + Copy>(_: F) -> Handler {
    redux_handler::<T, F>
}

/// The variants of `redux` for floats, in `aux`.
pub(crate) mod extreme {
    /// The maximum; without it, the minimum.
    pub(crate) const MAX: u32 = 1;
    /// The absolute values are compared.
    pub(crate) const ABS: u32 = 2;
    /// The result is NaN if any value is.
    pub(crate) const NAN: u32 = 4;
}

/// `redux.sync.min.f32` and `.max.f32`: row `d` gets the extreme of row `a` of all members.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn redux_float(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the program.
    let o = unsafe { &*op };
    let mask = members!(core, op, o.b);
    let has = |flag: u32| o.aux & flag != 0;
    // SAFETY: the decoder gave this operation these operands.
    unsafe {
        let values = core.lanes::<f32>(o.a).map(f32::from_bits);
        let rows = *core.lanes::<u32>(o.b);
        let d = core.lanes::<u32>(o.d);
        for lane in lanes(mask) {
            let members = mask & rows[lane];
            let (max, abs, nan) = (has(extreme::MAX), has(extreme::ABS), has(extreme::NAN));
            d[lane] = redux_f32(&values, members, max, abs, nan).to_bits();
        }
        op.wrapping_add(1)
    }
}

/// `activemask`: row `d` gets the lanes that run now.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn activemask(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: the decoder gave this operation a `u32` row.
    unsafe {
        let o = &*op;
        let mask = core.mask(o);
        let d = core.lanes::<u32>(o.d);
        for lane in lanes(mask) {
            d[lane] = mask;
        }
        op.wrapping_add(1)
    }
}

/// `elect.sync`: predicate `d` is true in the lowest member; row `aux` gets its number. The member
/// mask is in row `b`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn elect(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the program.
    let o = unsafe { &*op };
    let mask = members!(core, op, o.b);
    // SAFETY: the decoder gave this operation these operands.
    unsafe {
        let rows = *core.lanes::<u32>(o.b);
        let mut leaders = 0;
        for lane in lanes(mask) {
            leaders |= 1u32 << (rows[lane] & mask).trailing_zeros();
        }
        let d = core.lanes::<u32>(o.aux);
        for lane in lanes(mask) {
            d[lane] = (rows[lane] & mask).trailing_zeros();
        }
        core.set_predicate(o.d, leaders, mask);
        op.wrapping_add(1)
    }
}

/// `bar.warp.sync`: member mask in row `b`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn warp_barrier(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the program.
    let o = unsafe { &*op };
    let _ = members!(core, op, o.b);
    if core.explore.is_some() {
        core.meet_explored(core.active);
    }
    if core.run.launch.checks.race {
        let block = core.block().linear;
        core.checks.races.warp_barrier(block, core.current.1 as u32);
    }
    op.wrapping_add(1)
}
