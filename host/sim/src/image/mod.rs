//! Textures and surfaces: what a handle in a kernel names.
//!
//! PTX ISA 5.3, "Texture Sampler and Surface Types"; CUDA C++ Programming Guide, "Texture and
//! Surface Memory". An [`Image`] is memory with a shape and a format; a [`Texture`] reads images
//! through a [`Sampler`]; a surface is an image that kernels write as well. Kernels hold 64-bit
//! handles, which [`Images`] gives out: a handle is never an address, so a wrong one is found and
//! reported.
//!
//! A GPU keeps arrays in an order of its own, for locality in two dimensions; here rows lie one
//! after another. No program can tell, since arrays have no addresses in CUDA.

mod table;

pub use crate::semantics::texture::AddressMode;
pub(crate) use table::Snapshot;
pub use table::{Images, Object};

/// What one channel of a texel is.
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
    /// Bytes of one channel.
    pub fn bytes(self) -> u32 {
        match self {
            Format::U8 | Format::I8 => 1,
            Format::U16 | Format::I16 | Format::F16 => 2,
            Format::U32 | Format::I32 | Format::F32 => 4,
        }
    }

    /// Whether texels are floats as they lie.
    pub fn is_float(self) -> bool {
        matches!(self, Format::F16 | Format::F32)
    }

    /// OpenCL's number for it, which `txq.channel_data_type` gives.
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

/// How an image's texels are indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Plain memory, by an integer; what lies outside reads as zero.
    Linear,
    /// One dimension: a line of texels.
    D1,
    /// Two dimensions: rows of texels.
    D2,
    /// Three dimensions: slices of rows.
    D3,
    /// Lines, by a layer's number.
    Layered1,
    /// Planes, by a layer's number.
    Layered2,
    /// Six planes around a centre.
    Cube,
    /// Cubes, by a layer's number.
    LayeredCube,
}

/// Memory with a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image {
    /// The first texel's address.
    pub address: u64,
    /// What a channel is.
    pub format: Format,
    /// Channels of a texel: 1, 2 or 4.
    pub channels: u32,
    /// How texels are indexed.
    pub shape: Shape,
    /// Texels of a row.
    pub width: u32,
    /// Rows of a slice; 1 for lines.
    pub height: u32,
    /// Slices: of a volume, layers, or faces (six for each cube); 1 for lines and planes.
    pub depth: u32,
    /// Bytes from row to row.
    pub row: u64,
    /// Bytes from slice to slice.
    pub slice: u64,
}

impl Image {
    /// Bytes of a texel.
    pub fn texel_bytes(&self) -> u32 {
        self.channels * self.format.bytes()
    }

    /// Bytes of the texels of a row.
    pub fn row_bytes(&self) -> u64 {
        u64::from(self.width) * u64::from(self.texel_bytes())
    }

    /// Bytes from the first texel's first to the last one's last; none if there is no such number,
    /// or no texel.
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

    /// Number of layers, where it has any: of cubes, the number of cubes.
    pub(crate) fn layers(&self) -> u32 {
        match self.shape {
            Shape::Layered1 | Shape::Layered2 => self.depth,
            Shape::LayeredCube => self.depth / 6,
            _ => 1,
        }
    }

    /// The address of byte `x` of row `y` of slice `z`, all of which must be inside.
    pub fn at(&self, x: u64, y: u32, z: u32) -> u64 {
        self.address + x + u64::from(y) * self.row + u64::from(z) * self.slice
    }
}

/// How a sampler turns coordinates into a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The value is that of the nearest texel.
    Point,
    /// A blend of the two texels around on each axis; for float values only.
    Linear,
}

/// How a texture is read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampler {
    /// What coordinates outside of the image read, by axis.
    pub address: [AddressMode; 3],
    /// How texels of one level make a value.
    pub filter: Filter,
    /// Whether coordinates run from 0 to 1 over the image.
    pub normalized: bool,
    /// Whether 8- and 16-bit integers are read as floats from 0 (signed: from -1) to 1.
    pub as_float: bool,
    /// The texel that [`AddressMode::Border`] reads.
    pub border: [f32; 4],
    /// Between levels: the nearest one, or a blend of two.
    pub level_filter: Filter,
    /// Added to the level that is asked for.
    pub level_bias: f32,
    /// The least and greatest level that is read.
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

/// Images, each half the size of the one before it in every extent, and how they are read.
#[derive(Debug, Clone, PartialEq)]
pub struct Texture {
    /// The levels: one, or a chain of mipmaps.
    pub levels: Vec<Image>,
    /// How they are read.
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
