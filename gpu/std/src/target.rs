//! The GPU that the code is compiled for.
//!
//! One bitcode serves all targets, so the target is no `cfg`. LLVM answers `__nvvm_reflect` when it
//! generates code for a target, and removes what stands behind a condition that is false there.
//! LLVM, "User Guide for NVPTX Back-end: Reflection Parameters".

use crate::intrinsics;

/// The number of lanes in a warp. It is 32 on every device so far.
#[doc(alias = "warpSize")]
pub const WARP_SIZE: u32 = 32;

/// Whether the target is of this compute capability or later: 80 is `sm_80`.
#[inline(always)]
pub(crate) fn is_at_least(capability: i32) -> bool {
    // SAFETY: the name ends with a NUL; the call is replaced by a number.
    let arch = unsafe { intrinsics::__nvvm_reflect(const { c"__CUDA_ARCH".as_ptr().cast() }) };
    arch >= capability * 10
}
