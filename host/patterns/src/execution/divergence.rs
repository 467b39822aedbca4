//! Branches on which the lanes of a warp do not agree.

use anyhow::{Result, ensure};
use gpu::execution::divergence::{
    diverge_both_arms, diverge_by_thread, diverge_by_warp, diverge_predicated,
};
use host::compare::{self, Agreement, Mismatch};
use host::counters::Counters;
use host::reference::divergence::{alternate, hundreds};
use host::{Device, DeviceBuffer, LaunchConfig, LaunchError, Stream};

use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work, figure};

/// The pattern.
pub static PATTERN: Pattern = Pattern {
    name: "divergence",
    chapter: "execution",
    summary: "arms by thread, by warp, as a select, and both by everyone",
    source: "notes 000, chapter 3.2.2, and 002, warps",
    size: Size {
        of: "elements",
        default: 1 << 16,
        bench: None,
    },
    variants: &[
        Variant::new("diverge_by_thread", |device, setup| {
            let launch: Launch = |device, stream, config, output| {
                device.launch(stream, diverge_by_thread, config, (output, STEPS))
            };
            Divergence::prepare(device, setup, launch, |n| alternate(n, 1, STEPS))
        }),
        Variant::new("diverge_by_warp", |device, setup| {
            let launch: Launch = |device, stream, config, output| {
                device.launch(stream, diverge_by_warp, config, (output, STEPS))
            };
            Divergence::prepare(device, setup, launch, |n| alternate(n, 32, STEPS))
        }),
        Variant::new("diverge_predicated", |device, setup| {
            let launch: Launch = |device, stream, config, output| {
                device.launch(stream, diverge_predicated, config, (output,))
            };
            Divergence::prepare(device, setup, launch, hundreds)
        }),
        Variant::new("diverge_both_arms", |device, setup| {
            let launch: Launch = |device, stream, config, output| {
                device.launch(stream, diverge_both_arms, config, (output, STEPS))
            };
            Divergence::prepare(device, setup, launch, |n| alternate(n, 1, STEPS))
        }),
    ],
};

/// How long an arm is.
const STEPS: u32 = 16;

/// The kernels differ in their parameters: each variant brings its own launch.
type Launch = fn(&Device, &Stream, LaunchConfig, &mut DeviceBuffer<u32>) -> Result<(), LaunchError>;

struct Divergence {
    device: Device,
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
            device: device.clone(),
            launch,
            config: LaunchConfig::cover_1d(n, block),
            expected: expected(n),
            output: DeviceBuffer::zeroed(device, n)?,
        }))
    }
}

impl Case for Divergence {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        Ok((self.launch)(
            &self.device,
            stream,
            self.config,
            &mut self.output,
        )?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        Ok(compare::equal(&self.output.to_vec()?, &self.expected))
    }

    fn work(&self) -> Work {
        Work::Bytes(4 * self.expected.len() as u64)
    }

    fn figures(&self, counters: Option<&Counters>) -> Result<Vec<Figure>> {
        Ok(counters.map_or(Vec::new(), |counters| figure::branches(counters).into()))
    }
}
