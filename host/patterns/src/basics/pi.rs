//! Pi by the midpoint rule, in two kernels: blocks sum strips, and then one block sums
//! the blocks' results.

use anyhow::Result;
use gpu::basics::pi::{pi_final, pi_partial};
use lanewise::testing::{self, Agreement, Expected, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};

use crate::{Case, Pattern, Setup, Size, Variant, Work};

/// The pattern. Its one variant is named for the kernel that does the work; `pi_final` follows it.
pub static PATTERN: Pattern = Pattern {
    name: "pi",
    chapter: "basics",
    summary: "the sum over all blocks is a second kernel",
    source: "Fengchen's introduction, chapter 1.5",
    size: Size {
        of: "strips",
        is_square: false,
        default: 1 << 20,
        bench: Some(1 << 28),
    },
    variants: &[Variant::new("pi_partial", Pi::prepare)],
};

/// The greatest number of blocks. The grid strides over the strips.
const BLOCKS: u32 = 256;

struct Pi {
    config: LaunchConfig,
    strips: u32,
    partials: DeviceBuffer<f32>,
    pi: DeviceBuffer<f32>,
}

impl Pi {
    fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
        let (n, block) = (
            setup.elements()?,
            setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK),
        );
        let blocks = LaunchConfig::cover_1d(n, block).grid.x.min(BLOCKS);
        Ok(Box::new(Self {
            config: LaunchConfig::new(blocks, block),
            strips: u32::try_from(n)?,
            partials: DeviceBuffer::zeroed(device, blocks as usize)?,
            pi: DeviceBuffer::zeroed(device, 1)?,
        }))
    }
}

impl Case for Pi {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let Self {
            config,
            strips,
            partials,
            pi,
        } = self;
        stream.launch(pi_partial, *config, (&mut *partials, *strips))?;
        Ok(stream.launch(
            pi_final,
            LaunchConfig::new(1, config.block),
            (&*partials, pi, *strips),
        )?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        // Each thread adds some strips. Then the sums of some thousand threads and of 256
        // blocks are added in trees. So the rounding error stays far below 1e-5.
        let value = pi(self.strips as usize);
        Ok(testing::within(
            &self.pi.to_vec()?,
            [Expected {
                index: 0,
                value,
                tolerance: 1e-5,
            }],
        ))
    }

    fn work(&self) -> Work {
        // A strip is a sum, two products (one with a sum), two divisions and a sum.
        Work::Flops(7 * u64::from(self.strips))
    }
}

// On the CPU.

/// Returns the sum of `n` strips, each evaluated at its middle. Without strips the sum is 0.
pub fn pi(n: usize) -> f64 {
    let height = |i: usize| {
        let x = (i as f64 + 0.5) / n as f64;
        4.0 / (1.0 + x * x)
    };
    if n == 0 {
        0.0
    } else {
        (0..n).map(height).sum::<f64>() / n as f64
    }
}

#[cfg(test)]
mod tests {
    use super::pi;

    #[test]
    fn many_strips_come_near_pi() {
        assert!((pi(10_000) - std::f64::consts::PI).abs() < 1e-8);
        assert_eq!((pi(0), pi(1)), (0.0, 4.0 / 1.25));
    }
}
