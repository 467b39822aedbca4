//! The GPU that the code is compiled for.
//!
//! All targets use the same bitcode, so the target is not a `cfg`. LLVM replaces `__nvvm_reflect`
//! by a constant when it generates code for a target. It then removes the code whose condition is
//! false for that target. LLVM, "User Guide for NVPTX Back-end: Reflection Parameters".

use crate::intrinsics;

/// The number of lanes in a warp. It is 32 on every device so far.
#[doc(alias = "warpSize")]
pub const WARP_SIZE: u32 = 32;

/// Returns whether the target has at least this compute capability: 80 is `sm_80`.
#[inline(always)]
pub fn is_at_least(capability: i32) -> bool {
    // SAFETY: the name ends with a NUL; the call is replaced by a number.
    let arch = unsafe { intrinsics::__nvvm_reflect(const { c"__CUDA_ARCH".as_ptr().cast() }) };
    arch >= capability * 10
}
