//! A buffer's bytes seen as values of another type: the same memory, for a kernel that takes the
//! bits of floats as integers. Nothing is copied.

use bytemuck::Pod;

use crate::memory::buffer::Borrowed;
use crate::{DeviceBuffer, DeviceCopy, Part, View};

impl<T: DeviceCopy + Pod> DeviceBuffer<T> {
    /// Returns the buffer as values of another type of the same size, to read.
    ///
    /// ```
    /// # use lanewise::{Device, DeviceBuffer};
    /// # let device = Device::open()?;
    /// let buffer = DeviceBuffer::from_slice(&device, &[1.0f32, -0.0])?;
    /// assert_eq!(buffer.cast::<u32>().to_vec()?, [0x3F80_0000, 0x8000_0000]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Types of different sizes do not compile:
    /// ```compile_fail,E0080
    /// # use lanewise::{Device, DeviceBuffer};
    /// # let device = Device::open().unwrap();
    /// let buffer = DeviceBuffer::from_slice(&device, &[1.0f32]).unwrap();
    /// buffer.cast::<u64>();
    /// ```
    #[must_use]
    pub fn cast<V: DeviceCopy + Pod>(&self) -> View<'_, V> {
        View::of(self.as_other())
    }

    /// As [`Self::cast`], for a kernel that writes them.
    ///
    /// ```
    /// # use lanewise::{Device, DeviceBuffer};
    /// # let device = Device::open()?;
    /// let mut buffer = DeviceBuffer::<f32>::zeroed(&device, 2)?;
    /// buffer.cast_mut::<u32>().copy_from_slice(&[0x3F80_0000, 0x4000_0000])?;
    /// assert_eq!(buffer.to_vec()?, [1.0, 2.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cast_mut<V: DeviceCopy + Pod>(&mut self) -> Part<'_, V> {
        Part::of(self.as_other())
    }

    /// Returns a buffer of another type over the same memory. Its uses count as uses of this one.
    fn as_other<V: DeviceCopy + Pod>(&self) -> Borrowed<V> {
        const {
            assert!(
                size_of::<T>() == size_of::<V>() && align_of::<T>() == align_of::<V>(),
                "the types differ in size or alignment"
            );
        }
        // SAFETY: any bytes are valid values of both types, and both have the same size and
        // alignment. The caller's borrow keeps the memory.
        unsafe { self.reinterpret(self.len()) }
    }
}
