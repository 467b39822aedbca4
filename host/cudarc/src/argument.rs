//! Arguments of a launch, checked by the compiler against the kernel's own parameters.
//!
//! A slice is two PTX parameters, address and length. Source: CUDA driver API, `cuLaunchKernel`,
//! `kernelParams`.

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::{
    CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, DeviceSlice, SyncOnDrop,
};
use lanewise_std::kernel::{
    BrokenContract, Kernel, LaunchContract, Param, SharedCell, Value, slice_alignment,
};
use lanewise_std::{
    DisjointMatrix, DisjointSlice, GlobalMut, PartPerBlock, PerBlock, PerWarp, RowPerBlock,
};

use crate::LaunchError;
use crate::matrix::{Matrix, MatrixMut};

/// A value that can be passed where a kernel takes a `P`.
///
/// You can implement it for your own type that holds slices: it then passes what it holds.
///
/// # Safety
/// `pass` appends the PTX parameters of one `P`, no more and no fewer, by calling `pass` of other
/// arguments. The memory that they point to is valid for the kernel while it runs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed where the kernel takes `{P}`",
    label = "the kernel takes `{P}` here",
    note = "`&[T]` takes `&CudaSlice<T>`, `&[AtomicU32]` takes `&mut CudaSlice<u32>`; `DisjointSlice<T>`, `PerBlock<T>` and `GlobalMut<T>` take `&mut CudaSlice<T>`, `Matrix<T>` takes `Matrix::new(&slice, columns)`, `DisjointMatrix<T>` and `RowPerBlock<T>` take `MatrixMut::new(&mut slice, columns)`; a value takes itself"
)]
pub unsafe trait Argument<'a, P> {
    /// Appends the PTX parameters of this value.
    ///
    /// # Errors
    /// [`LaunchError`] if a slice belongs to another context, or is not aligned as kernels assume.
    fn pass(self, list: &mut ArgumentList<'a>) -> Result<(), LaunchError>;
}

/// The arguments of a whole kernel: a tuple of [`Argument`]s, as many as the kernel has parameters.
///
/// # Safety
/// `pass_all` appends the PTX parameters of all `Params`, in order.
#[diagnostic::on_unimplemented(
    message = "these are not the arguments that the kernel takes",
    label = "the kernel takes `{Params}`",
    note = "pass a tuple with one argument for each parameter; for one parameter `(a,)`, for none `()`"
)]
pub unsafe trait Arguments<'a, Params> {
    /// Appends the PTX parameters of each argument in order.
    ///
    /// # Errors
    /// As [`Argument::pass`].
    fn pass_all(self, list: &mut ArgumentList<'a>) -> Result<(), LaunchError>;
}

/// The values of a launch in the driver's form. A launch makes the list, and its arguments fill it.
#[derive(Debug)]
pub struct ArgumentList<'a> {
    stream: &'a Arc<CudaStream>,
    kernel: &'static str,
    params: &'static [Param],
    /// The bytes of all values.
    bytes: Vec<u8>,
    /// The offset of each value.
    starts: Vec<usize>,
    /// The number of values before each argument.
    arguments: Vec<usize>,
    /// A pointer to each value, once all are there.
    pointers: Vec<*mut c_void>,
    /// The uses of slices. When they are dropped, after the launch, cudarc notes them in the
    /// slices' events.
    uses: Vec<SyncOnDrop<'a>>,
}

impl<'a> ArgumentList<'a> {
    pub(crate) fn new<K: Kernel>(stream: &'a Arc<CudaStream>) -> Self {
        Self {
            stream,
            kernel: K::NAME,
            params: K::PARAMS,
            bytes: Vec::new(),
            starts: Vec::new(),
            arguments: Vec::new(),
            pointers: Vec::new(),
            uses: Vec::new(),
        }
    }

    /// Returns the name of the parameter whose argument is appended.
    fn parameter(&self) -> &'static str {
        let number = self.arguments.len().saturating_sub(1);
        self.params.get(number).map_or("", |param| param.name)
    }

    /// Appends one parameter, by its bytes. A value of size zero is not a parameter in the PTX.
    fn push<T: Copy>(&mut self, value: T) {
        if size_of::<T>() == 0 {
            return;
        }
        let start = self.bytes.len();
        self.starts.push(start);
        self.bytes.resize(start + size_of::<T>(), 0);
        // SAFETY: the vector has that many bytes from `start` on. Padding is copied with the rest,
        // and is not looked at.
        unsafe {
            let place = self.bytes.as_mut_ptr().add(start).cast::<T>();
            place.write_unaligned(value);
        }
    }

    /// Appends the address of a slice and then `size`, and notes the use. `touch` orders the launch
    /// after the earlier uses.
    fn push_slice<T>(
        &mut self,
        slice: (usize, &Arc<CudaStream>),
        size: Option<u64>,
        touch: impl FnOnce(&'a CudaStream) -> (u64, SyncOnDrop<'a>),
    ) -> Result<(), LaunchError> {
        let (len, owner) = slice;
        if !Arc::ptr_eq(owner.context(), self.stream.context()) {
            return Err(LaunchError::OtherContext {
                kernel: self.kernel,
                what: format!("argument `{}`", self.parameter()),
            });
        }
        let (address, used) = touch(self.stream);
        self.uses.push(used);
        let alignment = slice_alignment::<T>();
        let address = match len * size_of::<T>() {
            // It need not be an allocation, and is not null, as always in Rust.
            0 => alignment as u64,
            _ => address,
        };
        if !address.is_multiple_of(alignment as u64) {
            return Err(LaunchError::Alignment {
                kernel: self.kernel,
                parameter: self.parameter(),
                expected: alignment,
                address,
            });
        }
        self.push(address);
        if let Some(size) = size {
            self.push(size);
        }
        Ok(())
    }

    /// Checks that the arguments have the lengths that the contract requires.
    pub(crate) fn check_lengths(&self, contract: &LaunchContract) -> Result<(), BrokenContract> {
        // The clauses name slices, which are an address and a length, and unsigned integers.
        let value = |index: usize| {
            let end = self.starts.get(index + 1).copied();
            let own = &self.bytes[self.starts[index]..end.unwrap_or(self.bytes.len())];
            let mut word = [0; 8];
            word[..own.len()].copy_from_slice(own);
            u64::from_le_bytes(word)
        };
        contract.check_lengths(
            |of| value(self.arguments[of] + 1),
            |of| value(self.arguments[of]),
        )
    }

    /// Returns a pointer to each value, which the driver only reads.
    pub(crate) fn pointers(&mut self) -> &mut [*mut c_void] {
        let base = self.bytes.as_mut_ptr();
        let pointer = |&start: &usize| base.wrapping_add(start).cast::<c_void>();
        self.pointers.clear();
        self.pointers.extend(self.starts.iter().map(pointer));
        &mut self.pointers
    }
}

/// Implements the arguments that a slice can be passed as, for kernels that read it. The types are
/// named one by one: anybody may implement `DevicePtr`, and return any address.
macro_rules! reads {
    ($([$($view:lifetime)?] $slice:ty),*) => {$(
        // SAFETY: this passes address and length of a slice. cudarc orders the launch after the
        // writes of the slice, and a later write or its end after the launch.
        unsafe impl<'a, $($view: 'a,)? T> Argument<'a, &'static [T]> for &'a $slice {
            fn pass(self, list: &mut ArgumentList<'a>) -> Result<(), LaunchError> {
                let len = DeviceSlice::len(self);
                list.push_slice::<T>((len, DeviceSlice::stream(self)), Some(len as u64), |stream| self.device_ptr(stream))
            }
        }

        // SAFETY: this passes the address of the slice.
        unsafe impl<'a, $($view: 'a,)? T: 'static> Argument<'a, *const T> for &'a $slice {
            fn pass(self, list: &mut ArgumentList<'a>) -> Result<(), LaunchError> {
                let len = DeviceSlice::len(self);
                list.push_slice::<T>((len, DeviceSlice::stream(self)), None, |stream| self.device_ptr(stream))
            }
        }

        // SAFETY: this passes the address of a slice and its size in rows.
        unsafe impl<'a, $($view: 'a,)? T> Argument<'a, lanewise_std::Matrix<'static, T>> for Matrix<'a, T, $slice> {
            fn pass(self, list: &mut ArgumentList<'a>) -> Result<(), LaunchError> {
                let (slice, size) = (self.slice, self.size.word());
                let len = DeviceSlice::len(slice);
                list.push_slice::<T>((len, DeviceSlice::stream(slice)), Some(size), |stream| slice.device_ptr(stream))
            }
        }
    )*};
}

/// Implements one argument that a slice can be passed as, for kernels that write it.
macro_rules! write {
    ([$($view:lifetime)?] $slice:ty, [$($generics:tt)*] $parameter:ty) => {
        // SAFETY: this passes address and length of a slice that nothing else borrows. cudarc
        // orders the launch after the earlier uses of the slice, and later ones after the launch.
        // Cells have the layout of the slice's elements, and leave valid values there.
        unsafe impl<'a, $($view: 'a,)? T, $($generics)*> Argument<'a, $parameter> for &'a mut $slice {
            fn pass(self, list: &mut ArgumentList<'a>) -> Result<(), LaunchError> {
                let (len, owner) = (DeviceSlice::len(self), Arc::clone(DeviceSlice::stream(self)));
                list.push_slice::<T>((len, &owner), Some(len as u64), |stream| self.device_ptr_mut(stream))
            }
        }
    };
}

/// Implements the arguments that a slice can be passed as, for kernels that write it.
macro_rules! writes {
    ($([$($view:lifetime)?] $slice:ty),*) => {$(
        write! { [$($view)?] $slice, [C: SharedCell<Value = T>] &'static [C] }
        write! { [$($view)?] $slice, [Owner] DisjointSlice<'static, T, Owner> }
        write! { [$($view)?] $slice, [] PerBlock<'static, T> }
        write! { [$($view)?] $slice, [] PerWarp<'static, T> }
        write! { [$($view)?] $slice, [Order, const EACH: usize] PartPerBlock<'static, T, Order, EACH> }
        write! { [$($view)?] $slice, [] GlobalMut<'static, T> }

        // SAFETY: this passes the address of the slice.
        unsafe impl<'a, $($view: 'a,)? T: 'static> Argument<'a, *mut T> for &'a mut $slice {
            fn pass(self, list: &mut ArgumentList<'a>) -> Result<(), LaunchError> {
                let (len, owner) = (DeviceSlice::len(self), Arc::clone(DeviceSlice::stream(self)));
                list.push_slice::<T>((len, &owner), None, |stream| self.device_ptr_mut(stream))
            }
        }

        // SAFETY: this passes the address of a slice and its size in rows, and nothing else borrows
        // the slice.
        unsafe impl<'a, $($view: 'a,)? T, Owner> Argument<'a, DisjointMatrix<'static, T, Owner>> for MatrixMut<'a, T, $slice> {
            fn pass(self, list: &mut ArgumentList<'a>) -> Result<(), LaunchError> {
                let (slice, size) = (self.slice, self.size.word());
                let (len, owner) = (DeviceSlice::len(slice), Arc::clone(DeviceSlice::stream(slice)));
                list.push_slice::<T>((len, &owner), Some(size), |stream| slice.device_ptr_mut(stream))
            }
        }

        // SAFETY: as above.
        unsafe impl<'a, $($view: 'a,)? T> Argument<'a, RowPerBlock<'static, T>> for MatrixMut<'a, T, $slice> {
            fn pass(self, list: &mut ArgumentList<'a>) -> Result<(), LaunchError> {
                Argument::<DisjointMatrix<'static, T>>::pass(self, list)
            }
        }
    )*};
}

reads! { [] CudaSlice<T>, ['view] CudaView<'view, T>, ['view] CudaViewMut<'view, T> }
writes! { [] CudaSlice<T>, ['view] CudaViewMut<'view, T> }

// SAFETY: this passes the bytes of a value, which have the same meaning on the device.
unsafe impl<'a, T: Value> Argument<'a, T> for T {
    fn pass(self, list: &mut ArgumentList<'a>) -> Result<(), LaunchError> {
        const {
            assert!(
                !T::IS_ADDRESS,
                "for an address the program passes a slice: `&slice` for `*const T`, `&mut slice` for `*mut T`"
            );
        };
        list.push(self);
        Ok(())
    }
}

macro_rules! tuples {
    ($($argument:ident: $parameter:ident),*) => {
        // SAFETY: each argument appends the parameters of its own `P`.
        unsafe impl<'a, $($argument, $parameter),*> Arguments<'a, ($($parameter,)*)> for ($($argument,)*)
        where
            $($argument: Argument<'a, $parameter>),*
        {
            fn pass_all(self, _list: &mut ArgumentList<'a>) -> Result<(), LaunchError> {
                #[allow(non_snake_case, reason = "the type's name serves as the value's")]
                let ($($argument,)*) = self;
                $(
                    _list.arguments.push(_list.starts.len());
                    $argument.pass(_list)?;
                )*
                Ok(())
            }
        }
    };
}

/// Implements the traits for tuples of all lengths that a kernel's parameters can have.
macro_rules! each_length {
    () => {
        tuples!();
    };
    ($first:ident: $parameter:ident $(, $more:ident: $others:ident)*) => {
        tuples!($first: $parameter $(, $more: $others)*);
        each_length!($($more: $others),*);
    };
}

#[rustfmt::skip]
each_length!(
    A: P1, B: P2, C: P3, D: P4, E: P5, F: P6, G: P7, H: P8, I: P9, J: P10, K: P11, L: P12,
    M: P13, N: P14, O: P15, P: P16, Q: P17, R: P18, S: P19, T: P20, U: P21, V: P22, W: P23, X: P24
);
