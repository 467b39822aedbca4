//! A decoded operation: the function that runs it, and the places of its operands in the frame.
//!
//! All operands are byte offsets from the start of the running function's frame. Immediates and
//! special registers are rows of the frame too, which are filled when the frame is made. So an
//! operation does not need to distinguish them.

use super::core::Core;

/// Runs one operation for the active lanes and returns the next one, or [`STOP`].
///
/// # Safety
/// `op` must be an operation of the code that the core's frame belongs to.
pub(crate) type Handler = unsafe fn(core: &mut Core<'_>, op: *const Op) -> *const Op;

/// An address above every operation. The core's loop ends there, and the core's event
/// is the reason.
pub(crate) const STOP: *const Op = usize::MAX as *const Op;

/// One operation. 32 bytes, so that two share a cache line.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Op {
    /// The function that runs the operation.
    pub(crate) run: Handler,
    /// The offset of the guard's predicate; bit 0 negates. Offset 0 holds a predicate that
    /// is always true.
    pub(crate) guard: u32,
    /// The destination's place.
    pub(crate) d: u32,
    /// The first operand's place.
    pub(crate) a: u32,
    /// The second operand's place.
    pub(crate) b: u32,
    /// The third operand's place.
    pub(crate) c: u32,
    /// Further data of the operation: an index, an offset, flags.
    pub(crate) aux: u32,
}

const _: () = assert!(size_of::<Op>() == 32);

impl Op {
    /// Returns, for a branch, the target's offset from the branch, in bytes.
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
