//! The GPU that the code is made for.
//!
//! One bitcode serves all targets, so this is no `cfg`: `__nvvm_reflect` is answered while a target's code is made, and what stands behind
//! a condition that does not hold there is gone before instructions are chosen.
//! LLVM, "User Guide for NVPTX Back-end: Reflection Parameters".

use crate::intrinsics;

/// Whether the target is of this compute capability or later: 80 is `sm_80`.
#[inline(always)]
pub(crate) fn is_at_least(capability: i32) -> bool {
    // SAFETY: the name ends with a NUL; the call is replaced by a number.
    let arch = unsafe { intrinsics::__nvvm_reflect(const { c"__CUDA_ARCH".as_ptr().cast() }) };
    arch >= capability * 10
}
