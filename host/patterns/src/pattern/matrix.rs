//! Kernels from one matrix to another: the copy, and every form of the transpose.

use anyhow::Result;
use gpu::memory::transpose::UNROLL;
use gpu::shared::transpose_shared::{ROWS, SIDE};
use lanewise::{Arguments, Device, DeviceBuffer, LaunchConfig, Matrix, MatrixMut};
use lanewise_std::kernel::SafeKernel;

use super::case::Filling;
use super::input;
use crate::{Case, Setup, Work};

/// Computes the expected output from the input, its columns and its rows.
pub(crate) type Expected = fn(&[f32], usize, usize) -> Vec<f32>;

/// How the grid covers a matrix, and how the threads of a block divide their tile.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tiles {
    /// Each thread has one element of the input. A block has 256 threads: 16 x 16 as in the peer,
    /// or as wide as the setup asks for.
    OneEach,
    /// Each thread has one element of the output. For a transpose the output is as wide as the
    /// input is high.
    OneEachOfOutput,
    /// Each thread has four elements of a row of the input, one block width apart.
    FourEach,
    /// Each thread has four elements of a row of the output.
    FourEachOfOutput,
    /// A block has this many tiles of 32 x 32 elements, one below the other, and 32 x 8 threads.
    /// The kernel requires that shape.
    Shared {
        /// The number of tiles of a block.
        tiles: u32,
        /// The row stride in dynamic shared memory, in elements. It is 0 if the kernel declares
        /// static shared memory.
        pitch: u32,
    },
}

impl Tiles {
    /// Returns the elements of a tile and the threads of a block.
    fn of(self, setup: Setup) -> ((u32, u32), (u32, u32)) {
        match (self, setup.block) {
            (Self::Shared { tiles, .. }, _) => (
                (SIDE as u32, SIDE as u32 * tiles),
                (SIDE as u32, ROWS as u32),
            ),
            (_, width) => {
                let width = width.unwrap_or(16);
                let block = (width, (256 / width.max(1)).max(1));
                ((block.0.saturating_mul(self.of_a_thread()), block.1), block)
            }
        }
    }

    /// Returns the bytes of dynamic shared memory.
    fn dynamic_shared(self) -> u32 {
        match self {
            Self::Shared { tiles, pitch } => 4 * tiles * SIDE as u32 * pitch,
            _ => 0,
        }
    }

    /// Returns the number of elements of a row for each thread.
    fn of_a_thread(self) -> u32 {
        match self {
            Self::FourEach | Self::FourEachOfOutput => UNROLL as u32,
            _ => 1,
        }
    }
}

/// Returns the columns of the kernel's input and of its output, from `nx` and `ny`.
pub(crate) type Columns = fn(usize, usize) -> [usize; 2];

/// Prepares the kernel with the grid and blocks of `tiles`.
pub(crate) fn prepare<K: SafeKernel>(
    device: &Device,
    setup: Setup,
    kernel: K,
    tiles: Tiles,
    (expected, columns): (Expected, Columns),
) -> Result<Box<dyn Case>>
where
    for<'a> (Matrix<'a, f32>, MatrixMut<'a, f32>): Arguments<K::Params>,
{
    let (nx, ny) = setup.matrix()?;
    let [of_input, of_output] = columns(nx, ny);
    let (tile, block) = tiles.of(setup);
    let covered = if matches!(tiles, Tiles::OneEachOfOutput | Tiles::FourEachOfOutput) {
        (ny, nx)
    } else {
        (nx, ny)
    };
    let mut config = LaunchConfig::new(1, block);
    config.grid = LaunchConfig::cover_2d(covered, tile).grid;
    let config = config.with_dynamic_shared(tiles.dynamic_shared());
    let input = input::floats(nx * ny, setup.seed);
    let expected = setup.expected(|| expected(&input, nx, ny));

    let input = DeviceBuffer::from_slice(device, &input)?;
    let output = DeviceBuffer::zeroed(device, nx * ny)?;
    let work = Work::Bytes(2 * 4 * (nx * ny) as u64);
    Ok(Filling::boxed(
        [output],
        [expected],
        work,
        move |stream, [output]| {
            let arguments = (input.matrix(of_input), output.matrix_mut(of_output));
            Ok(stream.launch(kernel, config, arguments)?)
        },
    ))
}
