//! Surfaces: arrays of floats that kernels write texel by texel, and that can be read
//! as textures later.
//!
//! For a kernel's `Surface1d`, `Surface2d` or `Surface3d`, pass `&mut` of a [`Surface`] with that
//! number of dimensions.
//! Source: CUDA driver API, "Surface Object Management"; CUDA C++ Programming
//! Guide, "Surface Memory".

use std::panic::Location;

use lanewise_driver::abi::enums::array_flags;
use lanewise_driver::api;
use lanewise_std::surface::{Surface1d, Surface2d, Surface3d};

use crate::array::Array;
use crate::launch::{Argument, ArgumentList};
use crate::stream::order::{Access, Order};
use crate::texture::{Sampling, Texture};
use crate::{Device, DriverError, MemoryError, Stream, late};

/// An array of `DIMENSIONS` (1 to 3) dimensions, with one float per texel, which kernels write.
#[derive(Debug)]
pub struct Surface<const DIMENSIONS: usize> {
    object: SurfaceObject,
    array: Array<DIMENSIONS>,
}

/// A surface object. It is destroyed before its array.
#[derive(Debug)]
struct SurfaceObject {
    handle: u64,
    device: Device,
    /// Which launches on which streams use the array.
    uses: Order<Stream>,
}

impl Drop for SurfaceObject {
    fn drop(&mut self) {
        late::end(Ending {
            handle: self.handle,
            device: self.device.clone(),
            uses: self.uses.clone(),
        });
    }
}

/// The handle of a surface object that was dropped.
struct Ending {
    handle: u64,
    device: Device,
    uses: Order<Stream>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        // Kernels that use the surface may still run.
        if self.uses.synchronize().is_ok() && self.device.make_current(Location::caller()).is_ok() {
            // SAFETY: the surface owned the handle, and no kernel uses it any more.
            let _ = unsafe { api::cuSurfObjectDestroy(self.handle) };
        }
    }
}

impl<const DIMENSIONS: usize> Surface<DIMENSIONS> {
    /// Makes a surface of `texels`; the index along the first axis changes fastest.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`] if the number of texels differs from that of `size`, or
    /// the driver's error, for example `CUDA_ERROR_INVALID_VALUE` if a size is 0 or larger than
    /// the device allows.
    #[track_caller]
    pub fn from_slice(
        device: &Device,
        texels: &[f32],
        size: [usize; DIMENSIONS],
    ) -> Result<Self, MemoryError> {
        let at = Location::caller();
        let flags = array_flags::SURFACE_LDST;
        Self::over(Array::new(device, texels, size, flags, at)?, at)
    }

    /// Makes the surface of an array that nothing else uses.
    fn over(array: Array<DIMENSIONS>, at: &'static Location<'static>) -> Result<Self, MemoryError> {
        let (resource, mut handle) = (array.resource(), 0);
        // SAFETY: the descriptor is complete, and the handle is written to a variable.
        let made = unsafe { api::cuSurfObjectCreate(&mut handle, &resource) };
        DriverError::check("cuSurfObjectCreate", made, at)?;
        Ok(Self {
            object: SurfaceObject {
                handle,
                device: array.device.clone(),
                uses: array.uses.clone(),
            },
            array,
        })
    }

    /// Makes a surface of zeros.
    ///
    /// # Errors
    /// As [`Surface::from_slice`].
    #[track_caller]
    pub fn zeroed(device: &Device, size: [usize; DIMENSIONS]) -> Result<Self, MemoryError> {
        let at = Location::caller();
        let flags = array_flags::SURFACE_LDST;
        Self::over(Array::zeroed(device, size, flags, at)?, at)
    }

    /// Returns the number of texels on each axis.
    pub fn size(&self) -> [usize; DIMENSIONS] {
        self.array.size
    }

    /// Waits for the launches that write the surface, and returns the texels; the index along the
    /// first axis changes fastest.
    ///
    /// # Errors
    /// The driver's error, for example the fault of a kernel that ran before.
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<f32>, MemoryError> {
        self.array.uses.synchronize()?;
        Ok(self.array.to_vec(Location::caller())?)
    }

    /// Waits for the launches that write the surface, and makes a texture of the same texels, which
    /// kernels read through a sampler.
    ///
    /// # Errors
    /// The driver's error, for example the fault of a kernel that ran before.
    #[track_caller]
    pub fn into_texture(self, sampling: Sampling) -> Result<Texture<DIMENSIONS>, MemoryError> {
        self.array.uses.synchronize()?;
        let Self { object, array } = self;
        drop(object);
        Texture::over(array, sampling, Location::caller())
    }
}

macro_rules! arguments {
    ($($kernel:ident $dimensions:literal;)*) => {$(
        // SAFETY: the surface object outlives the kernels that it is passed to, because dropping it
        // waits for them. Launches with it are ordered.
        unsafe impl Argument<$kernel> for &mut Surface<$dimensions> {
            fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
                list.push_of(&self.object.device, "surface", self.object.handle)?;
                list.note_uses(&self.array.uses, Access::Write)
            }
        }
    )*};
}

arguments! {
    Surface1d 1;
    Surface2d 2;
    Surface3d 3;
}
