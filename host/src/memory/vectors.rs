//! A buffer of numbers seen as vectors: the same memory, for kernels that take `&[Float4]` or
//! `DisjointSlice<Float4>`. Nothing is copied.
//!
//! An access to a vector is one instruction, and that needs the vector's alignment. A buffer's own
//! memory has it. A part of a buffer that begins at an odd element does not, so it is checked here,
//! where the host makes the vectors.

use std::any::type_name;
use std::panic::Location;

use lanewise_std::vector::Vector;

use crate::memory::buffer::Borrowed;
use crate::{
    DeviceBuffer, DeviceCopy, GraphBuffer, IpcBuffer, ManagedBuffer, Mapped, MemoryError, Part,
    View,
};

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// Returns the buffer as vectors of its elements, to read.
    ///
    /// ```
    /// # use lanewise::{Device, DeviceBuffer};
    /// use lanewise_std::vector::Float4;
    ///
    /// # let device = Device::open()?;
    /// let buffer = DeviceBuffer::from_slice(&device, &[1.0f32, 2.0, 3.0, 4.0])?;
    /// let vectors = buffer.as_vectors::<Float4>()?;
    /// assert_eq!(vectors.to_vec()?, [Float4::new(1.0, 2.0, 3.0, 4.0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`MemoryError::NotWholeVectors`] if elements are left over after the last vector,
    /// [`MemoryError::NotAligned`] if the first element is not where a vector may begin.
    #[track_caller]
    pub fn as_vectors<V>(&self) -> Result<View<'_, V>, MemoryError>
    where
        V: Vector<Element = T> + DeviceCopy,
    {
        Ok(View::of(self.vectors()?))
    }

    /// As [`Self::as_vectors`], for a kernel that writes them.
    ///
    /// ```
    /// # use lanewise::{Device, DeviceBuffer};
    /// use lanewise_std::vector::Float4;
    ///
    /// # let device = Device::open()?;
    /// let mut buffer = DeviceBuffer::<f32>::zeroed(&device, 8)?;
    /// let mut vectors = buffer.as_vectors_mut::<Float4>()?;
    /// vectors.copy_from_slice(&[Float4::splat(1.0), Float4::splat(2.0)])?;
    /// assert_eq!(buffer.to_vec()?, [1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::as_vectors`].
    #[track_caller]
    pub fn as_vectors_mut<V>(&mut self) -> Result<Part<'_, V>, MemoryError>
    where
        V: Vector<Element = T> + DeviceCopy,
    {
        Ok(Part::of(self.vectors()?))
    }

    /// Returns a buffer of vectors over the same memory. Its uses count as uses of this buffer.
    #[track_caller]
    fn vectors<V>(&self) -> Result<Borrowed<V>, MemoryError>
    where
        V: Vector<Element = T> + DeviceCopy,
    {
        let (len, lanes, at) = (self.len(), V::LANES, Location::caller());
        if !len.is_multiple_of(lanes) {
            return Err(MemoryError::NotWholeVectors {
                len,
                lanes,
                vector: type_name::<V>(),
                at,
            });
        }
        let beyond = self.address() % align_of::<V>() as u64;
        if len > 0 && beyond != 0 {
            return Err(MemoryError::NotAligned {
                beyond,
                alignment: align_of::<V>(),
                vector: type_name::<V>(),
                at,
            });
        }
        // SAFETY: `V` is `LANES` values of `T`, one after another, and any values of `T` make a
        // valid `V`. So the memory holds this many of them. It is aligned, as was checked, and the
        // caller's borrow keeps it.
        Ok(unsafe { self.reinterpret(len / lanes) })
    }
}

macro_rules! others {
    ($($buffer:ty: $as_device_buffer:expr;)*) => {$(
        impl<T: DeviceCopy> $buffer {
            /// Returns the buffer as vectors to write: see [`DeviceBuffer::as_vectors_mut`].
            ///
            /// # Errors
            /// As [`DeviceBuffer::as_vectors`].
            #[track_caller]
            pub fn as_vectors_mut<V>(&mut self) -> Result<Part<'_, V>, MemoryError>
            where
                V: Vector<Element = T> + DeviceCopy,
            {
                Ok(Part::of($as_device_buffer(self).vectors()?))
            }
        }
    )*};
}

others! {
    ManagedBuffer<T>: ManagedBuffer::buffer;
    Mapped<'_, T>: |mapped| -> &DeviceBuffer<T> { mapped };
    Part<'_, T>: |part| -> &DeviceBuffer<T> { part };
    GraphBuffer<'_, T>: |buffer| -> &DeviceBuffer<T> { buffer };
    IpcBuffer<T>: |buffer| -> &DeviceBuffer<T> { buffer };
}

impl<T: DeviceCopy> ManagedBuffer<T> {
    /// Returns the buffer as vectors to read: see [`DeviceBuffer::as_vectors`].
    ///
    /// # Errors
    /// As [`DeviceBuffer::as_vectors`].
    #[track_caller]
    pub fn as_vectors<V>(&self) -> Result<View<'_, V>, MemoryError>
    where
        V: Vector<Element = T> + DeviceCopy,
    {
        self.buffer().as_vectors()
    }
}
