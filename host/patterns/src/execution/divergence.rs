//! Branches in which the lanes of a warp diverge.

use anyhow::{Result, ensure};
use gpu::execution::divergence::{
    diverge_both_arms, diverge_by_thread, diverge_by_warp, diverge_predicated,
};
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, Stream};

use crate::{Case, Pattern, Setup, Size, Variant, Work};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "divergence",
    chapter: "execution",
    summary: "branches by thread and by warp, a select, and both sides by every thread",
    source: "Professional CUDA C Programming, chapter 3",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 16,
        bench: Some(1 << 26),
    },
    variants: &[
        Variant::new("diverge_by_thread", |device, setup| {
            let launch: Launch =
                |stream, config, output| stream.launch(diverge_by_thread, config, (output, STEPS));
            Divergence::prepare(device, setup, launch, |n| alternate(n, 1, STEPS))
        }),
        Variant::new("diverge_by_warp", |device, setup| {
            let launch: Launch =
                |stream, config, output| stream.launch(diverge_by_warp, config, (output, STEPS));
            Divergence::prepare(device, setup, launch, |n| alternate(n, 32, STEPS))
        }),
        Variant::new("diverge_predicated", |device, setup| {
            let launch: Launch =
                |stream, config, output| stream.launch(diverge_predicated, config, (output,));
            Divergence::prepare(device, setup, launch, hundreds)
        }),
        Variant::new("diverge_both_arms", |device, setup| {
            let launch: Launch =
                |stream, config, output| stream.launch(diverge_both_arms, config, (output, STEPS));
            Divergence::prepare(device, setup, launch, |n| alternate(n, 1, STEPS))
        }),
    ],
};

/// The number of steps in each arm of the branch.
const STEPS: u32 = 16;

/// A launch of a variant. Each variant has its own, because the kernels differ in their parameters.
type Launch = fn(&Stream, LaunchConfig, &mut DeviceBuffer<u32>) -> Result<(), LaunchError>;

struct Divergence {
    launch: Launch,
    config: LaunchConfig,
    expected: Vec<u32>,
    output: DeviceBuffer<u32>,
}

impl Divergence {
    fn prepare(
        device: &Device,
        setup: Setup,
        launch: Launch,
        expected: fn(usize) -> Vec<u32>,
    ) -> Result<Box<dyn Case>> {
        let (n, block) = (
            setup.elements()?,
            setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK),
        );
        ensure!(
            block.is_multiple_of(32),
            "a block of {block} threads has a warp with lanes missing: use a multiple of 32"
        );
        Ok(Box::new(Self {
            launch,
            config: LaunchConfig::cover_1d(n, block),
            expected: expected(n),
            output: DeviceBuffer::zeroed(device, n)?,
        }))
    }
}

impl Case for Divergence {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        Ok((self.launch)(stream, self.config, &mut self.output)?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        Ok(testing::equal(&self.output.to_vec()?, &self.expected))
    }

    fn work(&self) -> Work {
        Work::Bytes(4 * self.expected.len() as u64)
    }
}

// On the CPU.

/// Computes the arm of the even threads: `steps` steps of a linear congruential generator.
pub fn stretch(x: u32, steps: u32) -> u32 {
    (0..steps).fold(x, |x, _| {
        x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
    })
}

/// Computes the arm of the odd threads: `steps` steps of xorshift.
pub fn fold(x: u32, steps: u32) -> u32 {
    (0..steps).fold(x, |mut x, _| {
        x ^= x << 13;
        x ^= x >> 17;
        x ^ (x << 5)
    })
}

/// Returns one element for each thread. Groups of `width` neighbours take the two arms in turn.
pub fn alternate(n: usize, width: u32, steps: u32) -> Vec<u32> {
    let arm = |i: u32| {
        if (i / width).is_multiple_of(2) {
            stretch(i, steps)
        } else {
            fold(i, steps)
        }
    };
    (0..n as u32).map(arm).collect()
}

/// Returns 100 and 200 in turn, `n` elements in all.
pub fn hundreds(n: usize) -> Vec<u32> {
    (0..n)
        .map(|i| if i.is_multiple_of(2) { 100 } else { 200 })
        .collect()
}
