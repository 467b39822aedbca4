//! Chains of small kernels on several streams. They are queued depth first, breadth first, and by a
//! thread for each stream.
//!
//! A chain's kernels run one after another, and the chains are independent. If streams share a
//! hardware queue (`CUDA_DEVICE_MAX_CONNECTIONS=1`, or a GPU before Kepler), the order in which the
//! chains are queued determines whether they run at the same time.

use std::time::Duration;

use anyhow::Result;
use lanewise::counters::Counters;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, Stream, StreamOptions};

use super::jobs::{Chain, advanced, streams, timed};
use super::schedule::{self, Schedule};
use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "scheduling",
    chapter: "streams",
    summary: "depth first, breadth first, a thread a stream: one answer, and false dependencies with one queue",
    source: "Professional CUDA C Programming, chapter 6",
    size: Size {
        of: "elements of each of 4 chains of 4 kernels",
        is_square: false,
        default: 256,
        bench: None,
    },
    variants: &[
        Variant::new("depth_first", |device, setup| {
            Scheduled::prepare(device, setup, schedule::depth_first)
        })
        .runs("advance"),
        Variant::new("breadth_first", |device, setup| {
            Scheduled::prepare(device, setup, schedule::breadth_first)
        })
        .runs("advance"),
        Variant::new("thread_per_stream", |device, setup| {
            Scheduled::prepare(device, setup, schedule::thread_per_stream)
        })
        .runs("advance"),
    ],
};

/// The number of streams and of chains. Each stream has one chain.
pub const STREAMS: usize = 4;
/// The number of kernels in a chain.
pub const KERNELS: usize = 4;
/// The number of steps of each kernel, if `by` is not given. They take long compared with a launch.
pub const ROUNDS: u32 = 1 << 14;

struct Scheduled {
    schedule: Schedule<Chain>,
    streams: Vec<Stream>,
    chains: Vec<Chain>,
    expected: Vec<Vec<u32>>,
    /// The time of the same work on one stream.
    in_a_row: Duration,
    together: Option<Duration>,
}

impl Scheduled {
    fn prepare(device: &Device, setup: Setup, schedule: Schedule<Chain>) -> Result<Box<dyn Case>> {
        let (n, rounds) = (setup.elements()?, setup.by.unwrap_or(ROUNDS));
        let values: Vec<Vec<u32>> = (0..STREAMS as u64)
            .map(|chain| input::words(n, setup.seed ^ chain))
            .collect();
        let chains = || -> Result<Vec<Chain>> {
            let chain = |values: &Vec<u32>| Chain::new(device, values, KERNELS, rounds);
            values.iter().map(chain).collect()
        };
        let main = device.stream()?;
        let one = [main.clone()];
        let mut others = chains()?;
        let mut run = || timed(&main, || schedule::depth_first(&one, &mut others));
        run()?; // the first launch may load the module
        let in_a_row = run()?;
        let all = rounds.wrapping_mul(KERNELS as u32);
        Ok(Box::new(Self {
            schedule,
            streams: streams(device, STREAMS, StreamOptions::new())?,
            chains: chains()?,
            expected: setup
                .expected(|| values.iter().map(|values| advanced(values, all)).collect()),
            in_a_row,
            together: None,
        }))
    }
}

impl Case for Scheduled {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        self.together = Some(timed(stream, || {
            schedule::fork(stream, &self.streams)?;
            (self.schedule)(&self.streams, &mut self.chains)?;
            schedule::join(stream, &self.streams)
        })?);
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let results: Vec<Vec<u32>> = self
            .chains
            .iter()
            .map(Chain::result)
            .collect::<Result<_>>()?;
        Ok(testing::equal(&results.concat(), &self.expected.concat()))
    }

    fn work(&self) -> Work {
        Work::Nothing
    }

    fn figures(&self, _: Option<&Counters>) -> Result<Vec<Figure>> {
        let Some(together) = self.together else {
            return Ok(Vec::new());
        };
        Ok(vec![
            Figure::tenths("on one stream, us", self.in_a_row.as_secs_f64() * 1e6),
            Figure::tenths("on 4 streams, us", together.as_secs_f64() * 1e6),
            Figure::tenths(
                "chains at once",
                self.in_a_row.as_secs_f64() / together.as_secs_f64(),
            ),
        ])
    }
}
