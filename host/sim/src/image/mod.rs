//! Textures and surfaces, which kernels access through handles.
//!
//! PTX ISA 5.3, "Texture Sampler and Surface Types"; CUDA C++ Programming Guide, "Texture and
//! Surface Memory". An [`Image`] is memory with a shape and a format. A [`Texture`] reads images
//! through a [`Sampler`]. A surface is an image that kernels can also write. Kernels have 64-bit
//! handles from [`Images`]. A handle is never an address, so a wrong one is found and reported.
//!
//! A GPU stores arrays in an order of its own, for locality in two dimensions. Here the rows lie
//! one after another. No program can see the difference, because arrays have no addresses in CUDA.

mod table;

pub use crate::semantics::texture::AddressMode;
pub(crate) use table::Snapshot;
pub use table::{Images, Object};

/// The type of one channel of a texel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// 8 bits, unsigned.
    U8,
    /// 16 bits, unsigned.
    U16,
    /// 32 bits, unsigned.
    U32,
    /// 8 bits, signed.
    I8,
    /// 16 bits, signed.
    I16,
    /// 32 bits, signed.
    I32,
    /// A half-precision float.
    F16,
    /// A single-precision float.
    F32,
}

impl Format {
    /// Returns the bytes of one channel.
    pub fn bytes(self) -> u32 {
        match self {
            Format::U8 | Format::I8 => 1,
            Format::U16 | Format::I16 | Format::F16 => 2,
            Format::U32 | Format::I32 | Format::F32 => 4,
        }
    }

    /// Returns whether channels are stored as floats.
    pub fn is_float(self) -> bool {
        matches!(self, Format::F16 | Format::F32)
    }

    /// Returns OpenCL's number of the format, which `txq.channel_data_type` reads.
    pub(crate) fn data_type(self) -> u32 {
        match self {
            Format::I8 => 0x10d7,
            Format::I16 => 0x10d8,
            Format::I32 => 0x10d9,
            Format::U8 => 0x10da,
            Format::U16 => 0x10db,
            Format::U32 => 0x10dc,
            Format::F16 => 0x10dd,
            Format::F32 => 0x10de,
        }
    }
}

/// The way in which an image's texels are indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Linear memory, indexed by an integer. A texel outside reads as zero.
    Linear,
    /// One dimension: a line of texels.
    D1,
    /// Two dimensions: rows of texels.
    D2,
    /// Three dimensions: slices of rows.
    D3,
    /// Several lines, selected by a layer index.
    Layered1,
    /// Several planes, selected by a layer index.
    Layered2,
    /// The six faces of a cube.
    Cube,
    /// Several cubes, selected by a layer index.
    LayeredCube,
}

/// Memory with a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image {
    /// The address of the first texel.
    pub address: u64,
    /// The type of a channel.
    pub format: Format,
    /// Channels of a texel: 1, 2 or 4.
    pub channels: u32,
    /// How texels are indexed.
    pub shape: Shape,
    /// Texels of a row.
    pub width: u32,
    /// Rows of a slice; 1 for lines.
    pub height: u32,
    /// The number of slices: of a volume, layers, or faces (six for each cube); 1 for
    /// lines and planes.
    pub depth: u32,
    /// Bytes from the start of a row to the next.
    pub row: u64,
    /// Bytes from the start of a slice to the next.
    pub slice: u64,
}

impl Image {
    /// Returns the bytes of a texel.
    pub fn texel_bytes(&self) -> u32 {
        self.channels * self.format.bytes()
    }

    /// Returns the bytes of the texels of a row.
    pub fn row_bytes(&self) -> u64 {
        u64::from(self.width) * u64::from(self.texel_bytes())
    }

    /// Returns the number of bytes from the start of the first texel to the end of the last.
    /// Returns `None` if the number overflows, or if there is no texel.
    pub fn bytes(&self) -> Option<u64> {
        let rows = u64::from(self.height)
            .checked_sub(1)?
            .checked_mul(self.row)?;
        let slices = u64::from(self.depth)
            .checked_sub(1)?
            .checked_mul(self.slice)?;
        let end = rows.checked_add(slices)?.checked_add(self.row_bytes())?;
        self.address.checked_add(end)?;
        (self.width > 0).then_some(end)
    }

    /// Returns the number of layers, if the shape has layers. For cubes, it is the number of cubes.
    pub(crate) fn layers(&self) -> u32 {
        match self.shape {
            Shape::Layered1 | Shape::Layered2 => self.depth,
            Shape::LayeredCube => self.depth / 6,
            _ => 1,
        }
    }

    /// Returns the address of byte `x` of row `y` of slice `z`. All three must be inside the image.
    pub fn at(&self, x: u64, y: u32, z: u32) -> u64 {
        self.address + x + u64::from(y) * self.row + u64::from(z) * self.slice
    }
}

/// The way in which a sampler computes a value from coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The value of the nearest texel.
    Point,
    /// A linear interpolation between the two nearest texels on each axis; for float values only.
    Linear,
}

/// The settings with which a texture is read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampler {
    /// The address mode of each axis, for coordinates outside the image.
    pub address: [AddressMode; 3],
    /// The filter between texels of one level.
    pub filter: Filter,
    /// Whether coordinates are normalized, from 0 to 1 over the image.
    pub normalized: bool,
    /// Whether 8- and 16-bit integers are read as floats from 0 (signed: from -1) to 1.
    pub as_float: bool,
    /// The texel that [`AddressMode::Border`] reads.
    pub border: [f32; 4],
    /// The filter between levels: the nearest one, or an interpolation between two.
    pub level_filter: Filter,
    /// A bias that is added to the requested level.
    pub level_bias: f32,
    /// The smallest and the largest level that is read.
    pub levels: [f32; 2],
}

impl Default for Sampler {
    fn default() -> Self {
        Self {
            address: [AddressMode::Clamp; 3],
            filter: Filter::Point,
            normalized: false,
            as_float: false,
            border: [0.0; 4],
            level_filter: Filter::Point,
            level_bias: 0.0,
            levels: [0.0; 2],
        }
    }
}

/// Images with a sampler. Each image has half the extents of the one before it.
#[derive(Debug, Clone, PartialEq)]
pub struct Texture {
    /// The levels: one image, or a chain of mipmaps.
    pub levels: Vec<Image>,
    /// The settings with which they are read.
    pub sampler: Sampler,
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLANE: Image = Image {
        address: 4096,
        format: Format::U16,
        channels: 2,
        shape: Shape::D2,
        width: 5,
        height: 3,
        depth: 1,
        row: 64,
        slice: 192,
    };

    #[test]
    fn an_image_ends_with_its_last_texel() {
        assert_eq!(PLANE.bytes(), Some(2 * 64 + 20));
        assert_eq!(Image { depth: 2, ..PLANE }.bytes(), Some(192 + 2 * 64 + 20));
        assert_eq!(PLANE.at(16, 2, 0) + 4, 4096 + 148);
    }

    #[test]
    fn an_image_without_texels_or_past_all_addresses_has_no_size() {
        assert_eq!(Image { width: 0, ..PLANE }.bytes(), None);
        assert_eq!(Image { height: 0, ..PLANE }.bytes(), None);
        assert_eq!(
            Image {
                row: u64::MAX,
                ..PLANE
            }
            .bytes(),
            None
        );
        assert_eq!(
            Image {
                address: u64::MAX - 9,
                ..PLANE
            }
            .bytes(),
            None
        );
    }
}
