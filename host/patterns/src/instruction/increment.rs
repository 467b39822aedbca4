//! One counter, many threads: a race, and an atomic.

use anyhow::Result;
use gpu::instruction::increment::{incr_atomic, incr_racy};
use lanewise::compare::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};
use lanewise_std::kernel::Kernel;

use crate::{Case, Pattern, Setup, Size, Variant, Work};

/// The pattern.
pub static PATTERN: Pattern = Pattern {
    name: "increment",
    chapter: "instruction",
    summary: "32 threads add one: read, add, write loses counts; one atomic add does not",
    source: "CUDA study notes, chapter 7.1.3",
    size: Size {
        of: "threads",
        default: 32,
        bench: None,
    },
    variants: &[
        Variant::new("incr_racy", |device, setup| {
            Increment::prepare(device, setup, incr_racy)
        })
        .showing("threads overwrite each other's count"),
        Variant::new("incr_atomic", |device, setup| {
            Increment::prepare(device, setup, incr_atomic)
        }),
    ],
};

struct Increment<K> {
    device: Device,
    kernel: K,
    config: LaunchConfig,
    start: i32,
    counter: DeviceBuffer<i32>,
}

impl<K: Kernel<Params = <incr_atomic as Kernel>::Params>> Increment<K> {
    fn prepare(device: &Device, setup: Setup, kernel: K) -> Result<Box<dyn Case>> {
        let start = setup.seed as i32;
        // Whole blocks: every thread of the grid counts.
        let threads = u32::try_from(setup.at_most(1 << 24)?.max(1))?;
        let block = setup.block.unwrap_or(32).min(threads);
        let config = LaunchConfig::cover_1d(threads as usize, block);
        let counter = DeviceBuffer::from_slice(device, &[start])?;
        Ok(Box::new(Self {
            device: device.clone(),
            kernel,
            config,
            start,
            counter,
        }))
    }
}

impl<K: Kernel<Params = <incr_atomic as Kernel>::Params>> Case for Increment<K> {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let Self {
            device,
            kernel,
            config,
            counter,
            ..
        } = self;
        // SAFETY: the racy kernel's threads race for one integer in a buffer that nothing else uses meanwhile; on every device
        // there is, what a race between aligned 4-byte accesses can spoil is the integer's value, and that is looked at.
        Ok(unsafe { device.launch_unchecked(stream, *kernel, *config, (counter,)) }?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let threads = self.config.grid.x * self.config.block.x;
        Ok(compare::equal(
            &self.counter.to_vec()?,
            &[increment(self.start, threads)],
        ))
    }

    fn work(&self) -> Work {
        Work::Nothing
    }
}

// On the CPU.

/// What the counter holds after `threads` increments, none of them lost.
pub fn increment(start: i32, threads: u32) -> i32 {
    start.wrapping_add_unsigned(threads)
}
