//! Copies that run at the same time as kernels. An array goes to the device in chunks, is processed
//! there, and comes back.
//!
//! On one stream, copies and kernels run one after another. On several streams, the kernel of a
//! chunk runs while another chunk is copied. At best the whole takes as long as the slowest of the
//! three kinds of work.

use std::time::Duration;

use anyhow::{Context, Result};
use lanewise::counters::Counters;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, PinnedBuffer, Pinning, Stream, StreamOptions};

use super::jobs::{Chunk, ROUND_TRIP, Stage, advanced, streams, timed};
use super::schedule::{self, Schedule};
use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "overlap",
    chapter: "streams",
    summary: "copies beside kernels: as long as the slower of the two, not as both",
    source: "Professional CUDA C Programming, chapter 6; CUDA C++ Best Practices Guide, \"Memory Optimizations\"",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 18,
        bench: None,
    },
    variants: &[
        Variant::new("overlap_none", |device, setup| {
            let one = Plan {
                streams: 1,
                ..Plan::DEPTH
            };
            Overlapped::prepare(device, setup, one)
        })
        .runs("advance"),
        Variant::new("overlap_depth_first", |device, setup| {
            Overlapped::prepare(device, setup, Plan::DEPTH)
        })
        .runs("advance"),
        Variant::new("overlap_breadth_first", |device, setup| {
            let breadth = Plan {
                schedule: schedule::breadth_first,
                ..Plan::DEPTH
            };
            Overlapped::prepare(device, setup, breadth)
        })
        .runs("advance"),
        Variant::new("staged_copy", |device, setup| {
            // The processed chunks stay on the device.
            let staged = Plan {
                stages: &[Stage::CopyIn, Stage::Kernel],
                ..Plan::DEPTH
            };
            Overlapped::prepare(device, setup, staged)
        })
        .runs("advance"),
        Variant::new("double_buffering", DoubleBuffered::prepare).runs("advance"),
    ],
};

/// The number of streams, except for the variant that has one.
pub const STREAMS: usize = 4;
/// The number of steps of the kernel for each element, if `by` is not given.
pub const ROUNDS: u32 = 256;

/// Returns the number of elements in a chunk. There are 4 to 64 chunks. If there are more than 4,
/// none has fewer than 2^15 elements.
fn chunk(size: usize) -> usize {
    size.div_ceil((size >> 15).clamp(STREAMS, 64)).max(1)
}

/// The stages of the chunks, the number of streams, and the order.
struct Plan {
    streams: usize,
    stages: &'static [Stage],
    schedule: Schedule<Chunk>,
}

impl Plan {
    const DEPTH: Self = Self {
        streams: STREAMS,
        stages: ROUND_TRIP,
        schedule: schedule::depth_first,
    };
}

struct Overlapped {
    plan: Plan,
    streams: Vec<Stream>,
    chunks: Vec<Chunk>,
    elements: usize,
    expected: Vec<u32>,
    /// The times of each kind of work without the others.
    alone: Vec<Duration>,
    together: Option<Duration>,
}

impl Overlapped {
    fn prepare(device: &Device, setup: Setup, plan: Plan) -> Result<Box<dyn Case>> {
        let (n, rounds) = (setup.elements()?, setup.by.unwrap_or(ROUNDS));
        let values = input::words(n, setup.seed);
        let mut case = Self {
            streams: streams(device, plan.streams, StreamOptions::new())?,
            chunks: Chunk::all(device, &values, chunk(n), rounds)?,
            elements: n,
            expected: setup.expected(|| advanced(&values, rounds)),
            alone: Vec::new(),
            together: None,
            plan,
        };
        let main = device.stream()?;
        let kinds: [&'static [Stage]; 3] = [&[Stage::CopyIn], &[Stage::Kernel], &[Stage::CopyOut]];
        for kind in kinds {
            if kind.iter().all(|stage| case.plan.stages.contains(stage)) {
                case.run(&main, kind)?; // the first time may load the module
                let time = case.run(&main, kind)?;
                case.alone.push(time);
            }
        }
        Ok(Box::new(case))
    }

    /// Runs these stages of all chunks as the plan describes.
    fn run(&mut self, main: &Stream, stages: &'static [Stage]) -> Result<Duration> {
        self.chunks.iter_mut().for_each(|chunk| chunk.only(stages));
        timed(main, || {
            schedule::fork(main, &self.streams)?;
            (self.plan.schedule)(&self.streams, &mut self.chunks)?;
            schedule::join(main, &self.streams)
        })
    }
}

impl Case for Overlapped {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        self.together = Some(self.run(stream, self.plan.stages)?);
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let mut found = Vec::with_capacity(self.elements);
        for chunk in &self.chunks {
            match self.plan.stages.contains(&Stage::CopyOut) {
                true => found.extend_from_slice(chunk.output()?),
                false => found.extend(chunk.on_device()?),
            }
        }
        Ok(testing::equal(&found, &self.expected))
    }

    fn work(&self) -> Work {
        let copies = self
            .plan
            .stages
            .iter()
            .filter(|stage| **stage != Stage::Kernel);
        Work::Bytes((copies.count() * 4 * self.elements) as u64)
    }

    fn figures(&self, _: Option<&Counters>) -> Result<Vec<Figure>> {
        let together = self.together.context("nothing was launched")?;
        let all: f64 = self.alone.iter().map(|time| time.as_secs_f64()).sum();
        let longest = self
            .alone
            .iter()
            .fold(0.0, |longest: f64, time| longest.max(time.as_secs_f64()));
        let us = |seconds: f64| seconds * 1e6;
        Ok(vec![
            Figure::tenths("one after another, us", us(all)),
            Figure::tenths("the longest, us", us(longest)),
            Figure::tenths("together, us", together.as_secs_f64() * 1e6),
            Figure::percent("of the longest, %", longest / together.as_secs_f64()),
        ])
    }
}

/// Pageable memory that is copied through two pinned buffers. The host fills one buffer while the
/// other is copied.
struct DoubleBuffered {
    values: Vec<u32>,
    rounds: u32,
    /// The pinned buffers, and the device buffer to which each is copied.
    slots: [(PinnedBuffer<u32>, DeviceBuffer<u32>); 2],
    streams: Vec<Stream>,
    result: DeviceBuffer<u32>,
    expected: Vec<u32>,
}

impl DoubleBuffered {
    fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
        let (n, rounds) = (setup.elements()?, setup.by.unwrap_or(ROUNDS));
        let values = input::words(n, setup.seed);
        let slot = || -> Result<_> {
            Ok((
                PinnedBuffer::zeroed(device, chunk(n), Pinning::Cached)?,
                DeviceBuffer::zeroed(device, chunk(n))?,
            ))
        };
        Ok(Box::new(Self {
            rounds,
            slots: [slot()?, slot()?],
            streams: streams(device, 2, StreamOptions::new())?,
            result: DeviceBuffer::zeroed(device, n)?,
            expected: setup.expected(|| advanced(&values, rounds)),
            values,
        }))
    }
}

impl Case for DoubleBuffered {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        schedule::fork(stream, &self.streams)?;
        let mut parts = self.result.chunks_mut(chunk(self.values.len()));
        let chunks = self.values.chunks(chunk(self.values.len()));
        for (i, (values, part)) in chunks.zip(&mut parts).enumerate() {
            let ((pinned, buffer), side) = (&mut self.slots[i % 2], &self.streams[i % 2]);
            // This waits for the copy of the chunk before the last one, which used the same memory.
            pinned.as_mut_slice()?[..values.len()].copy_from_slice(values);
            side.copy_in(pinned, buffer)?.detach();
            let config = lanewise::LaunchConfig::for_num_elems(values.len());
            let arguments = (&*buffer, &mut *part, self.rounds);
            side.launch(gpu::streams::advance::advance, config, arguments)?;
        }
        schedule::join(stream, &self.streams)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        Ok(testing::equal(&self.result.to_vec()?, &self.expected))
    }

    fn work(&self) -> Work {
        Work::Bytes(4 * self.values.len() as u64)
    }
}
