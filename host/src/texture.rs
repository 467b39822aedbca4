//! Textures of floats: arrays that kernels read through a sampler.
//!
//! [`Texture`] makes the array, fills it, and makes the texture object over it. For a kernel's
//! `Texture1d`, `Texture2d` or `Texture3d`, pass a reference to one with that number of dimensions.
//! Source: CUDA driver API, "Texture Object Management", `cuArray3DCreate`; CUDA C++ Programming
//! Guide, "Texture Memory".

use std::panic::Location;
use std::ptr::null;

use lanewise_driver::abi::CUDA_TEXTURE_DESC;
use lanewise_driver::abi::enums::{address_mode, filter_mode, texture_flags};
use lanewise_driver::api;

use crate::array::Array;
use crate::launch::argument::{Argument, ArgumentList};
use crate::stream::order::{Access, Order};
use crate::{Device, DriverError, MemoryError, Stream, late};
use lanewise_std::texture::{Texture1d, Texture2d, Texture3d};

/// The value of a fetch between texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Filter {
    /// The nearest texel.
    #[default]
    Point,
    /// A weighted sum of the surrounding texels, with weights of 9 bits.
    Linear,
}

/// The value of a fetch outside the texture.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum AddressMode {
    /// The nearest texel of the edge.
    #[default]
    Clamp,
    /// The texture repeats. Only for normalised coordinates; otherwise as [`AddressMode::Clamp`].
    Wrap,
    /// The texture repeats, every other time reversed. Only for normalised coordinates;
    /// otherwise as [`AddressMode::Clamp`].
    Mirror,
    /// The texture has this value there.
    Border(f32),
}

/// How a texture is read.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sampling {
    /// The value of a read between texels.
    pub filter: Filter,
    /// The value of a read outside the texture.
    pub address_mode: AddressMode,
    /// Whether coordinates run from 0 to 1 over the texture. Otherwise they count texels.
    pub normalized: bool,
}

/// A texture of `DIMENSIONS` (1 to 3) dimensions, with one float per texel.
#[derive(Debug)]
pub struct Texture<const DIMENSIONS: usize> {
    object: u64,
    array: Array<DIMENSIONS>,
}

impl<const DIMENSIONS: usize> Texture<DIMENSIONS> {
    /// Makes a texture of `texels` that is read with `sampling`. The index along the first axis
    /// changes fastest in `texels`.
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
        sampling: Sampling,
    ) -> Result<Self, MemoryError> {
        let at = Location::caller();
        Self::over(Array::new(device, texels, size, 0, at)?, sampling, at)
    }

    /// Makes a texture over an array that is no longer written.
    pub(crate) fn over(
        array: Array<DIMENSIONS>,
        sampling: Sampling,
        at: &'static Location<'static>,
    ) -> Result<Self, MemoryError> {
        let object = sampler(&array, sampling, at)?;
        Ok(Self { object, array })
    }

    /// Returns the number of texels on each axis.
    pub fn size(&self) -> [usize; DIMENSIONS] {
        self.array.size
    }

    /// Returns the handle that kernels use.
    pub fn handle(&self) -> u64 {
        self.object
    }
}

/// Makes the texture object over an array.
fn sampler<const DIMENSIONS: usize>(
    array: &Array<DIMENSIONS>,
    sampling: Sampling,
    at: &'static Location<'static>,
) -> Result<u64, DriverError> {
    array.device.make_current(at)?;
    let resource = array.resource();
    let (mode, border) = match sampling.address_mode {
        AddressMode::Clamp => (address_mode::CLAMP, 0.0),
        AddressMode::Wrap => (address_mode::WRAP, 0.0),
        AddressMode::Mirror => (address_mode::MIRROR, 0.0),
        AddressMode::Border(value) => (address_mode::BORDER, value),
    };
    let filter = match sampling.filter {
        Filter::Point => filter_mode::POINT,
        Filter::Linear => filter_mode::LINEAR,
    };
    let normalized = u32::from(sampling.normalized) * texture_flags::NORMALIZED_COORDINATES;
    let how = CUDA_TEXTURE_DESC {
        address_mode: [mode; 3],
        filter_mode: filter,
        flags: normalized,
        max_anisotropy: 0,
        mipmap_filter_mode: filter_mode::POINT,
        mipmap_level_bias: 0.0,
        min_mipmap_level_clamp: 0.0,
        max_mipmap_level_clamp: 0.0,
        border_color: [border; 4],
        reserved: [0; 12],
    };
    let mut object = 0;
    // SAFETY: the descriptors are complete, and the handle is written to a variable.
    let made = unsafe { api::cuTexObjectCreate(&mut object, &resource, &how, null()) };
    DriverError::check("cuTexObjectCreate", made, at)?;
    Ok(object)
}

impl<const DIMENSIONS: usize> Drop for Texture<DIMENSIONS> {
    fn drop(&mut self) {
        // The texture object is destroyed before the array, which is dropped next.
        late::end(Ending {
            object: self.object,
            device: self.array.device.clone(),
            uses: self.array.uses.clone(),
        });
    }
}

/// The handle of a texture object that was dropped.
struct Ending {
    object: u64,
    device: Device,
    uses: Order<Stream>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        // Kernels that use the texture may still run. After a fault the object cannot be destroyed,
        // and nothing uses it.
        if self.uses.synchronize().is_ok() && self.device.make_current(Location::caller()).is_ok() {
            // SAFETY: the texture owned the handle, and no kernel reads it any more.
            let _ = unsafe { api::cuTexObjectDestroy(self.object) };
        }
    }
}

macro_rules! arguments {
    ($($kernel:ident $dimensions:literal;)*) => {$(
        // SAFETY: the texture object outlives the kernels that it is passed to, because dropping it
        // waits for them.
        unsafe impl Argument<$kernel> for &Texture<$dimensions> {
            fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
                list.push_of(&self.array.device, "texture", self.handle())?;
                list.note_uses(&self.array.uses, Access::Read)
            }
        }
    )*};
}

arguments! {
    Texture1d 1;
    Texture2d 2;
    Texture3d 3;
}
