//! A decoded operation: the function that runs it, and where its operands lie in the frame.
//!
//! All operands are byte offsets from the start of the running function's frame; immediates and
//! special registers are rows of the frame too, filled when the frame is made, so that an operation
//! does not care which of them it reads.

use super::core::Core;

/// Runs one operation for the active lanes and gives the next one, or [`STOP`].
///
/// # Safety
/// `op` must be an operation of the code that the core's frame belongs to.
pub(crate) type Handler = unsafe fn(core: &mut Core<'_>, op: *const Op) -> *const Op;

/// Above every operation: the core's loop ends, and the core's event says why.
pub(crate) const STOP: *const Op = usize::MAX as *const Op;

/// One operation. 32 bytes, so that two share a cache line.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Op {
    /// What runs it.
    pub(crate) run: Handler,
    /// The offset of the guard's predicate; bit 0 negates. Offset 0 holds a predicate that is
    /// always true.
    pub(crate) guard: u32,
    /// The destination's place.
    pub(crate) d: u32,
    /// The first operand's place.
    pub(crate) a: u32,
    /// The second operand's place.
    pub(crate) b: u32,
    /// The third operand's place.
    pub(crate) c: u32,
    /// What the operation needs besides: an index, an offset, flags.
    pub(crate) aux: u32,
}

const _: () = assert!(size_of::<Op>() == 32);

impl Op {
    /// Of a branch: how many bytes its target lies behind it.
    #[inline(always)]
    pub(crate) fn jump(&self) -> isize {
        self.aux as i32 as isize
    }
}

impl std::fmt::Debug for Op {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            guard,
            d,
            a,
            b,
            c,
            aux,
            ..
        } = self;
        write!(f, "[{guard:#x}] {d:#x} <- {a:#x} {b:#x} {c:#x} ({aux:#x})")
    }
}
