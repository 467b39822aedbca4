//! Operations that fit nowhere else: no-ops, clocks, packing and unpacking.
//!
//! PTX ISA, "Special Registers: %clock, %globaltimer", "Miscellaneous Instructions: nanosleep".
//! Time is counted in warp instructions of the core, so that a run is repeatable. One of them
//! counts as a clock and as a nanosecond. Fences need not order much: a core's accesses happen in
//! the program's order, and atomics are sequentially consistent. `fence` adds the host's own fence
//! for the plain accesses around it.

use std::sync::atomic::{Ordering, fence as host_fence};

use crate::machine::core::Core;
use crate::machine::lane::lanes;
use crate::machine::op::Op;
use crate::memory::window::{self, Window};

/// Does nothing, for hints: prefetches, cache policies, performance events.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn nothing(_: &mut Core<'_>, op: *const Op) -> *const Op {
    op.wrapping_add(1)
}

/// `membar`, `fence`: with block scope if `aux` is not 0.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn fence(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` belongs to the running frame; another operation follows it.
    unsafe {
        if core.mask(&*op) != 0 {
            host_fence(Ordering::SeqCst);
            if core.run.launch.checks.race {
                let block = core.block().linear;
                let wide = (*op).aux == 0;
                core.checks.races.fence(block, core.current.1 as u32, wide);
            }
        }
        op.wrapping_add(1)
    }
}

/// `fence.proxy.async`: makes the block's earlier writes to shared memory visible
/// to asynchronous units.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn proxy_fence(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` belongs to the running frame; another operation follows it.
    if unsafe { core.mask(&*op) } != 0 {
        core.fence_proxies();
    }
    op.wrapping_add(1)
}

/// `griddepcontrol.wait` if `aux` is not 0, else `.launch_dependents`. Launches run one after
/// another here, so there is nothing to wait for. It is recorded which of the two a launch did.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn grid_dependency(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` belongs to the running frame; another operation follows it.
    let (mask, waits) = unsafe { (core.mask(&*op), (*op).aux != 0) };
    if mask != 0 {
        let [waited, released] = &core.run.family.dependency;
        let of = if waits { waited } else { released };
        of.store(true, Ordering::Relaxed);
    }
    op.wrapping_add(1)
}

/// `%clock64` and the other clocks: row `d` gets the time, shifted right by `aux`. The row is 64
/// bits wide if `b` is not 0.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn clock(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: the decoder gave this operation a destination row of that width.
    unsafe {
        let o = &*op;
        let mask = core.mask(o);
        // The loop adds to the count only when it ends, so each reading advances the
        // time by itself.
        core.tally.ticks += 1;
        let time = (core.tally.instructions + core.tally.ticks) >> o.aux;
        for lane in lanes(mask) {
            if o.b == 0 {
                core.lanes::<u32>(o.d)[lane] = time as u32;
            } else {
                core.lanes::<u64>(o.d)[lane] = time;
            }
        }
        op.wrapping_add(1)
    }
}

/// `nanosleep`: lets other warps go first.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn nanosleep(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` belongs to the running frame; another operation follows it.
    let (mask, next) = unsafe { (core.mask(&*op), op.wrapping_add(1)) };
    if mask == 0 {
        return next;
    }
    core.turn.spins += 16;
    core.stop(crate::machine::event::Event::Yield(next))
}

/// `isspacep.const`: predicate `d` is set to whether the address in row `a` is in constant memory.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn is_constant(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: passed on.
    unsafe { in_space(core, op, true) }
}

/// `isspacep.global`: predicate `d` is set to whether the address in row `a` is in no other space's
/// window and not in constant memory.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn is_global(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: passed on.
    unsafe { in_space(core, op, false) }
}

/// # Safety
/// As for every handler.
unsafe fn in_space(core: &mut Core<'_>, op: *const Op, constant: bool) -> *const Op {
    // SAFETY: the decoder gave this operation a row of 64 bits and a predicate.
    unsafe {
        let o = &*op;
        let mask = core.mask(o);
        let addresses = *core.lanes::<u64>(o.a);
        let mut inside = 0;
        for lane in lanes(mask) {
            let range = core.run.snapshot.find(addresses[lane]);
            let is = range.is_some_and(|range| range.constant);
            let window = window::of(addresses[lane]) == Window::Global;
            inside |= u32::from(window && is == constant) << lane;
        }
        core.set_predicate(o.d, inside, mask);
        op.wrapping_add(1)
    }
}
