//! The order of work: an event that joins streams, a stream with a higher priority, and an event
//! that records no time.

use anyhow::{Context, Result};
use gpu::streams::advance::advance;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{
    Backend, Device, DeviceBuffer, Event, EventOptions, LaunchConfig, Stream, StreamOptions,
};

use super::jobs::{queue, streams};
use crate::{Case, Pattern, Setup, Size, Variant, Work};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "dependencies",
    chapter: "streams",
    summary: "an event makes the last stream wait for the others; a priority lets a kernel go first; an event may keep no time",
    source: "Professional CUDA C Programming, chapter 6",
    size: Size {
        of: "elements of each kernel",
        is_square: false,
        default: 256,
        bench: None,
    },
    variants: &[
        Variant::new("event_joins_streams", |device, setup| {
            Ordered::prepare(device, setup, join, &["after all others"])
        })
        .runs("advance"),
        Variant::new("stream_priority", |device, setup| {
            Ordered::prepare(device, setup, urgent, &["before the last"])
        })
        .runs("advance"),
        Variant::new("event_without_time", |device, setup| {
            Ordered::prepare(device, setup, timeless, &["CUDA_ERROR_INVALID_HANDLE"])
        })
        .runs("advance"),
    ],
};

/// The number of streams that the last one waits for.
pub const OTHERS: usize = 3;
/// The number of kernels that wait for the device when an urgent one is queued.
pub const WAITING: usize = 8;
/// The number of steps of each kernel, if `by` is not given.
pub const ROUNDS: u32 = 4096;

/// Kernels with their own buffers, ready to be queued.
struct Kernels {
    device: Device,
    buffers: Vec<[DeviceBuffer<u32>; 2]>,
    rounds: u32,
    /// The number of steps of a kernel that others wait for.
    long: u32,
}

impl Kernels {
    /// Queues a kernel that is independent of the others, and returns the event after it.
    fn queue(&mut self, kernel: usize, stream: &Stream) -> Result<Event> {
        let [from, to] = &mut self.buffers[kernel];
        queue(stream, from, to, self.rounds)?;
        Ok(stream.record()?)
    }

    fn streams(&self, count: usize, options: StreamOptions) -> Result<Vec<Stream>> {
        streams(&self.device, count, options)
    }
}

/// Queues the kernel of the last stream after the events of the others.
fn join(kernels: &mut Kernels, main: &Stream) -> Result<String> {
    let streams = kernels.streams(OTHERS + 1, StreamOptions::new())?;
    let zero = main.record()?;
    // ANCHOR: wait
    let (last, others) = streams.split_last().context("several streams")?;
    let mut before = Vec::new();
    for (i, stream) in others.iter().enumerate() {
        stream.wait_event(&zero)?;
        before.push(kernels.queue(i, stream)?);
    }
    for event in &before {
        last.wait_event(event)?;
    }
    let start = last.record()?;
    // ANCHOR_END: wait
    kernels.queue(OTHERS, last)?.synchronize()?;
    let mut is_last = true;
    for event in &before {
        is_last &= event.since(&start)?.is_zero();
    }
    Ok(if is_last {
        "after all others"
    } else {
        "too early"
    }
    .to_owned())
}

/// Queues kernels that fill the device, and then an urgent one.
fn urgent(kernels: &mut Kernels, _: &Stream) -> Result<String> {
    let device = kernels.device.clone();
    let range = device.stream_priorities()?;
    let mut all = kernels.streams(WAITING, StreamOptions::new().priority(range.least))?;
    all.extend(kernels.streams(1, StreamOptions::new().priority(range.greatest))?);
    let config = filling(&device);
    let n = config.grid.x as usize * config.block.x as usize;
    let buffer = |_| DeviceBuffer::<u32>::zeroed(&device, n);
    let mut buffers = (0..2 * all.len())
        .map(buffer)
        .collect::<Result<Vec<_>, _>>()?;
    for (stream, pair) in all.iter().zip(buffers.chunks_exact_mut(2)) {
        let [from, to] = pair else { continue };
        stream.launch(advance, config, (&*from, to, kernels.long))?;
    }
    // Each stream has one kernel, so the event may be recorded here. Recorded directly after the
    // kernel, it would have delayed the next kernel.
    let ends: Vec<Event> = all.iter().map(Stream::record).collect::<Result<_, _>>()?;
    device.synchronize()?;
    let (urgent, others) = ends.split_last().context("several streams")?;
    let mut overtaken = 0;
    for end in others {
        overtaken += usize::from(!end.since(urgent)?.is_zero());
    }
    Ok(if overtaken > 0 {
        "before the last"
    } else {
        "after all"
    }
    .to_owned())
}

/// Returns the shape of a launch of few threads that fills every multiprocessor, because each block
/// takes all the shared memory that it may have. So a second launch like it has to wait.
fn filling(device: &Device) -> LaunchConfig {
    let properties = device.properties();
    let shared = properties.shared_memory_per_block;
    let each = shared + properties.reserved_shared_memory_per_block;
    let blocks = properties.shared_memory_per_multiprocessor / each;
    LaunchConfig::new(properties.multiprocessors * blocks.max(1), 32).with_dynamic_shared(shared)
}

/// Waits for an event without a time, and checks that it refuses to return one.
fn timeless(kernels: &mut Kernels, main: &Stream) -> Result<String> {
    let start = main.record()?;
    kernels.queue(0, main)?;
    let event = kernels
        .device
        .event_with(EventOptions::new().without_time().blocking_wait())?;
    event.record(main)?;
    event.synchronize()?;
    Ok(match event.since(&start) {
        Ok(time) => format!("{time:?}"),
        Err(error) => error.name().to_owned(),
    })
}

/// A function that queues the work, and returns a description of the result.
type Queue = fn(&mut Kernels, &Stream) -> Result<String>;

struct Ordered {
    kernels: Kernels,
    queue: Queue,
    expected: &'static [&'static str],
    found: Option<String>,
}

impl Ordered {
    fn prepare(
        device: &Device,
        setup: Setup,
        queue: Queue,
        expected: &'static [&'static str],
    ) -> Result<Box<dyn Case>> {
        let n = setup.elements()?;
        let buffers = || -> Result<[DeviceBuffer<u32>; 2]> {
            Ok([
                DeviceBuffer::zeroed(device, n)?,
                DeviceBuffer::zeroed(device, n)?,
            ])
        };
        let count = OTHERS + 1;
        let buffers = (0..count).map(|_| buffers()).collect::<Result<_>>()?;
        Ok(Box::new(Self {
            kernels: Kernels {
                device: device.clone(),
                buffers,
                rounds: setup.by.unwrap_or(ROUNDS),
                // The kernel takes long compared with a launch. On a GPU its time comes from
                // a chain of dependent steps, and on the simulator from the instructions
                // that it issues.
                long: setup.by.unwrap_or(match device.backend() {
                    Backend::Cuda => 1 << 16,
                    Backend::Sim => 4096,
                }),
            },
            queue,
            expected,
            found: None,
        }))
    }
}

impl Case for Ordered {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        self.found = Some((self.queue)(&mut self.kernels, stream)?);
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let found = self.found.as_deref().context("nothing was launched")?;
        Ok(testing::equal(&[found], self.expected))
    }

    fn work(&self) -> Work {
        Work::Nothing
    }
}
