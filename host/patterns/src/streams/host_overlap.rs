//! The host and the device work at the same time. The host counts until an event has occurred, and
//! streams call functions of the host.

use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result};
use lanewise::counters::Counters;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, PinnedBuffer, Pinning, Stream, StreamOptions};

use super::jobs::{advanced, queue, streams};
use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "host_overlap",
    chapter: "streams",
    summary: "the host counts while the device works; a stream calls the host; such a function may not call CUDA",
    source: "Professional CUDA C Programming, chapter 6",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 16,
        bench: None,
    },
    variants: &[
        Variant::new("host_counts_meanwhile", Counting::prepare).runs("advance"),
        Variant::new("stream_callback", |device, setup| {
            Called::prepare(device, setup, in_order)
        })
        .runs("advance"),
        Variant::new("callback_that_calls_cuda", |device, setup| {
            Called::prepare(device, setup, refused)
        })
        .runs("advance"),
    ],
};

/// The number of steps of each kernel, if `by` is not given.
pub const ROUNDS: u32 = 256;
/// The number of streams that call the host, and the number of calls of each.
pub const STREAMS: usize = 4;

/// The count at which the host lets the stream continue. So the host always reaches this count.
const AT_LEAST: u64 = 1000;

/// An array that is copied to the device, processed and copied back, while the host counts.
struct Counting {
    input: PinnedBuffer<u32>,
    output: PinnedBuffer<u32>,
    buffers: [DeviceBuffer<u32>; 2],
    rounds: u32,
    expected: Vec<u32>,
    counted: u64,
}

impl Counting {
    fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
        let (n, rounds) = (setup.elements()?, setup.by.unwrap_or(ROUNDS));
        let values = input::words(n, setup.seed);
        let pinned = || PinnedBuffer::zeroed(device, n, Pinning::Cached);
        let mut input = pinned()?;
        input.as_mut_slice()?.copy_from_slice(&values);
        Ok(Box::new(Self {
            input,
            output: pinned()?,
            buffers: [
                DeviceBuffer::zeroed(device, n)?,
                DeviceBuffer::zeroed(device, n)?,
            ],
            rounds,
            expected: setup.expected(|| advanced(&values, rounds)),
            counted: 0,
        }))
    }
}

impl Case for Counting {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let [from, to] = &mut self.buffers;
        let copy_in = stream.copy_in(&self.input, from)?;
        queue(stream, from, to, self.rounds)?;
        // Short work may be over before the host has counted at all, so the stream waits
        // for the host.
        let (go_on, wait) = mpsc::channel();
        stream.call(move || {
            let _ = wait.recv_timeout(Duration::from_secs(10));
        })?;
        let copy_out = stream.copy_out(to, &mut self.output)?;
        let done = stream.record()?;
        self.counted = 0;
        while !done.is_done()? {
            self.counted += 1;
            if self.counted == AT_LEAST {
                go_on.send(()).context("the stream waits for this")?;
            }
        }
        copy_in.wait()?;
        Ok(copy_out.wait()?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        anyhow::ensure!(
            self.counted >= AT_LEAST,
            "the host counted to {}",
            self.counted
        );
        Ok(testing::equal(self.output.as_slice()?, &self.expected))
    }

    fn work(&self) -> Work {
        Work::Bytes(2 * 4 * self.output.len() as u64)
    }

    fn figures(&self, _: Option<&Counters>) -> Result<Vec<Figure>> {
        Ok(vec![Figure::new("counted at least to", AT_LEAST)])
    }
}

/// A test of host functions. It returns the actual and the expected output.
type Call = fn(&Device, &[Stream], &mut [[DeviceBuffer<u32>; 2]], u32) -> Result<[Vec<String>; 2]>;

/// Queues a kernel, a function, a kernel and a function on each stream. The functions of a stream
/// are called in order.
fn in_order(
    _: &Device,
    streams: &[Stream],
    buffers: &mut [[DeviceBuffer<u32>; 2]],
    rounds: u32,
) -> Result<[Vec<String>; 2]> {
    let (say, said) = mpsc::channel();
    for (i, (stream, [from, to])) in streams.iter().zip(buffers).enumerate() {
        for call in 0..2 {
            queue(stream, from, to, rounds)?;
            let say = say.clone();
            stream.call(move || {
                let _ = say.send((i, call));
            })?;
        }
    }
    streams.iter().try_for_each(Stream::synchronize)?;
    drop(say);
    let mut calls: Vec<(usize, i32)> = said.iter().collect();
    // Streams have no order among each other, and the stable sort keeps the order within a stream.
    calls.sort_by_key(|(stream, _)| *stream);
    let found = calls
        .iter()
        .map(|(stream, call)| format!("stream {stream}, call {call}"));
    let expected = (0..streams.len())
        .flat_map(|stream| (0..2).map(move |call| format!("stream {stream}, call {call}")));
    Ok([found.collect(), expected.collect()])
}

/// Queues a host function that calls the driver, which refuses the call.
fn refused(
    device: &Device,
    streams: &[Stream],
    _: &mut [[DeviceBuffer<u32>; 2]],
    _: u32,
) -> Result<[Vec<String>; 2]> {
    let (say, said) = mpsc::channel();
    let device = device.clone();
    streams[0].call(move || {
        let answer = match device.event() {
            Ok(_) => "an event".to_owned(),
            Err(error) => error.name().to_owned(),
        };
        let _ = say.send(answer);
    })?;
    streams[0].synchronize()?;
    let found = said.iter().collect();
    Ok([found, vec!["CUDA_ERROR_NOT_PERMITTED".to_owned()]])
}

struct Called {
    device: Device,
    call: Call,
    streams: Vec<Stream>,
    buffers: Vec<[DeviceBuffer<u32>; 2]>,
    rounds: u32,
    said: Option<[Vec<String>; 2]>,
}

impl Called {
    fn prepare(device: &Device, setup: Setup, call: Call) -> Result<Box<dyn Case>> {
        let n = setup.elements()?;
        let buffers = |_| -> Result<[DeviceBuffer<u32>; 2]> {
            Ok([
                DeviceBuffer::zeroed(device, n)?,
                DeviceBuffer::zeroed(device, n)?,
            ])
        };
        Ok(Box::new(Self {
            device: device.clone(),
            call,
            streams: streams(device, STREAMS, StreamOptions::new())?,
            buffers: (0..STREAMS).map(buffers).collect::<Result<_>>()?,
            rounds: setup.by.unwrap_or(ROUNDS),
            said: None,
        }))
    }
}

impl Case for Called {
    fn launch(&mut self, _: &Stream) -> Result<()> {
        let said = (self.call)(&self.device, &self.streams, &mut self.buffers, self.rounds)?;
        self.said = Some(said);
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let [found, expected] = self.said.as_ref().context("nothing was launched")?;
        Ok(testing::equal(found, expected))
    }

    fn work(&self) -> Work {
        Work::Nothing
    }
}
