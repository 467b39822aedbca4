//! A texture or surface that a kernel is judged with: its shape, its texels and how it is read.
//! This is data only. Each machine makes its own object from it.

use half::f16;
use lanewise_sim::image::{Format, Sampler, Shape};

use crate::values::Random;

/// An array, and the object that uses it.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Whether it is a surface, which kernels can also write.
    pub surface: bool,
    /// The shape, which defines how texels are indexed.
    pub shape: Shape,
    /// The format of a channel.
    pub format: Format,
    /// The number of channels in a texel.
    pub channels: u32,
    /// The number of texels in a row, of rows in a slice, and of slices (layers; six to a cube). It
    /// is 1 for an axis that the shape does not have.
    pub size: [u32; 3],
    /// The number of levels: one, or those of a chain of mipmaps.
    pub levels: u32,
    /// How a texture is read.
    pub sampler: Sampler,
}

impl Setup {
    /// Returns the size of a texel in bytes.
    pub fn texel(&self) -> u32 {
        self.channels * self.format.bytes()
    }

    /// Returns the size of a level. Each level has half the size of the one before it,
    /// except in layers.
    pub fn level(&self, level: u32) -> [u32; 3] {
        let half = |size: u32| (size >> level).max(1);
        let [width, height, depth] = self.size;
        let depth = match self.shape {
            Shape::D3 => half(depth),
            _ => depth,
        };
        [half(width), half(height), depth]
    }

    /// Returns the size of a level in bytes, with its rows one after another.
    pub fn bytes(&self, level: u32) -> usize {
        let [width, height, depth] = self.level(level);
        (width * self.texel()) as usize * height as usize * depth as usize
    }

    /// Returns the texels of each level. They are random bits, except that floats have ordinary
    /// size: how large and small floats are blended is not judged.
    pub fn contents(&self, seed: u64) -> Vec<Vec<u8>> {
        let mut random = Random::new(seed ^ u64::from(self.size[0]) << 32);
        let mut channel = || -> Vec<u8> {
            let number = random.below(4097) as f32 / 1024.0 - 2.0;
            match self.format {
                Format::F32 => number.to_bits().to_le_bytes().to_vec(),
                Format::F16 => f16::from_f32(number).to_le_bytes().to_vec(),
                other => random.bits().to_le_bytes()[..other.bytes() as usize].to_vec(),
            }
        };
        (0..self.levels)
            .map(|level| {
                let channels = self.bytes(level) / self.format.bytes() as usize;
                (0..channels).flat_map(|_| channel()).collect()
            })
            .collect()
    }
}
