//! Optimise: one change at a time, first where the counters are worst.
//!
//! The copies come first: the plate stays on the device. The loads come next: each needs 32
//! sectors, because neighbouring lanes are a row apart. The number of loads of a cell comes last:
//! it is loaded once for its block, and not once for each neighbour.

use anyhow::Result;
use gpu::development::heat::{HEIGHT, WIDTH, heat_by_columns, heat_by_rows, heat_tiled};
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, Stream};

use super::{Plate, SWEEPS, Sweeps, swept};
use crate::{Case, Setup};

/// The kernel that does a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// The kernel as it was ported, in which neighbouring lanes are a row apart.
    ByColumns,
    /// Neighbouring lanes read neighbouring cells of a row.
    ByRows,
    /// Each block reads its tile through shared memory.
    Tiled,
}

/// Launches the kernel on a plate of this shape.
fn launch(
    stream: &Stream,
    kernel: Kernel,
    [columns, rows]: [usize; 2],
    (from, to): (&DeviceBuffer<f32>, &mut DeviceBuffer<f32>),
) -> Result<(), LaunchError> {
    let (from, to) = (from.matrix(columns), to.matrix_mut(columns));
    let block = (WIDTH as u32, HEIGHT as u32);
    let config = LaunchConfig::cover_2d((columns, rows), block);
    match kernel {
        Kernel::ByColumns => {
            let config = LaunchConfig::cover_2d((rows, columns), block);
            stream.launch(heat_by_columns, config, (from, to))
        }
        Kernel::ByRows => stream.launch(heat_by_rows, config, (from, to)),
        Kernel::Tiled => stream.launch(heat_tiled, config, (from, to)),
    }
}

pub(super) fn prepare(device: &Device, setup: Setup, kernel: Kernel) -> Result<Box<dyn Case>> {
    let start = Plate::of(setup)?;
    let (shape, cells) = ([start.columns, start.rows], start.cells.len());
    Ok(Box::new(Sweeps {
        plates: [
            DeviceBuffer::zeroed(device, cells)?,
            DeviceBuffer::zeroed(device, cells)?,
        ],
        expected: setup.expected(|| swept(start.clone(), SWEEPS).cells),
        start,
        launch: move |stream: &_, [a, b]: &mut [DeviceBuffer<f32>; 2]| {
            for _ in 0..SWEEPS / 2 {
                launch(stream, kernel, shape, (&*a, &mut *b))?;
                launch(stream, kernel, shape, (&*b, &mut *a))?;
            }
            Ok(())
        },
    }))
}
