//! An array that each thread has, in local memory or in registers.

use anyhow::Result;
use gpu::shared::local_memory::{BINS, local_array_dynamic, local_array_static};
use lanewise::counters::Counters;
use lanewise::testing::{Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};
use lanewise_std::kernel::{Kernel, SafeKernel};

use crate::case::Filling;
use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "local_memory",
    chapter: "shared",
    summary: "an array whose indices are known only at run time is in memory, else in registers",
    source: "Professional CUDA C Programming, chapter 4",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 16,
        bench: Some(1 << 26),
    },
    variants: &[
        Variant::new("local_array_dynamic", |device, setup| {
            prepare(device, setup, local_array_dynamic)
        }),
        Variant::new("local_array_static", |device, setup| {
            prepare(device, setup, local_array_static)
        }),
    ],
};

/// The approximate number of elements that a thread counts.
const ELEMENTS: usize = 16;

fn prepare<K: SafeKernel<Params = <local_array_dynamic as Kernel>::Params>>(
    device: &Device,
    setup: Setup,
    kernel: K,
) -> Result<Box<dyn Case>> {
    let (n, block) = (setup.elements()?, setup.block.unwrap_or(128));
    let config = LaunchConfig::cover_1d(n.div_ceil(ELEMENTS), block);
    let threads = config.grid.x as usize * config.block.x as usize;
    let numbers: Vec<u32> = input::integers(n, setup.seed)
        .into_iter()
        .map(i32::cast_unsigned)
        .collect();
    let expected = counts(&numbers, threads);

    let local = device.resources(kernel)?.local;
    let numbers = DeviceBuffer::from_slice(device, &numbers)?;
    let output = DeviceBuffer::zeroed(device, expected.len())?;
    let work = Work::Bytes(4 * n as u64);
    let case = Filling::boxed([output], [expected], work, move |stream, [output]| {
        Ok(stream.launch(kernel, config, (&numbers, output.matrix_mut(threads)))?)
    });
    Ok(Box::new(WithLocal { case, local }))
}

/// The case, with the size of the kernel's local memory as the driver reports it.
struct WithLocal {
    case: Box<dyn Case>,
    local: u32,
}

impl Case for WithLocal {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        self.case.launch(stream)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        self.case.check()
    }

    fn work(&self) -> Work {
        self.case.work()
    }

    fn figures(&self, counters: Option<&Counters>) -> Result<Vec<Figure>> {
        let bytes = Figure::new("local bytes a thread", self.local);
        let counted = |counters: &Counters| Figure::new("local requests", counters.local_requests);
        Ok([bytes].into_iter().chain(counters.map(counted)).collect())
    }
}

// On the CPU.

/// Returns how many elements of each of this many threads fall into each bin. The counts of one bin
/// lie side by side, one for each thread.
pub fn counts(numbers: &[u32], threads: usize) -> Vec<u32> {
    let mut counts = vec![0; BINS * threads];
    for (i, number) in numbers.iter().enumerate() {
        let bin = *number as usize / (1 << (u32::BITS - BINS.ilog2()));
        counts[bin * threads + i % threads] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_threads_count_three_numbers() {
        let width = u32::BITS - BINS.ilog2();
        let counts = counts(&[0, u32::MAX, 1 << width], 2);
        assert_eq!(counts[..4], [1, 0, 1, 0]);
        let last = counts.last().copied();
        assert_eq!((last, counts.iter().sum()), (Some(1), 3u32));
    }
}
