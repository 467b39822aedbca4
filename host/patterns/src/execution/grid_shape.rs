//! One kernel with many block shapes: occupancy, warps, time, and the rules of thumb that
//! a shape breaks.

use anyhow::Result;
use gpu::execution::grid_shape::sum_matrix;
use lanewise::counters::Counters;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream, guidelines};

use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work, input};

/// Makes a variant for blocks of this width and height.
macro_rules! shape {
    ($name:literal, $width:literal, $height:literal) => {
        Variant::new($name, |device, setup| {
            GridShape::prepare(device, setup, ($width, $height))
        })
        .runs("sum_matrix")
    };
}

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "grid_shape",
    chapter: "execution",
    summary: "the same kernel in blocks of other shapes: occupancy, warps, time",
    source: "Professional CUDA C Programming, chapter 3",
    size: Size {
        of: "rows and columns",
        is_square: true,
        default: 1024,
        bench: Some(16384),
    },
    variants: &[
        shape!("sum_matrix_32x32", 32, 32),
        shape!("sum_matrix_32x16", 32, 16),
        shape!("sum_matrix_16x32", 16, 32),
        shape!("sum_matrix_16x16", 16, 16),
        shape!("sum_matrix_64x2", 64, 2),
        shape!("sum_matrix_128x2", 128, 2),
        shape!("sum_matrix_256x2", 256, 2),
        shape!("sum_matrix_8x8", 8, 8),
        shape!("sum_matrix_4x8", 4, 8),
        shape!("sum_matrix_33x3", 33, 3),
    ],
};

struct GridShape {
    device: Device,
    config: LaunchConfig,
    columns: usize,
    expected: Vec<f32>,
    a: DeviceBuffer<f32>,
    b: DeviceBuffer<f32>,
    c: DeviceBuffer<f32>,
}

impl GridShape {
    fn prepare(device: &Device, setup: Setup, block: (u32, u32)) -> Result<Box<dyn Case>> {
        let (nx, ny) = setup.matrix()?;
        let (a, b) = (
            input::floats(nx * ny, setup.seed),
            input::floats(nx * ny, setup.seed ^ 1),
        );
        Ok(Box::new(Self {
            config: LaunchConfig::cover_2d((nx, ny), block),
            columns: nx,
            expected: crate::basics::matrix_add::matrix_add(&a, &b, nx, ny),
            a: DeviceBuffer::from_slice(device, &a)?,
            b: DeviceBuffer::from_slice(device, &b)?,
            c: DeviceBuffer::zeroed(device, nx * ny)?,
            device: device.clone(),
        }))
    }
}

impl Case for GridShape {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let arguments = (&self.a, &self.b, self.c.matrix_mut(self.columns));
        Ok(stream.launch(sum_matrix, self.config, arguments)?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        Ok(testing::equal(&self.c.to_vec()?, &self.expected))
    }

    fn work(&self) -> Work {
        Work::Bytes(3 * 4 * self.expected.len() as u64)
    }

    fn figures(&self, _: Option<&Counters>) -> Result<Vec<Figure>> {
        let properties = self.device.properties();
        let threads = self.config.block.count() as u32;
        let warps = threads.div_ceil(properties.warp_size);
        let resident = self.device.active_blocks(sum_matrix, threads, 0)? * warps;
        let places = properties.max_threads_per_multiprocessor / properties.warp_size;
        let broken = guidelines::broken(self.config, properties);
        let broken: Vec<String> = broken.iter().map(ToString::to_string).collect();
        Ok(vec![
            Figure::new("blocks", self.config.grid.count()),
            Figure::new("warps", self.config.grid.count() * u64::from(warps)),
            Figure::percent("occupancy, %", f64::from(resident) / f64::from(places)),
            Figure::new("guidelines broken", broken.join("\n")),
        ])
    }
}
