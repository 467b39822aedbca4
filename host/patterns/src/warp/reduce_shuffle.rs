//! Reduction by shuffles, which needs no shared memory within a warp.

use anyhow::{Result, ensure};
use gpu::warp::reduce_shuffle::reduce_shfl;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};

use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "reduce_shuffle",
    chapter: "warp",
    summary: "lanes add by shuffles, warps through one word of shared memory each",
    source: "Professional CUDA C Programming, chapter 5",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 20,
        bench: Some(1 << 28),
    },
    variants: &[Variant::new("reduce_shfl", ReduceShuffle::prepare)],
};

/// The number of threads in a block, as in the peer.
const BLOCK: u32 = 256;

/// The number of blocks for each multiprocessor, as in the peer. The grid strides over the input.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 16;

struct ReduceShuffle {
    config: LaunchConfig,
    expected: i32,
    input: DeviceBuffer<i32>,
    partials: DeviceBuffer<i32>,
}

impl ReduceShuffle {
    fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
        let (n, block) = (setup.elements()?, setup.block.unwrap_or(BLOCK));
        ensure!(
            block.is_multiple_of(32),
            "a block of {block} threads has a warp with lanes missing: use a multiple of 32"
        );
        let most = device.properties().multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
        let blocks = LaunchConfig::cover_1d(n, block).grid.x.min(most);
        let input = input::integers(n, setup.seed);
        Ok(Box::new(Self {
            config: LaunchConfig::new(blocks, block),
            expected: setup.expected(|| crate::execution::recursive_reduce_cpu::sum(&input)),
            input: DeviceBuffer::from_slice(device, &input)?,
            partials: DeviceBuffer::zeroed(device, blocks as usize)?,
        }))
    }
}

impl Case for ReduceShuffle {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let Self {
            config,
            input,
            partials,
            ..
        } = self;
        Ok(stream.launch(reduce_shfl, *config, (&*input, partials))?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        // The shape of the grid determines which block adds which elements. The check is that no
        // element is lost or added twice.
        Ok(testing::equal(
            &[crate::execution::recursive_reduce_cpu::sum(
                &self.partials.to_vec()?,
            )],
            &[self.expected],
        ))
    }

    fn work(&self) -> Work {
        Work::Bytes(4 * self.input.len() as u64)
    }
}
