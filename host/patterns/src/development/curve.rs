//! The computation that both patterns about compilation use.

use anyhow::Result;
use lanewise::counters::Counters;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};
use separate_functions::curve;

use crate::{Case, Figure, Setup, Work, input};

/// Computes the curve at the input on the device. Each variant loads its module in its own way.
pub(super) type Launch = Box<dyn FnMut(&Stream, LaunchConfig, Buffers<'_>) -> Result<()>>;

/// The input and the output buffer.
pub(super) type Buffers<'a> = (&'a DeviceBuffer<f32>, &'a mut DeviceBuffer<f32>);

/// The curve at random inputs.
struct Curve {
    config: LaunchConfig,
    input: DeviceBuffer<f32>,
    output: DeviceBuffer<f32>,
    expected: Vec<f32>,
    launch: Launch,
    figures: Vec<Figure>,
}

/// Returns the case of a launch, with figures about how its code was made.
pub(super) fn case(
    device: &Device,
    setup: Setup,
    launch: Launch,
    figures: Vec<Figure>,
) -> Result<Box<dyn Case>> {
    let n = setup.elements()?;
    let numbers = input::floats(n, setup.seed);
    Ok(Box::new(Curve {
        config: LaunchConfig::cover_1d(n, setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK)),
        expected: setup.expected(|| numbers.iter().map(|x| curve(*x)).collect()),
        input: DeviceBuffer::from_slice(device, &numbers)?,
        output: DeviceBuffer::zeroed(device, n)?,
        launch,
        figures,
    }))
}

impl Case for Curve {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        (self.launch)(stream, self.config, (&self.input, &mut self.output))
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        Ok(testing::equal(&self.output.to_vec()?, &self.expected))
    }

    fn work(&self) -> Work {
        Work::Bytes(2 * 4 * self.input.len() as u64)
    }

    fn figures(&self, _: Option<&Counters>) -> Result<Vec<Figure>> {
        Ok(self.figures.clone())
    }
}
