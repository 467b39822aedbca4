//! Surfaces: arrays of floats that kernels write texel by texel, to be read as textures later.
//!
//! A kernel that takes a `Surface1d`, `Surface2d` or `Surface3d` is passed `&mut` of a [`Surface`]
//! of as many dimensions.
//! Source: CUDA driver API, "Surface Object Management"; CUDA C++ Programming Guide, "Surface
//! Memory".

use std::panic::Location;

use cust::sys;
use lanewise_std::surface::{Surface1d, Surface2d, Surface3d};

use crate::array::Array;
use crate::launch::{Argument, ArgumentList};
use crate::stream::order::{Access, Order};
use crate::texture::{Sampling, Texture};
use crate::{Device, DriverError, MemoryError, Stream, late};

/// An array of `DIMENSIONS` (1 to 3) dimensions, of one float a texel, which kernels write.
#[derive(Debug)]
pub struct Surface<const DIMENSIONS: usize> {
    object: SurfaceObject,
    array: Array<DIMENSIONS>,
}

/// A surface object; it goes before its array does.
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

/// A surface object that nobody has any more.
struct Ending {
    handle: u64,
    device: Device,
    uses: Order<Stream>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        // Kernels that were passed it may still run.
        if self.uses.synchronize().is_ok() && self.device.make_current(Location::caller()).is_ok() {
            // SAFETY: the surface's own, which no kernel uses any more.
            let _ = unsafe { sys::cuSurfObjectDestroy(self.handle) };
        }
    }
}

impl<const DIMENSIONS: usize> Surface<DIMENSIONS> {
    /// A surface of `texels`, the first axis fastest.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`] when there are not as many texels as `size` says, or the
    /// driver's error: among others `CUDA_ERROR_INVALID_VALUE` for a size of 0 or more than the
    /// device's surfaces have.
    #[track_caller]
    pub fn from_slice(
        device: &Device,
        texels: &[f32],
        size: [usize; DIMENSIONS],
    ) -> Result<Self, MemoryError> {
        let at = Location::caller();
        let flags = sys::CUDA_ARRAY3D_SURFACE_LDST;
        Self::over(Array::new(device, texels, size, flags, at)?, at)
    }

    /// Returns the surface of an array that nobody else has.
    fn over(array: Array<DIMENSIONS>, at: &'static Location<'static>) -> Result<Self, MemoryError> {
        let (resource, mut handle) = (array.resource(), 0);
        // SAFETY: a whole descriptor, and a variable for the handle.
        let made = unsafe { sys::cuSurfObjectCreate(&mut handle, &resource) };
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

    /// A surface of zeros.
    ///
    /// # Errors
    /// What [`Surface::from_slice`] fails with.
    #[track_caller]
    pub fn zeroed(device: &Device, size: [usize; DIMENSIONS]) -> Result<Self, MemoryError> {
        let at = Location::caller();
        let flags = sys::CUDA_ARRAY3D_SURFACE_LDST;
        Self::over(Array::zeroed(device, size, flags, at)?, at)
    }

    /// Texels on each axis.
    pub fn size(&self) -> [usize; DIMENSIONS] {
        self.array.size
    }

    /// Returns the texels, the first axis fastest, once the launches that write them have ended.
    ///
    /// # Errors
    /// The driver's error, for example the fault of a kernel that ran before.
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<f32>, MemoryError> {
        self.array.uses.synchronize()?;
        Ok(self.array.to_vec(Location::caller())?)
    }

    /// The same texels as a texture, which kernels read through a sampler, once the launches that
    /// write them have ended.
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
        // SAFETY: a surface object, which outlives the kernels that it is passed to: dropping one
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
