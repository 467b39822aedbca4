//! Statics on the device, which the host reaches by their names.
//!
//! `#[device] static` puts a [`DeviceGlobal`] in global memory and a [`ConstantMemory`] in constant
//! memory. They live as long as the module is loaded. On the host the static is a handle of the
//! same name ([`Symbol`]), which knows the type and the module; through it the host reads and
//! writes the memory. CUDA C++ Programming Guide, "Device Memory: `__device__`, `__constant__`";
//! PTX ISA, "State Spaces".

#[cfg(target_arch = "nvptx64")]
#[path = "device.rs"]
mod cell;
#[cfg(not(target_arch = "nvptx64"))]
#[path = "host.rs"]
mod cell;

use cell::Cell;

use crate::kernel::{Module, Value};

/// A static of the device as the host sees it: what `#[device]` makes of a static when compiled for
/// the host.
///
/// # Safety
/// `NAME` is the symbol of a static in the texts of `Module`, and what it holds is a `Value`.
pub unsafe trait Symbol: Copy + Send + Sync + 'static {
    /// The type of the value that the static holds.
    type Value: Value;
    /// The PTX that the static is in: its crate's.
    type Module: Module;
    /// Its symbol in the PTX.
    const NAME: &'static str;
}

/// The type that a static of the device is declared with.
///
/// # Safety
/// A static of it is a `Value` in memory, and nothing else.
#[doc(hidden)]
pub unsafe trait Static {
    /// The type of the value that the static holds.
    type Value: Value;
}

/// A static in global memory: CUDA's `__device__`.
///
/// All threads of all kernels of the module share it, and it keeps its value from one launch to the
/// next.
#[doc(alias = "__device__")]
#[derive(Debug)]
#[repr(transparent)]
pub struct DeviceGlobal<T>(Cell<T>);

/// A static in constant memory: CUDA's `__constant__`.
///
/// The host fills it between launches. A warp whose lanes read one element gets it in one access
/// from a cache of its own; lanes that read different elements wait for each other. There are 64
/// KiB of it.
#[doc(alias = "__constant__")]
#[derive(Debug)]
#[repr(transparent)]
pub struct ConstantMemory<T>(Cell<T>);

macro_rules! symbols {
    ($($name:ident)*) => {
        $(
            // SAFETY: access from the device is `unsafe` or reads what nothing writes; the host has
            // no access at all.
            unsafe impl<T> Sync for $name<T> {}

            impl<T: Value> $name<T> {
                /// A static that holds `value` when the module is loaded.
                #[must_use]
                pub const fn new(value: T) -> Self {
                    $name(Cell::new(value))
                }
            }

            // SAFETY: transparently a cell of the value.
            unsafe impl<T: Value> Static for $name<T> {
                type Value = T;
            }
        )*
    };
}

symbols! { DeviceGlobal ConstantMemory }

impl<T: Value> DeviceGlobal<T> {
    /// The value that the static holds now.
    ///
    /// # Safety
    /// No thread writes it at the same time.
    #[inline]
    #[must_use]
    pub unsafe fn get(&self) -> T {
        // SAFETY: a static is valid and aligned; the caller says that nobody writes it meanwhile.
        unsafe { self.0.address().read() }
    }

    /// Replaces the value that the static holds.
    ///
    /// # Safety
    /// No other thread reads or writes it at the same time.
    #[inline]
    pub unsafe fn set(&self, value: T) {
        // SAFETY: a static is valid and aligned; the caller says that nobody else touches it
        // meanwhile.
        unsafe { self.0.address().write(value) }
    }

    /// Its address on the device, for atomics.
    #[inline]
    #[must_use]
    pub fn as_ptr(&self) -> *mut T {
        self.0.address()
    }
}

impl<T: Value> ConstantMemory<T> {
    /// The value that the constant has at this launch.
    #[inline]
    #[must_use]
    pub fn get(&self) -> T {
        // SAFETY: a static is valid and aligned, and nothing writes constant memory while a kernel
        // runs.
        unsafe { self.0.address().read() }
    }

    /// The value in place, by reference: indexing an array then reads one element and does not copy
    /// the rest.
    #[inline]
    #[must_use]
    pub fn get_ref(&self) -> &T {
        // SAFETY: as above.
        unsafe { &*self.0.address() }
    }
}

/// Types of which all bits zero are a value.
mod zeroed {
    /// # Safety
    /// All bits zero are a value of it.
    pub unsafe trait Zeroed {}

    macro_rules! numbers {
        ($($ty:ty)*) => {$(
            // SAFETY: a number.
            unsafe impl Zeroed for $ty {}
        )*};
    }

    numbers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool }

    // SAFETY: an array is its elements.
    unsafe impl<T: Zeroed, const N: usize> Zeroed for [T; N] {}
}

impl<T: Value + zeroed::Zeroed> ConstantMemory<T> {
    /// A static of zeros that the host fills later; use it in place of [`new`](Self::new).
    #[allow(
        clippy::declare_interior_mutable_const,
        reason = "each static that takes it is one of its own, which is what is meant"
    )]
    pub const UNINIT: Self = {
        // SAFETY: all bits zero are a value of such a type.
        ConstantMemory(Cell::new(unsafe { core::mem::zeroed() }))
    };
}

impl<T: Value, const N: usize> ConstantMemory<[T; N]> {
    /// The element at `index`.
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
