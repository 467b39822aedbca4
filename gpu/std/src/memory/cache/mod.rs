//! Loads, stores and prefetches of global memory that name the caches they go through.
//!
//! An ordinary load leaves the choice to the compiler. What comes through a `&[T]` parameter is
//! read-only for the whole kernel and takes the read-only path by itself; everything else is cached
//! at all levels. These functions are for kernels that know better. [`CachePolicy`] is for copies
//! of many bytes. The loads take a reference, so that nothing writes the value meanwhile: the
//! read-only path would not notice a write. PTX ISA, "Cache Operators", "ld", "ld.global.nc"; CUDA
//! C++ Programming Guide, "Read-Only Data Cache Load Function", "Load Functions Using Cache Hints".

mod policy;

pub use policy::CachePolicy;
pub(crate) use policy::hinted;

/// A number that the cache operators load: 32 or 64 bits.
pub trait Loadable: Copy + sealed::Loads {}

/// The instructions, out of sight: they are `unsafe`, and the functions of this module are how to
/// ask for them.
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
    // SAFETY: the caller says where it is.
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
    // SAFETY: the caller says where it is.
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
    // SAFETY: the caller says where it is.
    unsafe { T::read_only(place) }
}

/// Loads, and asks the caches not to keep the line: `ld.global.cs`. For values that are read once.
///
/// # Safety
/// `place` is in global memory.
#[doc(alias = "__ldcs")]
#[doc(alias = "ld.global.cs")]
#[inline]
#[must_use]
pub unsafe fn load_cs<T: Loadable>(place: &T) -> T {
    // SAFETY: the caller says where it is.
    unsafe { T::streaming(place) }
}

/// Stores to L2, past L1: `st.global.cg`.
///
/// # Safety
/// `place` is in global memory and valid for a write, and no other thread accesses it at the same
/// time.
#[doc(alias = "__stcg")]
#[doc(alias = "st.global.cg")]
#[inline]
pub unsafe fn store_cg<T: Loadable>(place: *mut T, value: T) {
    // SAFETY: the caller's promise.
    unsafe { T::store_l2(place, value) }
}

/// Stores, and asks the caches not to keep the line: `st.global.cs`. For values that are not read
/// soon.
///
/// # Safety
/// As for [`store_cg`].
#[doc(alias = "__stcs")]
#[doc(alias = "st.global.cs")]
#[inline]
pub unsafe fn store_cs<T: Loadable>(place: *mut T, value: T) {
    // SAFETY: the caller's promise.
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
    // SAFETY: the caller's promise.
    unsafe { T::store_through(place, value) }
}

/// LLVM's intrinsics for it ask for `sm_90`; the instruction is as old as the caches.
#[cfg(target_arch = "nvptx64")]
macro_rules! prefetch {
    ($instruction:expr, $place:expr) => {
        // SAFETY: a prefetch of memory that a reference is to; it changes nothing.
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

/// Asks the caches to fetch the line at `place` as far as L1, and does not wait for it.
#[doc(alias = "prefetch.L1")]
#[inline]
pub fn prefetch_l1<T>(place: &T) {
    prefetch!("prefetch.L1", place)
}

/// Asks L2 to fetch the line at `place`, and does not wait for it.
#[doc(alias = "prefetch.L2")]
#[inline]
pub fn prefetch_l2<T>(place: &T) {
    prefetch!("prefetch.L2", place)
}

#[cfg(target_arch = "nvptx64")]
macro_rules! store {
    ($register:ident, $instruction:expr, $place:expr, $value:expr) => {
        // SAFETY: the caller says that the place is in global memory, and this thread's to write.
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
        // SAFETY: the caller says that the place is in global memory; nothing writes what a shared
        // reference is to.
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
