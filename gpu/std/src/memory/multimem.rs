//! Memory of several devices under one address: every device has its own copy of each element, and
//! one instruction accesses all copies.
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

/// A slice of numbers that has a copy on every device.
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

// SAFETY: the type is two 64-bit numbers on the host and on the device.
unsafe impl<T: Multimem> Value for Multicast<T> {
    const LAYOUT: u64 = crate::kernel::layout::named("Multicast");
}

/// A type of number that `multimem` can add.
pub trait Multimem: Copy + 'static + sealed::Adds {}

/// A type of number that `multimem` can compare.
pub trait MultimemOrd: Multimem + sealed::Compares {}

/// The instructions. They are private because they are `unsafe`; callers use the
/// methods of [`Multicast`].
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
    /// Makes a slice of `length` elements at a multicast address.
    ///
    /// # Safety
    /// A multicast object is mapped there for this device. Every device of the object has bound
    /// memory for `length` elements, which only `multimem` instructions access while the kernel
    /// runs. The object and the memory live until the kernel has ended.
    #[inline]
    #[must_use]
    pub const unsafe fn from_raw_parts(address: u64, length: usize) -> Self {
        Self {
            address,
            length: length as u64,
            element: PhantomData,
        }
    }

    /// Returns the number of elements.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.length as usize
    }

    /// Returns whether there are no elements.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the address of an element, and panics if the index is past the end.
    #[inline(always)]
    fn place(&self, index: usize) -> u64 {
        assert!(
            index < self.len(),
            "an element that the memory does not have"
        );
        self.address + (index * size_of::<T>()) as u64
    }

    /// Returns the sum of all devices' elements at `index`. The hardware chooses the order in which
    /// floats are added.
    ///
    /// # Panics
    /// If `index` is not below the length.
    #[doc(alias = "multimem.ld_reduce")]
    #[inline]
    #[must_use]
    pub fn sum(&self, index: usize) -> T {
        // SAFETY: the element is inside the memory that the caller of `from_raw_parts` described.
        unsafe { T::sum(self.place(index)) }
    }

    /// Writes `value` to the element at `index` on every device.
    ///
    /// # Panics
    /// As for [`Multicast::sum`].
    #[doc(alias = "multimem.st")]
    #[inline]
    pub fn store(&self, index: usize, value: T) {
        // SAFETY: the element is inside the memory that the caller of `from_raw_parts` described.
        unsafe { T::store(self.place(index), value) }
    }

    /// Adds `value` to the element at `index` on every device. The addition is atomic
    /// on each device.
    ///
    /// # Panics
    /// As for [`Multicast::sum`].
    #[doc(alias = "multimem.red")]
    #[inline]
    pub fn add(&self, index: usize, value: T) {
        // SAFETY: the element is inside the memory that the caller of `from_raw_parts` described.
        unsafe { T::add(self.place(index), value) }
    }
}

impl<T: MultimemOrd> Multicast<T> {
    /// Returns the minimum of all devices' elements at `index`.
    ///
    /// # Panics
    /// As for [`Multicast::sum`].
    #[inline]
    #[must_use]
    pub fn least(&self, index: usize) -> T {
        // SAFETY: the element is inside the memory that the caller of `from_raw_parts` described.
        unsafe { T::least(self.place(index)) }
    }

    /// Returns the maximum of all devices' elements at `index`.
    ///
    /// # Panics
    /// As for [`Multicast::sum`].
    #[inline]
    #[must_use]
    pub fn most(&self, index: usize) -> T {
        // SAFETY: the element is inside the memory that the caller of `from_raw_parts` described.
        unsafe { T::most(self.place(index)) }
    }

    /// Replaces the element at `index` by the minimum of it and `value`, on every device.
    ///
    /// # Panics
    /// As for [`Multicast::sum`].
    #[inline]
    pub fn min(&self, index: usize, value: T) {
        // SAFETY: the element is inside the memory that the caller of `from_raw_parts` described.
        unsafe { T::min(self.place(index), value) }
    }

    /// Replaces the element at `index` by the maximum of it and `value`, on every device.
    ///
    /// # Panics
    /// As for [`Multicast::sum`].
    #[inline]
    pub fn max(&self, index: usize, value: T) {
        // SAFETY: the element is inside the memory that the caller of `from_raw_parts` described.
        unsafe { T::max(self.place(index), value) }
    }
}

#[cfg(target_arch = "nvptx64")]
macro_rules! load {
    ($register:ident, $operation:expr, $address:expr) => {{
        let value;
        // SAFETY: the caller promises that the address is in multicast memory.
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
        // SAFETY: the caller promises that the address is in multicast memory.
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
    // The bits of a sum are the same for signed and unsigned numbers.
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
