//! Occupancy: the resources of a kernel, the number of resident blocks, and the resource
//! that limits it.
//!
//! Each variant runs its kernel, and then queries the driver for the number of resident blocks on
//! a multiprocessor, for each size from 1 to 1024 threads. The model must return the same number
//! for every size.

use anyhow::Result;
use gpu::execution::occupancy::{stir_bounded, stir_free};
use lanewise::counters::Counters;
use lanewise::occupancy::{self, DeviceModel, Occupancy};
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};
use lanewise_std::kernel::{Kernel, SafeKernel};

use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "occupancy",
    chapter: "execution",
    summary: "registers, shared memory and block size decide how many warps are resident",
    source: "Professional CUDA C Programming, chapter 3",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 14,
        bench: Some(1 << 26),
    },
    variants: &[
        Variant::new("stir_free", |device, setup| {
            Stir::prepare(device, setup, stir_free)
        }),
        Variant::new("stir_bounded", |device, setup| {
            Stir::prepare(device, setup, stir_bounded)
        }),
    ],
};

/// The number of rounds that mix the numbers.
const ROUNDS: u32 = 3;

/// The latency of memory in clock cycles, and the bytes that a thread requests at a time,
/// for Little's law.
const MEMORY: (f64, f64) = (600.0, 16.0);

/// Returns the occupancy and the resources that limit it, such as "62.5 %: registers".
fn limits(found: &Occupancy) -> String {
    let by: Vec<String> = found.limited_by().iter().map(ToString::to_string).collect();
    format!("{:.1} %: {}", 100.0 * found.fraction(), by.join(", "))
}

struct Stir<K> {
    device: Device,
    kernel: K,
    config: LaunchConfig,
    expected: Vec<u32>,
    output: DeviceBuffer<u32>,
}

impl<K: SafeKernel<Params = <stir_free as Kernel>::Params>> Stir<K> {
    fn prepare(device: &Device, setup: Setup, kernel: K) -> Result<Box<dyn Case>> {
        let n = setup.elements()?;
        let block = setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK);
        Ok(Box::new(Self {
            kernel,
            config: LaunchConfig::cover_1d(n, block),
            expected: setup.expected(|| stirred(n, ROUNDS)),
            output: DeviceBuffer::zeroed(device, n)?,
            device: device.clone(),
        }))
    }

    /// Returns the occupancy that the model computes for blocks of this many threads.
    fn modelled(&self, threads: u32) -> Result<Option<Occupancy>> {
        let takes = self.device.resources(self.kernel)?;
        let model = self.device.model();
        Ok(model.map(|model| model.occupancy(threads, takes.registers, takes.static_shared)))
    }
}

impl<K: SafeKernel<Params = <stir_free as Kernel>::Params>> Case for Stir<K> {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let arguments = (&mut self.output, ROUNDS);
        Ok(stream.launch(self.kernel, self.config, arguments)?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let computed = testing::equal(&self.output.to_vec()?, &self.expected);
        let takes = self.device.resources(self.kernel)?;
        let Some(model) = self.device.model() else {
            return Ok(computed); // a GPU that there is no model of
        };
        // The driver may return an error for more threads than the kernel was compiled for.
        let (mut driver, mut by_model) = (Vec::new(), Vec::new());
        for threads in 1..=takes.max_threads {
            driver.push(self.device.active_blocks(self.kernel, threads, 0)?);
            by_model.push(
                model
                    .occupancy(threads, takes.registers, takes.static_shared)
                    .blocks,
            );
        }
        Ok(computed.and_then(|all| testing::equal(&driver, &by_model).map(|_| all)))
    }

    fn work(&self) -> Work {
        Work::Bytes(4 * self.output.len() as u64)
    }

    fn figures(&self, _: Option<&Counters>) -> Result<Vec<Figure>> {
        let takes = self.device.resources(self.kernel)?;
        let mut figures = vec![
            Figure::new("registers", takes.registers),
            Figure::new("local bytes", takes.local),
        ];
        let threads = self.config.block.count().min(1024) as u32;
        let full = [("occupancy, %", threads), ("at 1024 threads, %", 1024)];
        for (name, threads) in full {
            if let Some(found) = self.modelled(threads)? {
                figures.push(Figure::percent(name, found.fraction()));
            }
        }
        if let Some(found) = self.modelled(threads)? {
            figures.push(Figure::new("here", limits(&found)));
        }
        for name in DeviceModel::names() {
            let found =
                DeviceModel::named(name)?.occupancy(threads, takes.registers, takes.static_shared);
            figures.push(Figure::new(name, limits(&found)));
        }
        if let Some(model) = self.device.model() {
            let needed = occupancy::to_hide_memory(&model, MEMORY.0, MEMORY.1);
            figures.push(Figure::percent("needed for memory, %", needed.occupancy));
        }
        Ok(figures)
    }
}

// On the CPU.

/// Returns one sum for each of `n` elements. The sum adds 32 numbers that start from the element's
/// index and are mixed `rounds` times.
pub fn stirred(n: usize, rounds: u32) -> Vec<u32> {
    (0..n).map(|i| sum(i as u32, rounds)).collect()
}

fn sum(first: u32, rounds: u32) -> u32 {
    let following = |x: &u32| Some(x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    let mut numbers: Vec<u32> = std::iter::successors(Some(first), following)
        .take(32)
        .collect();
    for _ in 0..rounds {
        let mut left = numbers[31];
        for number in &mut numbers {
            left ^= number.wrapping_mul(5);
            *number = left;
        }
    }
    numbers
        .iter()
        .fold(0, |sum, &number| sum.wrapping_add(number))
}
