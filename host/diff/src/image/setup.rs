//! A texture or surface that a kernel is judged with: its shape, its texels and how it is read.
//! Data only; each machine makes an object of its own of it.

use half::f16;
use lanewise_sim::image::{Format, Sampler, Shape};

use crate::values::Random;

/// An array, and the object over it.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Whether it is a surface, which kernels write as well.
    pub surface: bool,
    /// How texels are indexed.
    pub shape: Shape,
    /// What a channel is.
    pub format: Format,
    /// Channels of a texel.
    pub channels: u32,
    /// Texels of a row, rows of a slice, slices (layers; six to a cube); 1 where there is no such
    /// axis.
    pub size: [u32; 3],
    /// Levels: one, or a chain of mipmaps.
    pub levels: u32,
    /// How a texture is read.
    pub sampler: Sampler,
}

impl Setup {
    /// Bytes of a texel.
    pub fn texel(&self) -> u32 {
        self.channels * self.format.bytes()
    }

    /// The size of a level: each is half of the one before it, except in layers.
    pub fn level(&self, level: u32) -> [u32; 3] {
        let half = |size: u32| (size >> level).max(1);
        let [width, height, depth] = self.size;
        let depth = match self.shape {
            Shape::D3 => half(depth),
            _ => depth,
        };
        [half(width), half(height), depth]
    }

    /// Bytes of a level, its rows one after another.
    pub fn bytes(&self, level: u32) -> usize {
        let [width, height, depth] = self.level(level);
        (width * self.texel()) as usize * height as usize * depth as usize
    }

    /// The texels of each level: random bits, but floats of ordinary size, since how large and
    /// small ones are blended is not what is judged.
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
