//! The legacy default stream between two others: it waits for them and they wait for it, unless
//! they are non-blocking.
//!
//! Three kernels are queued: on a stream, on the default stream, and on another stream. None of
//! them needs the results of another.

use std::time::Duration;

use anyhow::{Context, Result};
use lanewise::counters::Counters;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, Stream, StreamOptions};

use super::jobs::{advanced, queue, streams, timed};
use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "default_stream",
    chapter: "streams",
    summary: "the default stream and the others wait for each other, except non-blocking streams",
    source: "Professional CUDA C Programming, chapter 6; CUDA driver API, \"Stream synchronization behavior\"",
    size: Size {
        of: "elements of each kernel",
        is_square: false,
        default: 256,
        bench: None,
    },
    variants: &[
        Variant::new("default_stream_blocks", |device, setup| {
            ThreeStreams::prepare(device, setup, StreamOptions::new())
        })
        .runs("advance"),
        Variant::new("non_blocking_streams", |device, setup| {
            ThreeStreams::prepare(device, setup, StreamOptions::new().non_blocking())
        })
        .runs("advance"),
    ],
};

/// The number of steps of each kernel, if `by` is not given.
pub const ROUNDS: u32 = 1 << 14;

struct ThreeStreams {
    /// The default stream is the one in the middle.
    streams: [Stream; 3],
    buffers: [[DeviceBuffer<u32>; 2]; 3],
    rounds: u32,
    expected: Vec<u32>,
    one: Duration,
    all: Option<Duration>,
}

impl ThreeStreams {
    fn prepare(device: &Device, setup: Setup, options: StreamOptions) -> Result<Box<dyn Case>> {
        let (n, rounds) = (setup.elements()?, setup.by.unwrap_or(ROUNDS));
        let values = input::words(n, setup.seed);
        let buffers = || -> Result<[DeviceBuffer<u32>; 2]> {
            Ok([
                DeviceBuffer::from_slice(device, &values)?,
                DeviceBuffer::zeroed(device, n)?,
            ])
        };
        let [mut first, second, third] = [buffers()?, buffers()?, buffers()?];
        let main = device.stream()?;
        let [from, to] = &mut first;
        let mut one = || timed(&main, || queue(&main, from, to, rounds));
        one()?; // the first launch may load the module
        let one = one()?;
        let mut made = streams(device, 2, options)?.into_iter();
        let mut made = || made.next().context("two streams were made");
        Ok(Box::new(ThreeStreams {
            streams: [made()?, device.default_stream(), made()?],
            buffers: [first, second, third],
            rounds,
            expected: setup.expected(|| advanced(&values, rounds)),
            one,
            all: None,
        }))
    }
}

impl Case for ThreeStreams {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        // The earlier uses of the buffers are over after this, so only the streams' own rules
        // determine the order.
        stream.device().synchronize()?;
        // ANCHOR: three
        let starts: Vec<_> = self
            .streams
            .iter()
            .map(Stream::record)
            .collect::<Result<_, _>>()?;
        for (stream, [from, to]) in self.streams.iter().zip(&mut self.buffers) {
            queue(stream, from, to, self.rounds)?;
        }
        // ANCHOR_END: three
        let ends: Vec<_> = self
            .streams
            .iter()
            .map(Stream::record)
            .collect::<Result<_, _>>()?;
        let mut last = Duration::ZERO;
        for end in &ends {
            end.synchronize()?;
            let after = end.since(&starts[0])?;
            if after > last {
                last = after;
            }
        }
        self.all = Some(last);
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let results: Vec<Vec<u32>> = self
            .buffers
            .iter()
            .map(|[_, to]| to.to_vec())
            .collect::<Result<_, _>>()?;
        Ok(testing::equal(&results.concat(), &self.expected.repeat(3)))
    }

    fn work(&self) -> Work {
        Work::Nothing
    }

    fn figures(&self, _: Option<&Counters>) -> Result<Vec<Figure>> {
        let all = self.all.context("nothing was launched")?;
        Ok(vec![
            Figure::tenths("one kernel, us", self.one.as_secs_f64() * 1e6),
            Figure::tenths("three kernels, us", all.as_secs_f64() * 1e6),
        ])
    }
}
