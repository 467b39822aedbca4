//! Statics on the device, which the host accesses by their names.
//!
//! `#[device] static` puts a [`DeviceGlobal`] in global memory and a [`ConstantMemory`] in constant
//! memory. They live as long as the module is loaded. On the host the static is a handle of the
//! same name ([`Symbol`]), which contains the type and the module. The host reads and writes the
//! memory through this handle. CUDA C++ Programming Guide, "Device Memory: `__device__`,
//! `__constant__`"; PTX ISA, "State Spaces".

#[cfg(target_arch = "nvptx64")]
#[path = "device.rs"]
mod cell;
#[cfg(not(target_arch = "nvptx64"))]
#[path = "host.rs"]
mod cell;

use cell::Cell;

use crate::atomic::{Atomic, Word};
use crate::kernel::{Module, Value};
use crate::scope::Device;

/// A static of the device as the host sees it. `#[device]` makes one from a static when it is
/// compiled for the host.
///
/// # Safety
/// `NAME` is the symbol of a static in the PTX texts of `Module`, and the static holds a `Value`.
pub unsafe trait Symbol: Copy + Send + Sync + 'static {
    /// The type of the value that the static holds.
    type Value: Value;
    /// The module of the static's crate, whose PTX contains the static.
    type Module: Module;
    /// The static's symbol in the PTX.
    const NAME: &'static str;
}

/// A type that a static of the device is declared with.
///
/// # Safety
/// The memory of such a static is exactly one `Value`.
#[doc(hidden)]
pub unsafe trait Static {
    /// The type of the value that the static holds.
    type Value: Value;
}

/// A static in global memory: CUDA's `__device__`.
///
/// All threads of all kernels of the module share it, and it keeps its value from one launch
/// to the next.
#[doc(alias = "__device__")]
#[derive(Debug)]
#[repr(transparent)]
pub struct DeviceGlobal<T>(Cell<T>);

/// A static in constant memory: CUDA's `__constant__`.
///
/// The host fills it between launches. If all lanes of a warp read the same element, one access to
/// the constant cache serves them all. Lanes that read different elements wait for each other.
/// Constant memory has 64 KiB.
#[doc(alias = "__constant__")]
#[derive(Debug)]
#[repr(transparent)]
pub struct ConstantMemory<T>(Cell<T>);

macro_rules! symbols {
    ($($name:ident)*) => {
        $(
            // SAFETY: access from the device is `unsafe`, or it reads memory that no thread writes.
            // The host cannot access the memory through this type.
            unsafe impl<T> Sync for $name<T> {}

            impl<T: Value> $name<T> {
                /// Makes a static that holds `value` when the module is loaded.
                #[must_use]
                pub const fn new(value: T) -> Self {
                    $name(Cell::new(value))
                }
            }

            // SAFETY: the type is a transparent wrapper of a cell of the value.
            unsafe impl<T: Value> Static for $name<T> {
                type Value = T;
            }
        )*
    };
}

symbols! { DeviceGlobal ConstantMemory }

impl<T: Value> DeviceGlobal<T> {
    /// Returns the value that the static holds now.
    ///
    /// # Safety
    /// No thread writes it at the same time.
    #[inline]
    #[must_use]
    pub unsafe fn get(&self) -> T {
        // SAFETY: a static is valid and aligned; the caller promises that no thread writes it at
        // the same time.
        unsafe { self.0.address().read() }
    }

    /// Replaces the value that the static holds.
    ///
    /// # Safety
    /// No other thread reads or writes it at the same time.
    #[inline]
    pub unsafe fn set(&self, value: T) {
        // SAFETY: a static is valid and aligned; the caller promises that no other thread accesses
        // it at the same time.
        unsafe { self.0.address().write(value) }
    }

    /// Returns the static's address on the device, for atomics.
    #[inline]
    #[must_use]
    pub fn as_ptr(&self) -> *mut T {
        self.0.address()
    }
}

impl<T: Value + Word<Device>> DeviceGlobal<T> {
    /// Returns the static as an atomic of the device's scope.
    ///
    /// ```
    /// use lanewise_macros::{device, kernel};
    /// use lanewise_std::DeviceGlobal;
    /// use lanewise_std::atomic::AtomicOrdering;
    ///
    /// #[device]
    /// static LAUNCHED: DeviceGlobal<u32> = DeviceGlobal::new(0);
    ///
    /// /// Counts the threads of all launches.
    /// #[kernel]
    /// pub fn count() {
    ///     LAUNCHED.atomic().fetch_add(1, AtomicOrdering::Relaxed);
    /// }
    /// ```
    #[inline]
    #[must_use]
    pub fn atomic(&self) -> &Atomic<T, Device> {
        // SAFETY: a static is valid and aligned. All other accesses from the device are `unsafe`,
        // and their callers promise that no thread writes at the same time.
        unsafe { Atomic::from_ptr(self.0.address()) }
    }
}

impl<T: Value> ConstantMemory<T> {
    /// Returns the value that the constant has at this launch.
    #[inline]
    #[must_use]
    pub fn get(&self) -> T {
        // SAFETY: a static is valid and aligned, and nothing writes constant memory while
        // a kernel runs.
        unsafe { self.0.address().read() }
    }

    /// Returns a reference to the value in constant memory. An index into an array then reads one
    /// element and does not copy the rest.
    #[inline]
    #[must_use]
    pub fn get_ref(&self) -> &T {
        // SAFETY: as above.
        unsafe { &*self.0.address() }
    }
}

/// Types for which all bits zero are a valid value.
mod zeroed {
    /// # Safety
    /// All bits zero are a valid value of the type.
    pub unsafe trait Zeroed {}

    macro_rules! numbers {
        ($($ty:ty)*) => {$(
            // SAFETY: zero bits are a valid number, and `false`.
            unsafe impl Zeroed for $ty {}
        )*};
    }

    numbers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool }

    // SAFETY: an array consists of its elements only.
    unsafe impl<T: Zeroed, const N: usize> Zeroed for [T; N] {}
}

impl<T: Value + zeroed::Zeroed> ConstantMemory<T> {
    /// A static of zeros that the host fills later; use it in place of [`new`](Self::new).
    #[allow(
        clippy::declare_interior_mutable_const,
        reason = "each static that takes it is one of its own, which is what is meant"
    )]
    pub const UNINIT: Self = {
        // SAFETY: all bits zero are a valid value of such a type.
        ConstantMemory(Cell::new(unsafe { core::mem::zeroed() }))
    };
}

impl<T: Value, const N: usize> ConstantMemory<[T; N]> {
    /// Returns the element at `index`.
    ///
    /// # Panics
    /// If `index` is past the end.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn at(&self, index: usize) -> T {
        crate::memory::bounds::check(index, N);
        // SAFETY: in bounds, and nothing writes constant memory while a kernel runs.
        unsafe { self.0.address().cast::<T>().add(index).read() }
    }
}
