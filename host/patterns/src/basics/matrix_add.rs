//! Matrix addition: three ways to assign elements to threads, and one with memory that host
//! and device share.

use anyhow::Result;
use gpu::basics::matrix_add::{mat_add_1d_1d, mat_add_2d_1d, mat_add_2d_2d, mat_add_one_block};
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Arguments, Device, DeviceBuffer, LaunchConfig, ManagedBuffer, MatrixMut, Stream};
use lanewise_std::kernel::SafeKernel;

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "matrix_add",
    chapter: "basics",
    summary: "three mappings of threads to a matrix, one answer",
    source: "Professional CUDA C Programming, chapter 2",
    size: Size {
        of: "rows and columns",
        is_square: true,
        default: 1024,
        bench: Some(16384),
    },
    variants: &[
        Variant::new("mat_add_one_block", |device, setup| {
            prepare(device, setup, mat_add_one_block, |_, _| {
                LaunchConfig::new(1, (32, 32))
            })
        })
        .up_to(32),
        Variant::new("mat_add_2d_2d", |device, setup| {
            prepare(device, setup, mat_add_2d_2d, |shape, _| {
                LaunchConfig::cover_2d(shape, (32, 16))
            })
        }),
        Variant::new("mat_add_1d_1d", |device, setup| {
            prepare(device, setup, mat_add_1d_1d, |(nx, _), block| {
                LaunchConfig::cover_1d(nx, block)
            })
        }),
        Variant::new("mat_add_2d_1d", |device, setup| {
            prepare(device, setup, mat_add_2d_1d, |shape, block| {
                LaunchConfig::cover_2d(shape, (block, 1))
            })
        }),
        Variant::new("mat_add_managed", Managed::prepare).runs("mat_add_2d_2d"),
    ],
};

/// Computes the shape of a launch from the columns, the rows and the threads of a 1-D block.
type Cover = fn((usize, usize), u32) -> LaunchConfig;

fn prepare<K: SafeKernel>(
    device: &Device,
    setup: Setup,
    kernel: K,
    cover: Cover,
) -> Result<Box<dyn Case>>
where
    for<'a> (
        &'a DeviceBuffer<f32>,
        &'a DeviceBuffer<f32>,
        MatrixMut<'a, f32>,
    ): Arguments<K::Params>,
{
    let (nx, ny) = setup.matrix()?;
    let a = input::floats(nx * ny, setup.seed);
    let b = input::floats(nx * ny, setup.seed ^ 1);
    let expected = matrix_add(&a, &b, nx, ny);

    let config = cover((nx, ny), setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK));
    let a = DeviceBuffer::from_slice(device, &a)?;
    let b = DeviceBuffer::from_slice(device, &b)?;
    let c = DeviceBuffer::zeroed(device, nx * ny)?;
    let work = Work::Bytes(3 * 4 * (nx * ny) as u64);
    Ok(Filling::boxed([c], [expected], work, move |stream, [c]| {
        let arguments = (&a, &b, c.matrix_mut(nx));
        Ok(stream.launch(kernel, config, arguments)?)
    }))
}

/// `mat_add_2d_2d` on managed memory: the host writes the input and reads the sum where they are.
struct Managed {
    config: LaunchConfig,
    nx: usize,
    ny: usize,
    a: ManagedBuffer<f32>,
    b: ManagedBuffer<f32>,
    c: ManagedBuffer<f32>,
}

impl Managed {
    fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
        let (nx, ny) = setup.matrix()?;
        let filled = |seed| -> Result<_> {
            let mut buffer = ManagedBuffer::zeroed(device, nx * ny)?;
            let values = input::floats(nx * ny, seed);
            buffer.as_mut_slice()?.copy_from_slice(&values);
            Ok(buffer)
        };
        Ok(Box::new(Self {
            config: LaunchConfig::cover_2d((nx, ny), (32, 16)),
            nx,
            ny,
            a: filled(setup.seed)?,
            b: filled(setup.seed ^ 1)?,
            c: ManagedBuffer::zeroed(device, nx * ny)?,
        }))
    }
}

impl Case for Managed {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let arguments = (&self.a, &self.b, self.c.matrix_mut(self.nx));
        Ok(stream.launch(mat_add_2d_2d, self.config, arguments)?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let (a, b) = (self.a.as_slice()?, self.b.as_slice()?);
        let expected = matrix_add(a, b, self.nx, self.ny);
        Ok(testing::equal(self.c.as_slice()?, &expected))
    }

    fn work(&self) -> Work {
        Work::Bytes(3 * 4 * self.c.len() as u64)
    }
}

// On the CPU.

/// Returns `a + b` for row-major matrices of `ny` rows and `nx` columns.
pub fn matrix_add(a: &[f32], b: &[f32], nx: usize, ny: usize) -> Vec<f32> {
    let mut sum = vec![0.0; nx * ny];
    for iy in 0..ny {
        for ix in 0..nx {
            sum[iy * nx + ix] = a[iy * nx + ix] + b[iy * nx + ix];
        }
    }
    sum
}
