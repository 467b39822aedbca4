//! Loads, stores and prefetches of global memory that choose which caches they use.
//!
//! An ordinary load leaves the choice to the compiler. A slice that is a `&[T]` parameter is
//! read-only for the whole kernel, so the compiler uses the read-only path for it. All other memory
//! is cached at all levels. Use these functions where another choice is better. They take a value
//! of 1 to 16 bytes by reference; one of 16 bytes that is aligned to them (a
//! [`Float4`](crate::vector::Float4)) is one instruction. A choice is a hint: the result is that of
//! an ordinary access, and an access to other memory than global is an ordinary one.
//! [`CachePolicy`] is for copies of many bytes.
//!
//! ```
//! use lanewise_macros::kernel;
//! use lanewise_std::vector::Float4;
//! use lanewise_std::{DisjointSlice, cache};
//!
//! /// Copies past the caches what nothing reads again.
//! #[kernel]
//! #[launch_contract(dims = 1)]
//! pub fn copy(input: &[Float4], mut output: DisjointSlice<Float4>) {
//!     for (i, output) in output.grid_stride() {
//!         cache::store_cs(output, cache::load_cs(&input[i]));
//!     }
//! }
//! ```
//!
//! PTX ISA, "Cache Operators", "ld", "ld.global.nc"; CUDA C++ Programming Guide, "Read-Only Data
//! Cache Load Function", "Load Functions Using Cache Hints".

mod policy;
mod words;

pub use policy::CachePolicy;
pub(crate) use policy::hinted;
pub(crate) use words::is_global;

use crate::kernel::Value;

/// Loads through L1 and L2: `ld.global.ca`.
#[doc(alias = "__ldca")]
#[doc(alias = "ld.global.ca")]
#[inline]
#[must_use]
pub fn load_ca<T: Value>(place: &T) -> T {
    words::load_ca(place)
}

/// Loads through L2 only: `ld.global.cg`. For values that this multiprocessor will not read again.
#[doc(alias = "__ldcg")]
#[doc(alias = "ld.global.cg")]
#[inline]
#[must_use]
pub fn load_cg<T: Value>(place: &T) -> T {
    words::load_cg(place)
}

/// Loads a value and hints that the caches need not keep the line: `ld.global.cs`. For values that
/// are read once.
#[doc(alias = "__ldcs")]
#[doc(alias = "ld.global.cs")]
#[inline]
#[must_use]
pub fn load_cs<T: Value>(place: &T) -> T {
    words::load_cs(place)
}

/// Loads through the read-only path, `ld.global.nc`, if nothing writes the value while the kernel
/// runs: the compiler knows that of what a kernel takes as `&[T]` or as
/// [`Matrix<T>`](crate::Matrix). That path would not see a write, so a load of other memory is an
/// ordinary one.
///
/// The compiler takes the path for ordinary loads of such memory, too. The name is for readers who
/// look for CUDA's `__ldg`.
#[doc(alias = "__ldg")]
#[doc(alias = "ld.global.nc")]
#[inline]
#[must_use]
pub fn ldg<T: Value>(place: &T) -> T {
    *place
}

/// Stores to L2 and bypasses L1: `st.global.cg`.
#[doc(alias = "__stcg")]
#[doc(alias = "st.global.cg")]
#[inline]
pub fn store_cg<T: Value>(place: &mut T, value: T) {
    words::store_cg(place, value);
}

/// Stores a value and hints that the caches need not keep the line: `st.global.cs`. For values that
/// are not read soon.
#[doc(alias = "__stcs")]
#[doc(alias = "st.global.cs")]
#[inline]
pub fn store_cs<T: Value>(place: &mut T, value: T) {
    words::store_cs(place, value);
}

/// Stores through all levels to memory: `st.global.wt`. For values that the host polls.
#[doc(alias = "__stwt")]
#[doc(alias = "st.global.wt")]
#[inline]
pub fn store_wt<T: Value>(place: &mut T, value: T) {
    words::store_wt(place, value);
}

/// Inline assembly, because LLVM's intrinsics for prefetches need `sm_90`. The instruction itself
/// exists on all devices with these caches.
#[cfg(target_arch = "nvptx64")]
macro_rules! prefetch {
    ($instruction:expr, $place:expr) => {
        // SAFETY: the reference is valid, and a prefetch changes no memory.
        unsafe {
            core::arch::asm!(
                concat!($instruction, " [{place}];"),
                place = in(reg64) core::ptr::from_ref($place),
                options(readonly, nostack, preserves_flags),
            );
        }
    };
}

#[cfg(not(target_arch = "nvptx64"))]
macro_rules! prefetch {
    ($instruction:expr, $place:expr) => {{
        let _ = $place;
        crate::device_only($instruction)
    }};
}

/// Starts a fetch of the cache line at `place` into L1, and does not wait for it.
#[doc(alias = "prefetch.L1")]
#[inline]
pub fn prefetch_l1<T>(place: &T) {
    prefetch!("prefetch.L1", place)
}

/// Starts a fetch of the cache line at `place` into L2, and does not wait for it.
#[doc(alias = "prefetch.L2")]
#[inline]
pub fn prefetch_l2<T>(place: &T) {
    prefetch!("prefetch.L2", place)
}
