//! The linear index of a thread in a 3-D launch.

use anyhow::Result;
use gpu::basics::thread_index::linear_index_3d;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};

use crate::{Case, Pattern, Setup, Size, Variant, Work};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "thread_index",
    chapter: "basics",
    summary: "x fastest, then y, then z: in a block, in a grid, in a volume",
    source: "Professional CUDA C Programming, chapter 2",
    size: Size {
        of: "blocks along each axis",
        is_square: false,
        default: 3,
        bench: None,
    },
    variants: &[Variant::new("linear_index_3d", ThreadIndex::prepare)],
};

/// A block with three different sides, so that a mix-up of two axes is detected.
const BLOCK: [u32; 3] = [4, 3, 2];

struct ThreadIndex {
    config: LaunchConfig,
    expected: Vec<u64>,
    numbers: DeviceBuffer<u64>,
}

impl ThreadIndex {
    fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
        // The sides of the grid differ as well. The number of blocks is limited so that the check
        // takes only a moment.
        let side = setup.at_most(64)?.max(1);
        let grid = [side, side + 1, side + 2];
        let expected = numbers(grid, BLOCK.map(|threads| threads as usize));
        let [x, y, z] = grid.map(|blocks| blocks as u32);
        Ok(Box::new(Self {
            config: LaunchConfig::new((x, y, z), (BLOCK[0], BLOCK[1], BLOCK[2])),
            numbers: DeviceBuffer::zeroed(device, expected.len())?,
            expected,
        }))
    }
}

impl Case for ThreadIndex {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let width = (self.config.grid.x * self.config.block.x) as usize;
        let numbers = self.numbers.matrix_mut(width);
        Ok(stream.launch(linear_index_3d, self.config, (numbers,))?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        Ok(testing::equal(&self.numbers.to_vec()?, &self.expected))
    }

    fn work(&self) -> Work {
        Work::Bytes(8 * self.expected.len() as u64)
    }
}

// On the CPU.

/// A shape in x, y, z.
type Shape = [usize; 3];

/// Returns the linear index of the thread for each place in the volume, where x changes fastest.
/// Blocks are numbered one after another, and in each block x changes fastest.
pub fn numbers(grid: Shape, block: Shape) -> Vec<u64> {
    let size = [grid[0] * block[0], grid[1] * block[1], grid[2] * block[2]];
    let number = |at: Shape| {
        let of_block = rank([at[0] / block[0], at[1] / block[1], at[2] / block[2]], grid);
        let in_block = rank(
            [at[0] % block[0], at[1] % block[1], at[2] % block[2]],
            block,
        );
        (of_block * block.iter().product::<usize>() + in_block) as u64
    };
    let mut numbers = Vec::new();
    for z in 0..size[2] {
        for y in 0..size[1] {
            numbers.extend((0..size[0]).map(|x| number([x, y, z])));
        }
    }
    numbers
}

/// Returns the number of places before `at` in a volume of this shape.
fn rank(at: Shape, shape: Shape) -> usize {
    at[0] + at[1] * shape[0] + at[2] * shape[0] * shape[1]
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn a_block_is_numbered_through_before_the_next() {
        assert_eq!(numbers([2, 1, 1], [2, 2, 1]), [0, 1, 4, 5, 2, 3, 6, 7]);
    }
}
