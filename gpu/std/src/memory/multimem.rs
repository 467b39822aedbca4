//! Memory of several devices under one address: every device has its own copy of each element, and
//! one instruction reaches all copies.
//!
//! The host makes a `MulticastBuffer` and passes it to kernels as a [`Multicast`]. A load of an
//! element gives the sum (or the minimum, the maximum, ...) of all devices' values; a store writes
//! all of them; an addition adds to all of them. The additions happen in the switches between the
//! GPUs and in their memories, not in registers. Every access is relaxed and of system scope, so
//! kernels on several devices may use the buffer at the same time; the host, or flags of system
//! scope, put them in order.
//!
//! From `sm_90`, and where an NVLink switch joins the GPUs (NVLS). PTX ISA, "multimem.ld_reduce,
//! multimem.st, multimem.red"; CUDA driver API, "Multicast Object Management".

use core::marker::PhantomData;

use crate::kernel::Value;

/// A slice of numbers of which every device has its own copy.
#[derive(Debug)]
#[repr(C)]
pub struct Multicast<T> {
    address: u64,
    length: u64,
    element: PhantomData<T>,
}

impl<T> Clone for Multicast<T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Multicast<T> {}

// SAFETY: two numbers of 64 bits on both sides.
unsafe impl<T: Multimem> Value for Multicast<T> {
    const LAYOUT: u64 = crate::kernel::layout::named("Multicast");
}

/// A number that `multimem` adds.
pub trait Multimem: Copy + 'static + sealed::Adds {}

/// A number that `multimem` compares.
pub trait MultimemOrd: Multimem + sealed::Compares {}

/// The instructions, out of sight: they are `unsafe`, and the methods of [`Multicast`] are how to
/// ask for them.
mod sealed {
    pub trait Adds: Sized {
        unsafe fn sum(address: u64) -> Self;
        unsafe fn store(address: u64, value: Self);
        unsafe fn add(address: u64, value: Self);
    }

    pub trait Compares: Sized {
        unsafe fn least(address: u64) -> Self;
        unsafe fn most(address: u64) -> Self;
        unsafe fn min(address: u64, value: Self);
        unsafe fn max(address: u64, value: Self);
    }
}

impl<T: Multimem> Multicast<T> {
    /// `length` elements at a multicast address.
    ///
    /// # Safety
    /// A multicast object is mapped there for this device. Every device of the object has bound
    /// memory for `length` elements, which nothing but `multimem` accesses while the kernel runs.
    /// All of it lives until the kernel has ended.
    #[inline]
    #[must_use]
    pub const unsafe fn from_raw_parts(address: u64, length: usize) -> Self {
        Self {
            address,
            length: length as u64,
            element: PhantomData,
        }
    }

    /// How many elements it has.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.length as usize
    }

    /// Whether it has none.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The address of an element; panics where there is none.
    #[inline(always)]
    fn place(&self, index: usize) -> u64 {
        assert!(
            index < self.len(),
            "an element that the memory does not have"
        );
        self.address + (index * size_of::<T>()) as u64
    }

    /// The sum of all devices' elements at `index`. The hardware chooses the order in which floats
    /// are added.
    ///
    /// # Panics
    /// Where `index` is not below the length.
    #[doc(alias = "multimem.ld_reduce")]
    #[inline]
    #[must_use]
    pub fn sum(&self, index: usize) -> T {
        // SAFETY: inside of what `from_raw_parts` was promised.
        unsafe { T::sum(self.place(index)) }
    }

    /// Writes `value` to the element at `index` on every device.
    ///
    /// # Panics
    /// As [`Multicast::sum`].
    #[doc(alias = "multimem.st")]
    #[inline]
    pub fn store(&self, index: usize, value: T) {
        // SAFETY: inside of what `from_raw_parts` was promised.
        unsafe { T::store(self.place(index), value) }
    }

    /// Adds `value` to the element at `index` on every device, atomically on each.
    ///
    /// # Panics
    /// As [`Multicast::sum`].
    #[doc(alias = "multimem.red")]
    #[inline]
    pub fn add(&self, index: usize, value: T) {
        // SAFETY: inside of what `from_raw_parts` was promised.
        unsafe { T::add(self.place(index), value) }
    }
}

impl<T: MultimemOrd> Multicast<T> {
    /// The least of all devices' elements at `index`.
    ///
    /// # Panics
    /// As [`Multicast::sum`].
    #[inline]
    #[must_use]
    pub fn least(&self, index: usize) -> T {
        // SAFETY: inside of what `from_raw_parts` was promised.
        unsafe { T::least(self.place(index)) }
    }

    /// The greatest of all devices' elements at `index`.
    ///
    /// # Panics
    /// As [`Multicast::sum`].
    #[inline]
    #[must_use]
    pub fn most(&self, index: usize) -> T {
        // SAFETY: inside of what `from_raw_parts` was promised.
        unsafe { T::most(self.place(index)) }
    }

    /// Makes the element there at most `value`, on every device.
    ///
    /// # Panics
    /// As [`Multicast::sum`].
    #[inline]
    pub fn min(&self, index: usize, value: T) {
        // SAFETY: inside of what `from_raw_parts` was promised.
        unsafe { T::min(self.place(index), value) }
    }

    /// Makes the element there at least `value`, on every device.
    ///
    /// # Panics
    /// As [`Multicast::sum`].
    #[inline]
    pub fn max(&self, index: usize, value: T) {
        // SAFETY: inside of what `from_raw_parts` was promised.
        unsafe { T::max(self.place(index), value) }
    }
}

#[cfg(target_arch = "nvptx64")]
macro_rules! load {
    ($register:ident, $operation:expr, $address:expr) => {{
        let value;
        // SAFETY: the caller says that the address is of multicast memory.
        unsafe {
            core::arch::asm!(
                concat!("multimem.ld_reduce.relaxed.sys.global.", $operation, " {value}, [{address}];"),
                value = lateout($register) value,
                address = in(reg64) $address,
                options(nostack, preserves_flags),
            );
        }
        value
    }};
}

#[cfg(not(target_arch = "nvptx64"))]
macro_rules! load {
    ($register:ident, $operation:expr, $address:expr) => {{
        let _ = $address;
        crate::device_only(concat!("multimem.ld_reduce.", $operation))
    }};
}

#[cfg(target_arch = "nvptx64")]
macro_rules! change {
    ($register:ident, $instruction:expr, $address:expr, $value:expr) => {
        // SAFETY: the caller says that the address is of multicast memory.
        unsafe {
            core::arch::asm!(
                concat!("multimem.", $instruction, " [{address}], {value};"),
                value = in($register) $value,
                address = in(reg64) $address,
                options(nostack, preserves_flags),
            );
        }
    };
}

#[cfg(not(target_arch = "nvptx64"))]
macro_rules! change {
    ($register:ident, $instruction:expr, $address:expr, $value:expr) => {{
        let _ = ($address, $value);
        crate::device_only(concat!("multimem.", $instruction))
    }};
}

macro_rules! adds {
    ($($ty:ty: $register:ident $name:literal $bits:literal;)*) => {$(
        impl Multimem for $ty {}

        impl sealed::Adds for $ty {
            #[inline(always)]
            unsafe fn sum(address: u64) -> Self {
                load!($register, concat!("add.", $name), address)
            }
            #[inline(always)]
            unsafe fn store(address: u64, value: Self) {
                change!($register, concat!("st.relaxed.sys.global.", $bits), address, value);
            }
            #[inline(always)]
            unsafe fn add(address: u64, value: Self) {
                change!($register, concat!("red.relaxed.sys.global.add.", $name), address, value);
            }
        }
    )*};
}

adds! {
    u32: reg32 "u32" "b32";
    i32: reg32 "s32" "b32";
    u64: reg64 "u64" "b64";
    // A sum's bits are the same with a sign.
    i64: reg64 "u64" "b64";
    f32: reg32 "f32" "f32";
    f64: reg64 "f64" "f64";
}

macro_rules! compares {
    ($($ty:ty: $register:ident $name:literal;)*) => {$(
        impl MultimemOrd for $ty {}

        impl sealed::Compares for $ty {
            #[inline(always)]
            unsafe fn least(address: u64) -> Self {
                load!($register, concat!("min.", $name), address)
            }
            #[inline(always)]
            unsafe fn most(address: u64) -> Self {
                load!($register, concat!("max.", $name), address)
            }
            #[inline(always)]
            unsafe fn min(address: u64, value: Self) {
                change!($register, concat!("red.relaxed.sys.global.min.", $name), address, value);
            }
            #[inline(always)]
            unsafe fn max(address: u64, value: Self) {
                change!($register, concat!("red.relaxed.sys.global.max.", $name), address, value);
            }
        }
    )*};
}

compares! {
    u32: reg32 "u32";
    i32: reg32 "s32";
    u64: reg64 "u64";
    i64: reg64 "s64";
}
