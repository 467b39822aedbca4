//! The common part of the patterns about tiles of shared memory: threads that read a number
//! from a tile.

use anyhow::Result;
use gpu::shared::square_tile::square_row_row;
use lanewise::{Device, DeviceBuffer, LaunchConfig};
use lanewise_std::kernel::{Kernel, SafeKernel};

use crate::case::Filling;
use crate::{Case, Setup, Work};

/// The shape of a kernel's tile, and the order of its accesses.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    /// The columns and rows of the tile, which are also the block's threads.
    pub(super) shape: [u32; 2],
    /// Whether the tile is read along the other axis than it is written.
    pub(super) is_transposed: bool,
    /// The number of elements from one row to the next in dynamic shared memory. It is 0 if the
    /// kernel declares its own memory.
    pub(super) pitch: u32,
}

impl Tile {
    /// Returns the launch for `n` elements, and the values that they should have afterwards.
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

/// Prepares a kernel whose only argument is the output.
pub(super) fn prepare<K: SafeKernel<Params = <square_row_row as Kernel>::Params>>(
    device: &Device,
    setup: Setup,
    kernel: K,
    tile: Tile,
) -> Result<Box<dyn Case>> {
    let (config, expected) = tile.launch(setup.elements()?);
    let output = DeviceBuffer::zeroed(device, expected.len())?;
    Ok(Filling::boxed(
        [output],
        [expected],
        Work::Nothing,
        move |stream, [output]| Ok(stream.launch(kernel, config, (output,))?),
    ))
}

// On the CPU.

/// Returns `n` elements, each the number of its thread in the block.
pub(super) fn kept(n: usize, [columns, rows]: [usize; 2]) -> Vec<u32> {
    let threads = columns * rows;
    (0..n).map(|i| (i % threads) as u32).collect()
}

/// Returns `n` elements in the order of the tile's columns, which is the transposed tile.
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
