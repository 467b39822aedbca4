//! One number for a thread of a 3-D launch.

use anyhow::Result;
use gpu::basics::thread_index::linear_index_3d;
use host::compare::{self, Agreement, Mismatch};
use host::{Device, DeviceBuffer, LaunchConfig, Stream, reference};

use crate::{Case, Pattern, Setup, Size, Variant, Work};

/// The pattern.
pub static PATTERN: Pattern = Pattern {
    name: "thread_index",
    chapter: "basics",
    summary: "x fastest, then y, then z: in a block, in a grid, in a volume",
    source: "notes 002, organisation of threads",
    size: Size {
        of: "blocks along each axis",
        default: 3,
        bench: None,
    },
    variants: &[Variant::new("linear_index_3d", ThreadIndex::prepare)],
};

/// A block of three different sides, so that no two axes can be mistaken for each other.
const BLOCK: [u32; 3] = [4, 3, 2];

struct ThreadIndex {
    device: Device,
    config: LaunchConfig,
    expected: Vec<u64>,
    numbers: DeviceBuffer<u64>,
}

impl ThreadIndex {
    fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
        // The sides of the grid differ as well; its blocks are as many as can be checked in a moment.
        let side = setup.at_most(64)?.max(1);
        let grid = [side, side + 1, side + 2];
        let expected =
            reference::thread_index::numbers(grid, BLOCK.map(|threads| threads as usize));
        let [x, y, z] = grid.map(|blocks| blocks as u32);
        Ok(Box::new(Self {
            config: LaunchConfig::new((x, y, z), (BLOCK[0], BLOCK[1], BLOCK[2])),
            numbers: DeviceBuffer::zeroed(device, expected.len())?,
            expected,
            device: device.clone(),
        }))
    }
}

impl Case for ThreadIndex {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        Ok(self
            .device
            .launch(stream, linear_index_3d, self.config, (&mut self.numbers,))?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        Ok(compare::equal(&self.numbers.to_vec()?, &self.expected))
    }

    fn work(&self) -> Work {
        Work::Bytes(8 * self.expected.len() as u64)
    }
}
