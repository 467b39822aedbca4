//! Parallelise: the loop that takes most of the time becomes a kernel, and nothing else changes.
//!
//! Each sweep copies the plate to the device, launches, and copies it back, because the rest of the
//! program uses it in host memory. Nothing is fast yet. What matters is that the result equals that
//! of the CPU, bit for bit, and stays so.

use anyhow::Result;
use gpu::development::heat::heat_by_columns;
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};

use super::{Plate, SWEEPS, Sweeps, swept};
use crate::{Case, Setup};

pub(super) fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let start = Plate::of(setup)?;
    let (columns, cells) = (start.columns, start.cells.len());
    // The kernel's x counts the rows, because the outer loop did.
    let config = LaunchConfig::cover_2d((start.rows, start.columns), (32, 8));
    let mut at_home = vec![0.0; cells];
    Ok(Box::new(Sweeps {
        plates: [
            DeviceBuffer::zeroed(device, cells)?,
            DeviceBuffer::zeroed(device, cells)?,
        ],
        expected: setup.expected(|| swept(start.clone(), SWEEPS).cells),
        start,
        launch: move |stream: &Stream, [a, b]: &mut [DeviceBuffer<f32>; 2]| {
            for _ in 0..SWEEPS {
                let sweep = (a.matrix(columns), b.matrix_mut(columns));
                stream.launch(heat_by_columns, config, sweep)?;
                b.copy_to_slice(&mut at_home)?;
                a.copy_from_slice(&at_home)?;
            }
            Ok(())
        },
    }))
}
