//! The common part of the in-place reductions: the input is overwritten, and each block writes
//! a partial sum.

use anyhow::Result;
use lanewise::counters::Counters;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Arguments, Device, DeviceBuffer, LaunchConfig, Stream};
use lanewise_std::kernel::SafeKernel;

use crate::{Case, Figure, Setup, Size, Work, input};

/// Vectors of the size that the peer uses.
pub(crate) const SIZE: Size = Size {
    of: "elements",
    is_square: false,
    default: 1 << 20,
    bench: Some(1 << 28),
};

/// The number of threads in a block, as in the peer.
pub(crate) const BLOCK: u32 = 512;

/// What each of these kernels gets: the data, and the buffer for the partial sums.
pub(crate) type Given<'a> = (&'a mut DeviceBuffer<i32>, &'a mut DeviceBuffer<i32>);

/// The data of every in-place reduction.
pub(super) struct Sums {
    pub(super) config: LaunchConfig,
    /// The partial sums that the blocks have to write.
    expected: Vec<i32>,
    pub(super) data: DeviceBuffer<i32>,
    pub(super) partials: DeviceBuffer<i32>,
}

impl Sums {
    /// Prepares the data for blocks that each reduce `unroll` times as many elements as
    /// they have threads.
    pub(super) fn prepare(device: &Device, setup: Setup, unroll: usize) -> Result<Self> {
        let (n, block) = (setup.elements()?, setup.block.unwrap_or(BLOCK));
        let per_block = (block as usize * unroll).max(1);
        let data = input::integers(n, setup.seed);
        let expected = || crate::execution::recursive_reduce_cpu::block_sums(&data, per_block);
        let expected = setup.expected(expected);
        let blocks = n.div_ceil(per_block).max(1);
        Ok(Self {
            config: LaunchConfig::new(u32::try_from(blocks)?, block),
            data: DeviceBuffer::from_slice(device, &data)?,
            partials: DeviceBuffer::zeroed(device, blocks)?,
            expected,
        })
    }

    pub(super) fn check(&self) -> Result<Result<Agreement, Mismatch>> {
        Ok(testing::equal(&self.partials.to_vec()?, &self.expected))
    }

    pub(super) fn work(&self) -> Work {
        Work::Bytes(4 * self.data.len() as u64)
    }

    pub(super) fn figures(&self, counters: Option<&Counters>) -> Vec<Figure> {
        let blocks = Figure::new("blocks", self.config.grid.x);
        let Some(counters) = counters else {
            return vec![blocks];
        };
        vec![
            blocks,
            Figure::new("store requests", counters.global_stores.requests),
        ]
    }
}

/// One kernel and the data that it reduces.
pub(crate) struct Reduction<K> {
    kernel: K,
    sums: Sums,
}

impl<K: SafeKernel> Reduction<K>
where
    for<'a> Given<'a>: Arguments<K::Params>,
{
    /// Prepares the data for blocks that each reduce `unroll` times as many elements as
    /// they have threads.
    pub(crate) fn prepare(
        device: &Device,
        setup: Setup,
        kernel: K,
        unroll: usize,
    ) -> Result<Box<dyn Case>> {
        let sums = Sums::prepare(device, setup, unroll)?;
        Ok(Box::new(Self { kernel, sums }))
    }
}

impl<K: SafeKernel> Case for Reduction<K>
where
    for<'a> Given<'a>: Arguments<K::Params>,
{
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let Sums {
            config,
            data,
            partials,
            ..
        } = &mut self.sums;
        Ok(stream.launch(self.kernel, *config, (data, partials))?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        self.sums.check()
    }

    fn work(&self) -> Work {
        self.sums.work()
    }

    fn figures(&self, counters: Option<&Counters>) -> Result<Vec<Figure>> {
        Ok(self.sums.figures(counters))
    }
}
