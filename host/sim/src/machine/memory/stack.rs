//! `stacksave`, `stackrestore`, `alloca`: local memory whose size is known only when
//! the program runs.
//!
//! PTX ISA, "Stack Manipulation Instructions". The stack of a thread is its local memory. The
//! variables of open calls lie at the bottom. `alloca` allocates above them, and the end of the
//! function frees what it allocated. Addresses are those of `.local`. Reported: a stack that grows
//! past the device's local memory, and a `stackrestore` of a value that no `stacksave` of the
//! running call returned. Open in the ISA: the contents of new memory. Here the old bytes stay.

use crate::machine::core::Core;
use crate::machine::event::FaultKind;
use crate::machine::frame::LOCAL_START;
use crate::machine::lane::{LANES, lanes};
use crate::machine::op::Op;

/// `stacksave`: row `d` gets the end of the stack, in 64 bits where `aux` is not 0.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn save(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the program; the decoder gave it a destination row
    // of that width.
    unsafe {
        let o = &*op;
        for lane in lanes(core.mask(o)) {
            let top = core.warp().local_top[lane];
            core.write_pointer(o, lane, top);
        }
        op.wrapping_add(1)
    }
}

/// `stackrestore`: the end of the stack is row `a` again, 64 bits wide where `aux` is not 0.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn restore(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: as above, for a source row.
    unsafe {
        let o = &*op;
        let depth = core.at.depth as usize;
        for lane in lanes(core.mask(o)) {
            let to = core.read_pointer(o.a, o.aux, lane);
            let warp = core.warp();
            let bottom = match depth.checked_sub(1) {
                Some(call) => warp.calls[call].local[lane],
                None => LOCAL_START,
            };
            let top = warp.local_top[lane];
            if !(u64::from(bottom)..=u64::from(top)).contains(&to) {
                let message = format!(
                    "the stack is restored to {to:#x}; this call has {bottom:#x} to {top:#x}"
                );
                let help = "restore what `stacksave` returned in the same call, innermost first";
                return core.fault(op, lane, FaultKind::Illegal { message, help });
            }
            warp.local_top[lane] = to as u32;
        }
        core.set_local();
        op.wrapping_add(1)
    }
}

/// `alloca`: row `d` gets the local address of row `a` bytes, a multiple of `b`; rows of 64 bits
/// where `aux` is not 0.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn alloca(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: as above.
    unsafe {
        let o = &*op;
        let limit = u64::from(core.run.model.limits.local_per_thread);
        let mut highest = 0;
        for lane in lanes(core.mask(o)) {
            let size = core.read_pointer(o.a, o.aux, lane);
            let base = u64::from(core.warp().local_top[lane]).next_multiple_of(o.b.max(1).into());
            let top = base.saturating_add(size);
            if top > limit {
                let message = format!(
                    "`alloca` of {size} bytes makes {top} bytes of local memory in one thread; the device has {limit}"
                );
                return core.fault(op, lane, FaultKind::Stack { message });
            }
            core.write_pointer(o, lane, base as u32);
            core.warp().local_top[lane] = top as u32;
            highest = highest.max(top as usize);
        }
        core.warp().local.grow(highest.next_multiple_of(4) * LANES);
        core.set_local();
        op.wrapping_add(1)
    }
}

impl Core<'_> {
    /// Returns one lane of a row of 32 or 64 bits.
    ///
    /// # Safety
    /// `row` must be a row of the running frame, of 64 bits where `wide` is not 0.
    unsafe fn read_pointer(&mut self, row: u32, wide: u32, lane: usize) -> u64 {
        // SAFETY: passed on.
        unsafe {
            match wide {
                0 => self.lanes::<u32>(row)[lane].into(),
                _ => self.lanes::<u64>(row)[lane],
            }
        }
    }

    /// Sets one lane of the destination.
    ///
    /// # Safety
    /// Row `d` must be a row of the running frame, of 64 bits where `aux` is not 0.
    unsafe fn write_pointer(&mut self, o: &Op, lane: usize, value: u32) {
        // SAFETY: passed on.
        unsafe {
            match o.aux {
                0 => self.lanes::<u32>(o.d)[lane] = value,
                _ => self.lanes::<u64>(o.d)[lane] = value.into(),
            }
        }
    }
}
