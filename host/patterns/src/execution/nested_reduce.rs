//! Recursive reduction: each step launches the next, from the device.

use anyhow::Result;
use gpu::execution::nested_reduce::{recursive_reduce, recursive_reduce_nosync, recursive_reduce2};
use lanewise::counters::Counters;
use lanewise::testing::{Agreement, Mismatch};
use lanewise::{Device, LaunchConfig, Stream};

use super::in_place::Sums;
use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work};

/// The greatest length of a vector. There are eight launches for every block of 512.
const MOST: usize = 1 << 22;

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "nested_reduce",
    chapter: "execution",
    summary: "sums by recursion, each step launched by the one before: 2^k launches against 8",
    source: "Professional CUDA C Programming, chapter 3",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 20,
        bench: None,
    },
    variants: &[
        Variant::new("recursive_reduce", |device, setup| {
            Nested::prepare(device, setup, |sums, stream| {
                let arguments = (&mut sums.data, &mut sums.partials);
                Ok(stream.launch(recursive_reduce, sums.config, arguments)?)
            })
        })
        .up_to(MOST),
        Variant::new("recursive_reduce_nosync", |device, setup| {
            Nested::prepare(device, setup, |sums, stream| {
                let arguments = (&mut sums.data, &mut sums.partials);
                Ok(stream.launch(recursive_reduce_nosync, sums.config, arguments)?)
            })
        })
        .up_to(MOST),
        Variant::new("recursive_reduce2", |device, setup| {
            Nested::prepare(device, setup, |sums, stream| {
                let length = sums.config.block.x;
                let config = LaunchConfig::new(sums.config.grid.x, (length / 2).max(1));
                let arguments = (&mut sums.data, &mut sums.partials, length, length);
                // SAFETY: all elements of a part lie in the live buffer, and a block has a thread
                // for every two of them.
                Ok(unsafe { stream.launch_unchecked(recursive_reduce2, config, arguments) }?)
            })
        })
        .up_to(MOST),
    ],
};

struct Nested {
    sums: Sums,
    launch: fn(&mut Sums, &Stream) -> Result<()>,
}

impl Nested {
    fn prepare(
        device: &Device,
        setup: Setup,
        launch: fn(&mut Sums, &Stream) -> Result<()>,
    ) -> Result<Box<dyn Case>> {
        let sums = Sums::prepare(device, setup, 1)?;
        // A grid is pending until it and all grids that it launched have ended. Each block launches
        // one grid at every step.
        let steps = sums.config.block.x.max(2).ilog2() + 1;
        let pending = sums.config.grid.x as usize * steps as usize;
        if pending > device.pending_launches()? {
            device.set_pending_launches(pending)?;
        }
        Ok(Box::new(Self { sums, launch }))
    }
}

impl Case for Nested {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        (self.launch)(&mut self.sums, stream)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        self.sums.check()
    }

    fn work(&self) -> Work {
        self.sums.work()
    }

    fn figures(&self, counters: Option<&Counters>) -> Result<Vec<Figure>> {
        let launches =
            counters.map(|counters| Figure::new("device launches", counters.device_launches));
        Ok(launches
            .into_iter()
            .chain(self.sums.figures(counters))
            .collect())
    }
}
