//! Loads from global memory that name the caches they go through.
//!
//! An ordinary load leaves the choice to the compiler: what comes through a `&[T]` parameter is read-only for the whole kernel and
//! goes through the read-only path by itself; everything else is cached at all levels. These functions are for the cases in which
//! one knows better. They take a reference, so that nothing writes the value meanwhile: the read-only path would not notice.
//! PTX ISA, "Cache Operators", "ld", "ld.global.nc"; CUDA C++ Programming Guide, "Read-Only Data Cache Load Function",
//! "Load Functions Using Cache Hints".

/// A number that the cache operators load: 32 or 64 bits.
pub trait Loadable: Copy + sealed::Loads {}

/// The instructions, out of sight: they are `unsafe`, and the functions of this module are how to ask for them.
mod sealed {
    pub trait Loads: Sized {
        unsafe fn all_levels(place: &Self) -> Self;
        unsafe fn l2_only(place: &Self) -> Self;
        unsafe fn read_only(place: &Self) -> Self;
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

/// Loads through L2 only: `ld.global.cg`. For what this multiprocessor will not want again.
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

#[cfg(target_arch = "nvptx64")]
macro_rules! load {
    ($register:ident, $instruction:expr, $place:expr) => {{
        let value;
        // SAFETY: the caller says that the place is in global memory; nothing writes what a shared reference is to.
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
