//! Statics on the device, which the host reaches by their names.
//!
//! `#[device] static` puts a [`DeviceGlobal`] in global memory and a [`ConstantMemory`] in constant memory. They live as long
//! as the module is loaded. The host reads and writes them through the symbol, which is the static's name in the PTX
//! ([`Symbol`]).
//! CUDA C++ Programming Guide, "Device Memory: `__device__`, `__constant__`"; PTX ISA, "State Spaces".

#[cfg(target_arch = "nvptx64")]
#[path = "symbol/device.rs"]
mod cell;
#[cfg(not(target_arch = "nvptx64"))]
#[path = "symbol/host.rs"]
mod cell;

use cell::Cell;

use crate::kernel::Value;

/// A static of the device as the host sees it.
pub trait Symbol {
    /// What it holds.
    type Value: Value;
    /// Its name in the PTX.
    #[cfg(not(target_arch = "nvptx64"))]
    fn name(&self) -> &'static str;
}

/// A static in global memory: CUDA's `__device__`.
///
/// All threads of all kernels of the module share it, and it keeps its value from one launch to the next.
#[doc(alias = "__device__")]
#[derive(Debug)]
#[repr(transparent)]
pub struct DeviceGlobal<T>(Cell<T>);

/// A static in constant memory: CUDA's `__constant__`.
///
/// The host fills it between launches. A warp whose lanes read one element gets it in one access from a cache of its own;
/// lanes that read different elements wait for each other. There are 64 KiB of it.
#[doc(alias = "__constant__")]
#[derive(Debug)]
#[repr(transparent)]
pub struct ConstantMemory<T>(Cell<T>);

macro_rules! symbols {
    ($($name:ident)*) => {
        $(
            // SAFETY: access from the device is `unsafe` or reads what nothing writes; the host has no access at all.
            unsafe impl<T> Sync for $name<T> {}

            impl<T: Value> $name<T> {
                /// A static that holds `value` when the module is loaded.
                #[must_use]
                pub const fn new(value: T) -> Self {
                    $name(Cell::new(value))
                }

                /// The same, under its name: what `#[device]` makes of it on the host.
                #[cfg(not(target_arch = "nvptx64"))]
                #[doc(hidden)]
                #[must_use]
                pub const fn named(self, name: &'static str) -> Self {
                    $name(self.0.named(name))
                }
            }

            impl<T: Value> Symbol for $name<T> {
                type Value = T;
                #[cfg(not(target_arch = "nvptx64"))]
                fn name(&self) -> &'static str {
                    self.0.name()
                }
            }
        )*
    };
}

symbols! { DeviceGlobal ConstantMemory }

impl<T: Value> DeviceGlobal<T> {
    /// The value.
    ///
    /// # Safety
    /// No thread writes it at the same time.
    #[inline]
    #[must_use]
    pub unsafe fn get(&self) -> T {
        // SAFETY: a static is valid and aligned; the caller says that nobody writes it meanwhile.
        unsafe { self.0.address().read() }
    }

    /// Sets the value.
    ///
    /// # Safety
    /// No other thread reads or writes it at the same time.
    #[inline]
    pub unsafe fn set(&self, value: T) {
        // SAFETY: a static is valid and aligned; the caller says that nobody else touches it meanwhile.
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
    /// The value.
    #[inline]
    #[must_use]
    pub fn get(&self) -> T {
        // SAFETY: a static is valid and aligned, and nothing writes constant memory while a kernel runs.
        unsafe { self.0.address().read() }
    }
}

impl<T: Value, const N: usize> ConstantMemory<[T; N]> {
    /// The element at `index`.
    ///
    /// # Panics
    /// If `index` is past the end.
    #[inline]
    #[must_use]
    pub fn at(&self, index: usize) -> T {
        assert!(index < N, "read past the end of constant memory");
        // SAFETY: in bounds, and nothing writes constant memory while a kernel runs.
        unsafe { self.0.address().cast::<T>().add(index).read() }
    }
}
