//! Matrices and volumes on the device whose rows are padded, so that each starts at
//! an aligned address.
//!
//! The driver chooses the pitch, which is the distance between the starts of two rows
//! ([`PitchedBuffer::pitch`]). A program passes the pitch to the kernel. Copies to and from the
//! host leave the padding out.
//! Source: CUDA driver API, `cuMemAllocPitch`, `cuMemcpy2D`, `cuMemcpy3D`; CUDA C++ Programming
//! Guide, "Device Memory".

use std::ffi::c_void;
use std::mem::{ManuallyDrop, size_of};
use std::panic::Location;
use std::ptr::null_mut;

use bytemuck::Zeroable;
use lanewise_driver::abi::enums::memory_type;
use lanewise_driver::abi::{CUDA_MEMCPY2D, CUDA_MEMCPY3D, Side2D, Side3D};
use lanewise_driver::api;

use crate::stream::order::Access;
use crate::{Device, DeviceBuffer, DeviceCopy, DriverError, MemoryError};

/// `nz` planes of `ny` rows of `nx` elements, each row padded to the pitch. The padding is
/// zero. Kernels and [`PitchedBuffer::padded`] read it as elements, so a type that can't be
/// zero is refused.
/// ```compile_fail,E0277
/// # fn f(device: lanewise::Device) {
/// let one = std::num::NonZeroU32::MIN;
/// let matrix = lanewise::PitchedBuffer::from_matrix(&device, &[one], [1, 1]);
/// # }
/// ```
#[derive(Debug)]
pub struct PitchedBuffer<T: DeviceCopy> {
    padded: DeviceBuffer<T>,
    pitch: usize,
    size: [usize; 3],
}

impl<T: DeviceCopy> PitchedBuffer<T> {
    /// The element size for `cuMemAllocPitch`; the pitch is a multiple of it.
    const ELEMENT: u32 = {
        assert!(
            matches!(size_of::<T>(), 4 | 8 | 16),
            "a pitched buffer holds elements of 4, 8 or 16 bytes"
        );
        size_of::<T>() as u32
    };

    /// Makes a buffer with a copy of a matrix of `nx` columns and `ny` rows.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`] if `host` has another number of elements, or
    /// the driver's error.
    #[track_caller]
    pub fn from_matrix(
        device: &Device,
        host: &[T],
        [nx, ny]: [usize; 2],
    ) -> Result<Self, MemoryError>
    where
        T: Zeroable,
    {
        Self::from_volume(device, host, [nx, ny, 1])
    }

    /// Makes a buffer with a copy of a volume of `nz` planes of `ny` rows of `nx` elements.
    ///
    /// # Errors
    /// As [`Self::from_matrix`].
    #[track_caller]
    pub fn from_volume(device: &Device, host: &[T], size: [usize; 3]) -> Result<Self, MemoryError>
    where
        T: Zeroable,
    {
        let at = Location::caller();
        let elements = size
            .iter()
            .try_fold(1, |n: usize, &side| n.checked_mul(side));
        if elements != Some(host.len()) {
            return Err(MemoryError::LengthMismatch {
                buffer: elements.unwrap_or(usize::MAX),
                host: host.len(),
                at,
            });
        }
        let mut buffer = Self::allocate(device, size, at)?;
        buffer.copy_in(host, at)?;
        Ok(buffer)
    }

    /// Returns the number of elements from the start of a row to the start of the next.
    pub fn pitch(&self) -> usize {
        self.pitch
    }

    /// Returns the number of columns, of rows and of planes.
    pub fn size(&self) -> [usize; 3] {
        self.size
    }

    /// Returns all rows with their padding. A kernel gets the same for `&pitched`
    /// or `&mut pitched`.
    ///
    /// There is no method that returns `&mut DeviceBuffer`, because a caller could replace the
    /// buffer by a shorter one.
    pub fn padded(&self) -> &DeviceBuffer<T> {
        &self.padded
    }

    /// Copies the rows to the host, without their padding.
    ///
    /// # Errors
    /// The driver's error, for example the fault of a kernel that ran before.
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>, MemoryError> {
        let at = Location::caller();
        let begun = self.padded.use_now(Access::Read, at)?;
        let elements = self.size.iter().product();
        let mut host: Vec<T> = Vec::with_capacity(elements);
        self.copy(Direction::ToHost(host.as_mut_ptr()), at)?;
        self.padded.used_now(begun, Access::Read, at)?;
        // SAFETY: the copy has filled this many elements, which were all initialised on the device.
        unsafe { host.set_len(elements) };
        Ok(host)
    }

    fn allocate(
        device: &Device,
        size: [usize; 3],
        at: &'static Location<'static>,
    ) -> Result<Self, MemoryError> {
        let [nx, ny, nz] = size;
        if size.contains(&0) {
            // The driver does not allocate empty matrices.
            let padded = DeviceBuffer::from_slice(device, &[])?;
            return Ok(Self {
                padded,
                pitch: nx,
                size,
            });
        }
        device.make_current(at)?;
        let (mut address, mut bytes) = (0, 0);
        lanewise_driver::set_call_site(Some(at));
        // SAFETY: both results are written to local variables. Sizes that overflow saturate, and
        // the driver refuses them.
        let result = unsafe {
            let width = nx.saturating_mul(size_of::<T>());
            api::cuMemAllocPitch_v2(
                &mut address,
                &mut bytes,
                width,
                ny.saturating_mul(nz),
                Self::ELEMENT,
            )
        };
        lanewise_driver::set_call_site(None);
        DriverError::check("cuMemAllocPitch", result, at)?;
        // SAFETY: the allocation has `ny * nz` rows of `bytes` bytes.
        let result = unsafe { api::cuMemsetD8_v2(address, 0, bytes * ny * nz) };
        let pitch = bytes / size_of::<T>();
        // SAFETY: only this buffer owns the memory, and it has this length. It holds values of `T`
        // once the caller has copied them. The padding is zero, which is a `T` too.
        let padded = unsafe { DeviceBuffer::borrow_raw(device, address, pitch * ny * nz) };
        // From here on, dropping the buffer frees the memory.
        let padded = ManuallyDrop::into_inner(padded);
        DriverError::check("cuMemsetD8", result, at)?;
        Ok(Self {
            padded,
            pitch,
            size,
        })
    }

    fn copy_in(&mut self, host: &[T], at: &'static Location<'static>) -> Result<(), DriverError> {
        let begun = self.padded.use_now(Access::Write, at)?;
        self.copy(Direction::ToDevice(host.as_ptr()), at)?;
        self.padded.used_now(begun, Access::Write, at)
    }

    /// Copies all rows. A matrix is copied by the driver's call for two dimensions, and a volume by
    /// the call for three.
    fn copy(
        &self,
        direction: Direction<T>,
        at: &'static Location<'static>,
    ) -> Result<(), DriverError> {
        if self.padded.is_empty() {
            return Ok(());
        }
        let [nx, ny, nz] = self.size;
        let (width, pitch) = (nx * size_of::<T>(), self.pitch * size_of::<T>());
        let host = |host: *mut c_void| (memory_type::HOST, host, width);
        let device = (memory_type::DEVICE, null_mut(), pitch);
        let (from, to) = match direction {
            Direction::ToDevice(from) => (host(from.cast_mut().cast()), device),
            Direction::ToHost(to) => (device, host(to.cast())),
        };
        let address = self.padded.address();
        let side = |(memory_type, host, pitch)| Side2D {
            memory_type,
            host,
            device: address,
            pitch,
            ..Side2D::NONE
        };
        if nz > 1 {
            let side = |(memory_type, host, pitch)| Side3D {
                memory_type,
                host,
                device: address,
                pitch,
                height: ny,
                ..Side3D::NONE
            };
            let copy = CUDA_MEMCPY3D {
                src: side(from),
                dst: side(to),
                width_in_bytes: width,
                height: ny,
                depth: nz,
            };
            // SAFETY: the host's memory has the number of elements that the size gives, and the
            // buffer has the rows.
            let result = unsafe { api::cuMemcpy3D_v2(&copy) };
            return DriverError::check("cuMemcpy3D", result, at);
        }
        let copy = CUDA_MEMCPY2D {
            src: side(from),
            dst: side(to),
            width_in_bytes: width,
            height: ny,
        };
        // SAFETY: as above.
        DriverError::check("cuMemcpy2D", unsafe { api::cuMemcpy2D_v2(&copy) }, at)
    }
}

/// The direction of a copy, with the host's address.
enum Direction<T> {
    ToDevice(*const T),
    ToHost(*mut T),
}
