//! The common part of the patterns about tiles of shared memory: threads that read a number from a
//! tile.

use anyhow::Result;
use gpu::shared::square_tile::square_row_row;
use lanewise::counters::Counters;
use lanewise::{Device, DeviceBuffer, LaunchConfig};
use lanewise_std::kernel::{Kernel, SafeKernel};

use crate::case::{Filling, with_figures};
use crate::{Case, Figure, Setup, Work};

/// What a kernel does with its tile.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    /// Columns and rows: also a block's threads.
    pub(super) shape: [u32; 2],
    /// Whether it is read the other way than it is written.
    pub(super) is_transposed: bool,
    /// Elements from one row to the next in dynamic shared memory; 0 where the kernel declares its
    /// own.
    pub(super) pitch: u32,
}

impl Tile {
    /// The launch for `n` elements, and what they should then be.
    pub(super) fn launch(self, n: usize) -> (LaunchConfig, Vec<u32>) {
        let [columns, rows] = self.shape;
        let shape = self.shape.map(|side| side as usize);
        let grid = LaunchConfig::cover_1d(n, columns * rows).grid;
        let mut config = LaunchConfig::new(1, (columns, rows));
        config.grid = grid;
        let expected = if self.is_transposed {
            transposed(n, shape)
        } else {
            kept(n, shape)
        };
        (config.with_dynamic_shared(4 * self.pitch * rows), expected)
    }
}

/// A kernel that takes the output alone.
pub(super) fn prepare<K: SafeKernel<Params = <square_row_row as Kernel>::Params>>(
    device: &Device,
    setup: Setup,
    kernel: K,
    tile: Tile,
) -> Result<Box<dyn Case>> {
    let (config, expected) = tile.launch(setup.elements()?);
    let output = DeviceBuffer::zeroed(device, expected.len())?;
    let device = device.clone();
    let filling = Filling::boxed(
        [output],
        [expected],
        Work::Nothing,
        move |stream, [output]| Ok(device.launch(stream, kernel, config, (output,))?),
    );
    Ok(with_figures(filling, wavefronts))
}

/// How many passes the banks needed for a warp's access.
pub(super) fn wavefronts(counters: &Counters) -> Vec<Figure> {
    let (loads, stores) = (counters.shared_loads, counters.shared_stores);
    vec![
        Figure::new("wavefronts a store", stores.wavefronts_per_request()),
        Figure::new("wavefronts a load", loads.wavefronts_per_request()),
    ]
}

// On the CPU.

/// Each thread its own number.
pub(super) fn kept(n: usize, [columns, rows]: [usize; 2]) -> Vec<u32> {
    let threads = columns * rows;
    (0..n).map(|i| (i % threads) as u32).collect()
}

/// The tile's columns one after another: the tile transposed.
pub(super) fn transposed(n: usize, [columns, rows]: [usize; 2]) -> Vec<u32> {
    let at = |thread: usize| (thread % rows * columns + thread / rows) as u32;
    (0..n).map(|i| at(i % (columns * rows))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_of_three_by_two() {
        assert_eq!(kept(7, [3, 2]), [0, 1, 2, 3, 4, 5, 0]);
        assert_eq!(transposed(7, [3, 2]), [0, 3, 1, 4, 2, 5, 0]);
    }
}
