//! Loads, stores and prefetches of global memory that choose which caches they use.
//!
//! An ordinary load leaves the choice to the compiler. A slice that is a `&[T]` parameter is
//! read-only for the whole kernel, so the compiler uses the read-only path for it. All other memory
//! is cached at all levels. Use these functions where another choice is better. [`CachePolicy`] is
//! for copies of many bytes. The loads take a reference, so that nothing writes the value at the
//! same time: the read-only path would not see such a write. PTX ISA, "Cache Operators", "ld",
//! "ld.global.nc"; CUDA C++ Programming Guide, "Read-Only Data Cache Load Function", "Load
//! Functions Using Cache Hints".

mod policy;

pub use policy::CachePolicy;
pub(crate) use policy::hinted;

/// A number that the cache operators load: 32 or 64 bits.
pub trait Loadable: Copy + sealed::Loads {}

/// The instructions. They are private because they are `unsafe`; callers use the functions
/// of this module.
mod sealed {
    pub trait Loads: Sized {
        unsafe fn all_levels(place: &Self) -> Self;
        unsafe fn l2_only(place: &Self) -> Self;
        unsafe fn read_only(place: &Self) -> Self;
        unsafe fn streaming(place: &Self) -> Self;
        unsafe fn store_l2(place: *mut Self, value: Self);
        unsafe fn store_streaming(place: *mut Self, value: Self);
        unsafe fn store_through(place: *mut Self, value: Self);
    }
}

/// Loads through L1 and L2: `ld.global.ca`.
///
/// # Safety
/// `place` is in global memory.
#[doc(alias = "__ldca")]
#[doc(alias = "ld.global.ca")]
#[inline]
#[must_use]
pub unsafe fn load_ca<T: Loadable>(place: &T) -> T {
    // SAFETY: the caller promises that `place` is in global memory.
    unsafe { T::all_levels(place) }
}

/// Loads through L2 only: `ld.global.cg`. For values that this multiprocessor will not read again.
///
/// # Safety
/// `place` is in global memory.
#[doc(alias = "__ldcg")]
#[doc(alias = "ld.global.cg")]
#[inline]
#[must_use]
pub unsafe fn load_cg<T: Loadable>(place: &T) -> T {
    // SAFETY: the caller promises that `place` is in global memory.
    unsafe { T::l2_only(place) }
}

/// Loads through the read-only path: `ld.global.nc`.
///
/// # Safety
/// `place` is in global memory.
#[doc(alias = "__ldg")]
#[doc(alias = "ld.global.nc")]
#[inline]
#[must_use]
pub unsafe fn ldg<T: Loadable>(place: &T) -> T {
    // SAFETY: the caller promises that `place` is in global memory.
    unsafe { T::read_only(place) }
}

/// Loads a value and hints that the caches need not keep the line: `ld.global.cs`. For values that
/// are read once.
///
/// # Safety
/// `place` is in global memory.
#[doc(alias = "__ldcs")]
#[doc(alias = "ld.global.cs")]
#[inline]
#[must_use]
pub unsafe fn load_cs<T: Loadable>(place: &T) -> T {
    // SAFETY: the caller promises that `place` is in global memory.
    unsafe { T::streaming(place) }
}

/// Stores to L2 and bypasses L1: `st.global.cg`.
///
/// # Safety
/// `place` is in global memory and valid for a write, and no other thread accesses it at
/// the same time.
#[doc(alias = "__stcg")]
#[doc(alias = "st.global.cg")]
#[inline]
pub unsafe fn store_cg<T: Loadable>(place: *mut T, value: T) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { T::store_l2(place, value) }
}

/// Stores a value and hints that the caches need not keep the line: `st.global.cs`. For values that
/// are not read soon.
///
/// # Safety
/// As for [`store_cg`].
#[doc(alias = "__stcs")]
#[doc(alias = "st.global.cs")]
#[inline]
pub unsafe fn store_cs<T: Loadable>(place: *mut T, value: T) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { T::store_streaming(place, value) }
}

/// Stores through all levels to memory: `st.global.wt`. For values that the host polls.
///
/// # Safety
/// As for [`store_cg`].
#[doc(alias = "__stwt")]
#[doc(alias = "st.global.wt")]
#[inline]
pub unsafe fn store_wt<T: Loadable>(place: *mut T, value: T) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { T::store_through(place, value) }
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

#[cfg(target_arch = "nvptx64")]
macro_rules! store {
    ($register:ident, $instruction:expr, $place:expr, $value:expr) => {
        // SAFETY: the caller promises that the place is in global memory, and that this thread
        // may write it.
        unsafe {
            core::arch::asm!(
                "cvta.to.global.u64 {global}, {place};",
                concat!($instruction, " [{global}], {value};"),
                global = out(reg64) _,
                value = in($register) $value,
                place = in(reg64) $place,
                options(nostack, preserves_flags),
            );
        }
    };
}

#[cfg(not(target_arch = "nvptx64"))]
macro_rules! store {
    ($register:ident, $instruction:expr, $place:expr, $value:expr) => {{
        let _ = ($place, $value);
        crate::device_only($instruction)
    }};
}

#[cfg(target_arch = "nvptx64")]
macro_rules! load {
    ($register:ident, $instruction:expr, $place:expr) => {{
        let value;
        // SAFETY: the caller promises that the place is in global memory. Nothing writes a value
        // while there is a shared reference to it.
        unsafe {
            core::arch::asm!(
                "cvta.to.global.u64 {global}, {place};",
                concat!($instruction, " {value}, [{global}];"),
                global = out(reg64) _,
                value = lateout($register) value,
                place = in(reg64) core::ptr::from_ref($place),
                options(pure, readonly, nostack, preserves_flags),
            );
        }
        value
    }};
}

#[cfg(not(target_arch = "nvptx64"))]
macro_rules! load {
    ($register:ident, $instruction:expr, $place:expr) => {{
        let _: &Self = $place;
        crate::device_only($instruction)
    }};
}

macro_rules! loadable {
    ($($ty:ident $register:ident $bits:literal;)*) => {
        $(
            impl Loadable for $ty {}

            impl sealed::Loads for $ty {
                #[inline(always)]
                unsafe fn all_levels(place: &Self) -> Self {
                    load!($register, concat!("ld.global.ca.", $bits), place)
                }

                #[inline(always)]
                unsafe fn l2_only(place: &Self) -> Self {
                    load!($register, concat!("ld.global.cg.", $bits), place)
                }

                #[inline(always)]
                unsafe fn read_only(place: &Self) -> Self {
                    load!($register, concat!("ld.global.nc.", $bits), place)
                }

                #[inline(always)]
                unsafe fn streaming(place: &Self) -> Self {
                    load!($register, concat!("ld.global.cs.", $bits), place)
                }

                #[inline(always)]
                unsafe fn store_l2(place: *mut Self, value: Self) {
                    store!($register, concat!("st.global.cg.", $bits), place, value)
                }

                #[inline(always)]
                unsafe fn store_streaming(place: *mut Self, value: Self) {
                    store!($register, concat!("st.global.cs.", $bits), place, value)
                }

                #[inline(always)]
                unsafe fn store_through(place: *mut Self, value: Self) {
                    store!($register, concat!("st.global.wt.", $bits), place, value)
                }
            }
        )*
    };
}

loadable! {
    i32 reg32 "b32";
    u32 reg32 "b32";
    f32 reg32 "b32";
    i64 reg64 "b64";
    u64 reg64 "b64";
    f64 reg64 "b64";
}
