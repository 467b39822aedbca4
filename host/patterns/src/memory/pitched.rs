//! A matrix and a volume with padded rows, which are copied to the device, scaled and copied back.

use anyhow::Result;
use gpu::memory::pitched::{scale_pitched_2d, scale_pitched_3d};
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, LaunchConfig, PitchedBuffer, Stream};

use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The factor by which every element is multiplied.
const FACTOR: f32 = 3.0;

/// The number of planes in the volume. Its columns and rows are the setup's.
const PLANES: usize = 3;

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "pitched",
    chapter: "memory",
    summary: "padded rows start on aligned addresses; copies leave the padding out",
    source: "CUDA C++ Programming Guide, Device Memory",
    size: Size {
        of: "rows and columns",
        is_square: true,
        default: 1000,
        bench: None,
    },
    variants: &[
        Variant::new("scale_pitched_2d", |device, setup| {
            Pitched::prepare(device, setup, 1)
        }),
        Variant::new("scale_pitched_3d", |device, setup| {
            Pitched::prepare(device, setup, PLANES)
        }),
    ],
};

struct Pitched {
    config: LaunchConfig,
    data: PitchedBuffer<f32>,
    expected: Vec<f32>,
}

impl Pitched {
    fn prepare(device: &Device, setup: Setup, planes: usize) -> Result<Box<dyn Case>> {
        let (nx, ny) = setup.matrix()?;
        Setup {
            rows: Some(ny * planes),
            ..setup
        }
        .matrix()?;
        let input = input::floats(nx * ny * planes, setup.seed);
        // Each row of a block is a warp. The matrix uses the same shape with one plane.
        let config = LaunchConfig::cover_3d((nx, ny, planes), (32, 8, 1));
        Ok(Box::new(Self {
            config,
            expected: scale(&input, FACTOR),
            data: PitchedBuffer::from_volume(device, &input, [nx, ny, planes])?,
        }))
    }
}

impl Case for Pitched {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let [nx, _, nz] = self.data.size();
        let arguments = (self.data.matrix_mut(), u32::try_from(nx)?, FACTOR);
        let config = self.config;
        if nz == 1 {
            stream.launch(scale_pitched_2d, config, arguments)?;
        } else {
            stream.launch(scale_pitched_3d, config, arguments)?;
        }
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        // One multiplication rounds once, the same way on both sides.
        Ok(testing::equal(&self.data.to_vec()?, &self.expected))
    }

    fn work(&self) -> Work {
        Work::Bytes(2 * 4 * self.expected.len() as u64)
    }
}

// On the CPU.

/// Returns each element times `factor`.
pub fn scale(data: &[f32], factor: f32) -> Vec<f32> {
    data.iter().map(|x| x * factor).collect()
}
