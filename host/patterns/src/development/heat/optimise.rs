//! Optimise: one change at a time, first where the counters are worst.
//!
//! First the copies: the plate stays on the device. Then the loads: each needs 32 sectors, because
//! neighbouring lanes are a row apart. Then the number of loads of a cell: once for its block, and
//! not once for each neighbour.

use anyhow::Result;
use gpu::development::heat::{HEIGHT, WIDTH, heat_by_columns, heat_by_rows, heat_tiled};
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, Stream};

use super::{Plate, SWEEPS, Sweeps, swept};
use crate::{Case, Setup};

/// How a sweep is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// As it was ported.
    ByColumns,
    /// With lanes side by side.
    ByRows,
    /// Each block reads its tile through shared memory.
    Tiled,
}

/// A launch of the kernel on a plate of this shape.
fn launch(
    device: &Device,
    stream: &Stream,
    kernel: Kernel,
    shape: [u32; 2],
    (from, to): (&DeviceBuffer<f32>, &mut DeviceBuffer<f32>),
) -> Result<(), LaunchError> {
    let [columns, rows] = shape.map(|side| side as usize);
    let block = (WIDTH as u32, HEIGHT as u32);
    let config = LaunchConfig::cover_2d((columns, rows), block);
    match kernel {
        Kernel::ByColumns => {
            let config = LaunchConfig::cover_2d((rows, columns), block);
            device.launch(stream, heat_by_columns, config, (from, to, shape))
        }
        Kernel::ByRows => device.launch(stream, heat_by_rows, config, (from, to, shape)),
        Kernel::Tiled => device.launch(stream, heat_tiled, config, (from, to, shape)),
    }
}

pub(super) fn prepare(device: &Device, setup: Setup, kernel: Kernel) -> Result<Box<dyn Case>> {
    let start = Plate::of(setup)?;
    let (shape, cells) = (start.shape()?, start.cells.len());
    let of = device.clone();
    Ok(Box::new(Sweeps {
        plates: [
            DeviceBuffer::zeroed(device, cells)?,
            DeviceBuffer::zeroed(device, cells)?,
        ],
        expected: setup.expected(|| swept(start.clone(), SWEEPS).cells),
        start,
        launch: move |stream: &_, [a, b]: &mut [DeviceBuffer<f32>; 2]| {
            for _ in 0..SWEEPS / 2 {
                launch(&of, stream, kernel, shape, (&*a, &mut *b))?;
                launch(&of, stream, kernel, shape, (&*b, &mut *a))?;
            }
            Ok(())
        },
    }))
}
