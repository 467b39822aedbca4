//! DLPack: tensors that libraries hand to each other in one process, with the function that gives
//! them back.
//!
//! Source: `dlpack.h` of DLPack 1.2, "Python Specification for DLPack".

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use cudarc::driver::{CudaSlice, CudaStream, DevicePtr, DriverError};
use lanewise_std::half::{Bf16, F16};
use lanewise_std::kernel::Value;

use crate::Foreign;

/// `DLManagedTensor` of `dlpack.h`: a tensor, and who gives it back.
#[derive(Debug)]
#[repr(C)]
pub struct DLManagedTensor {
    tensor: DLTensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

#[derive(Debug)]
#[repr(C)]
struct DLTensor {
    data: *mut c_void,
    device: DLDevice,
    dimensions: i32,
    ty: DLDataType,
    shape: *mut i64,
    /// Before DLPack 1.2 it may be null, for rows without gaps.
    strides: *mut i64,
    byte_offset: u64,
}

/// A device as `dlpack.h` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DLDevice {
    /// 2 is a GPU with CUDA.
    pub kind: i32,
    /// The ordinal of the device.
    pub number: i32,
}

impl DLDevice {
    /// Returns the GPU with this ordinal.
    #[must_use]
    pub const fn cuda(ordinal: usize) -> Self {
        Self {
            kind: 2,
            number: ordinal as i32,
        }
    }
}

/// The type of an element as `dlpack.h` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DLDataType {
    code: u8,
    bits: u8,
    lanes: u16,
}

mod sealed {
    pub trait Sealed {}
}

/// A type of numbers that DLPack has a name for. Any bits are a valid number of it.
pub trait Element: Value + sealed::Sealed {
    /// The name in the terms of DLPack.
    const TYPE: DLDataType;
}

macro_rules! elements {
    ($($ty:ty = $code:literal;)*) => {$(
        impl sealed::Sealed for $ty {}
        impl Element for $ty {
            const TYPE: DLDataType = DLDataType {
                code: $code,
                bits: 8 * size_of::<$ty>() as u8,
                lanes: 1,
            };
        }
    )*};
}

elements! {
    i8 = 0; i16 = 0; i32 = 0; i64 = 0;
    u8 = 1; u16 = 1; u32 = 1; u64 = 1;
    F16 = 2; f32 = 2; f64 = 2;
    Bf16 = 4;
}

/// Why a tensor could not be imported or exported.
#[derive(Debug, thiserror::Error)]
pub enum TensorError {
    /// The tensor is not on the device of the stream.
    #[error("expected a tensor on {expected:?}, found one on {found:?}")]
    Device {
        /// The device of the stream.
        expected: DLDevice,
        /// The device of the tensor.
        found: DLDevice,
    },
    /// The elements have another type.
    #[error("expected elements of {expected:?}, found {found:?}")]
    Type {
        /// The type that was asked for.
        expected: DLDataType,
        /// The type of the tensor.
        found: DLDataType,
    },
    /// The elements do not follow each other in memory.
    #[error("expected rows without gaps, found shape {shape:?} with strides {strides:?}")]
    Gaps {
        /// The number of elements along each axis.
        shape: Vec<i64>,
        /// The distance of elements along each axis.
        strides: Vec<i64>,
    },
    /// A shape does not match the number of elements, or has a negative size.
    #[error("expected a shape of {elements} elements, found {shape:?}")]
    Shape {
        /// The number of elements along each axis.
        shape: Vec<i64>,
        /// The number of elements of the slice.
        elements: usize,
    },
    /// The driver refused the use of the memory.
    #[error("the driver refused the memory of a tensor")]
    Driver(#[from] DriverError),
}

/// A tensor that a library has handed over. When it is dropped, it goes back.
#[derive(Debug)]
pub struct Tensor {
    managed: NonNull<DLManagedTensor>,
}

// SAFETY: DLPack lets any thread call the function that takes the tensor back.
unsafe impl Send for Tensor {}

impl Drop for Tensor {
    fn drop(&mut self) {
        // SAFETY: this is the only owner of the tensor.
        unsafe {
            if let Some(deleter) = self.managed.as_ref().deleter {
                deleter(self.managed.as_ptr());
            }
        }
    }
}

/// What an exported tensor points to.
struct Exported<T> {
    slice: CudaSlice<T>,
    shape: Vec<i64>,
    strides: Vec<i64>,
}

impl Tensor {
    /// Takes over a tensor.
    ///
    /// # Safety
    /// The structure is valid, and nothing else uses it or gives it back.
    #[must_use]
    pub unsafe fn from_raw(managed: NonNull<DLManagedTensor>) -> Self {
        Self { managed }
    }

    /// Returns the structure, which now belongs to the caller.
    #[must_use]
    pub fn into_raw(self) -> NonNull<DLManagedTensor> {
        let managed = self.managed;
        std::mem::forget(self);
        managed
    }

    /// Hands over a slice: the library that gets the tensor frees the memory by giving it back.
    ///
    /// The library may use the tensor after the work that is queued on `slice.stream()` now, and
    /// gives it back after its own work on that stream.
    ///
    /// # Errors
    /// [`TensorError::Shape`] if the shape has another number of elements than the slice.
    pub fn export<T: Element>(slice: CudaSlice<T>, shape: &[i64]) -> Result<Self, TensorError> {
        if elements(shape) != Some(slice.len()) {
            return Err(TensorError::Shape {
                shape: shape.to_vec(),
                elements: slice.len(),
            });
        }
        /// Frees an exported tensor, and its slice.
        unsafe extern "C" fn delete<T>(managed: *mut DLManagedTensor) {
            // SAFETY: `export` has made both boxes, and the owner of the tensor calls this once.
            unsafe {
                let managed = Box::from_raw(managed);
                drop(Box::from_raw(managed.context.cast::<Exported<T>>()));
            }
        }
        let stream = Arc::clone(slice.stream());
        let address = slice.device_ptr(&stream).0;
        let exported = Box::leak(Box::new(Exported {
            slice,
            shape: shape.to_vec(),
            strides: strides(shape),
        }));
        let tensor = DLTensor {
            data: std::ptr::with_exposed_provenance_mut(address as usize),
            device: DLDevice::cuda(exported.slice.ordinal()),
            dimensions: shape.len() as i32,
            ty: T::TYPE,
            shape: exported.shape.as_mut_ptr(),
            strides: exported.strides.as_mut_ptr(),
            byte_offset: 0,
        };
        let managed = Box::leak(Box::new(DLManagedTensor {
            tensor,
            context: (&raw mut *exported).cast(),
            deleter: Some(delete::<T>),
        }));
        let managed = NonNull::from(managed);
        Ok(Self { managed })
    }

    fn tensor(&self) -> &DLTensor {
        // SAFETY: the structure is valid while this owns it.
        unsafe { &self.managed.as_ref().tensor }
    }

    /// Returns the number of elements along each axis.
    #[must_use]
    pub fn shape(&self) -> &[i64] {
        let tensor = self.tensor();
        // SAFETY: a tensor has as many sizes as dimensions.
        unsafe { list(tensor.shape, tensor.dimensions) }
    }

    /// Returns the elements, for kernels on `stream`.
    ///
    /// # Errors
    /// [`TensorError`] if the tensor is on another device, has other elements, or has gaps.
    ///
    /// # Safety
    /// As for [`Foreign::new`]: the library orders its own uses of the tensor before those on
    /// `stream`, and takes it back in the order of that stream. In Python, a `__dlpack__` with this
    /// stream does. No other tensor that is used meanwhile has the same memory, if a kernel writes
    /// it.
    pub unsafe fn into_slice<T: Element>(
        self,
        stream: &Arc<CudaStream>,
    ) -> Result<Foreign<T, Tensor>, TensorError> {
        let tensor = self.tensor();
        let expected = DLDevice::cuda(stream.context().ordinal());
        if tensor.device != expected {
            return Err(TensorError::Device {
                expected,
                found: tensor.device,
            });
        }
        if tensor.ty != T::TYPE {
            return Err(TensorError::Type {
                expected: T::TYPE,
                found: tensor.ty,
            });
        }
        let shape = self.shape();
        // SAFETY: a tensor with strides has as many as dimensions.
        let strides = unsafe { list(tensor.strides, tensor.dimensions) };
        if !tensor.strides.is_null() && !in_rows(shape, strides) {
            return Err(TensorError::Gaps {
                shape: shape.to_vec(),
                strides: strides.to_vec(),
            });
        }
        let len = elements(shape).ok_or_else(|| TensorError::Shape {
            shape: shape.to_vec(),
            elements: usize::MAX,
        })?;
        let address = tensor.data.addr() as u64 + tensor.byte_offset;
        // SAFETY: the library promises the elements until it gets the tensor back, and the caller
        // promises the order.
        Ok(unsafe { Foreign::new(stream, address, len, self)? })
    }
}

/// Returns the numbers of a list that may be null.
///
/// # Safety
/// The list has `len` numbers, or is null.
unsafe fn list<'a>(first: *const i64, len: i32) -> &'a [i64] {
    match usize::try_from(len) {
        // SAFETY: the caller promises the same.
        Ok(len) if len > 0 && !first.is_null() => unsafe { std::slice::from_raw_parts(first, len) },
        _ => &[],
    }
}

/// Returns the number of elements of a shape, or `None` if it has none.
fn elements(shape: &[i64]) -> Option<usize> {
    let mut sizes = shape.iter().map(|&size| usize::try_from(size).ok());
    sizes.try_fold(1usize, |product, size| product.checked_mul(size?))
}

/// Returns the strides of elements that follow each other, the last axis fastest.
fn strides(shape: &[i64]) -> Vec<i64> {
    let mut next = 1i64;
    let stride = |&size: &i64| {
        let own = next;
        next = own.saturating_mul(size);
        own
    };
    let mut strides: Vec<i64> = shape.iter().rev().map(stride).collect();
    strides.reverse();
    strides
}

/// Returns whether elements with these strides follow each other, the last axis fastest. An axis of
/// one element may have any stride, and so may the axes of a tensor without elements.
fn in_rows(shape: &[i64], found: &[i64]) -> bool {
    let expected = strides(shape);
    let mut axes = shape.iter().zip(expected.iter().zip(found));
    shape.contains(&0) || axes.all(|(&size, (expected, found))| size == 1 || found == expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_gaps_are_told_from_others() {
        assert!(in_rows(&[2, 3], &[3, 1]));
        assert!(in_rows(&[1, 3], &[77, 1]) && in_rows(&[0, 3], &[5, 7]) && in_rows(&[], &[]));
        assert!(!in_rows(&[2, 3], &[4, 1]) && !in_rows(&[2, 3], &[1, 2]));
        assert!(!in_rows(&[3], &[0]));
    }

    #[test]
    fn a_shape_that_overflows_has_no_number_of_elements() {
        assert_eq!(elements(&[2, 0, 3]), Some(0));
        assert_eq!(elements(&[]), Some(1));
        assert_eq!(elements(&[i64::MAX, 4]), None);
        assert_eq!(elements(&[-1]), None);
    }
}
