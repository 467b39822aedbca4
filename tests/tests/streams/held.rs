//! The work of other threads while one waits for a function that a stream calls on the host.
//!
//! Such a function may wait for anything but the device: also for a thread that is about to queue
//! work. So a thread that waits for the device must hold no lock that is needed to queue work.
//! Otherwise the three wait for each other for ever.

use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Duration;

use gpu::basics::device_globals::VALUE;
use gpu::basics::vector_add::vec_add;
use lanewise::checks::{self, Checking};
use lanewise::texture::Texture;
use lanewise::{
    Backend, Device, DeviceBuffer, DriverError, Event, ExecutableGraph, LaunchConfig,
    ManagedBuffer, PinnedBuffer, Pinning, Stream, StreamOptions, counters,
};

const LENGTH: usize = 100;

/// What the threads share.
struct Shared {
    device: Device,
    /// The stream that the function holds up: one with which the default stream keeps order.
    held: Stream,
    free: Stream,
    /// Used on `held`, and by the graph.
    buffer: DeviceBuffer<f32>,
    /// Written on `held`.
    pinned: PinnedBuffer<f32>,
    managed: ManagedBuffer<f32>,
    /// Recorded on `held`.
    event: Event,
    graph: Mutex<ExecutableGraph>,
}

impl Shared {
    fn new(device: &Device) -> Self {
        // A GPU's driver waits for what is under way when it loads a module, and so does who
        // launches its first kernel.
        device.module::<gpu::Ptx>().expect("a module");
        let mut buffer = DeviceBuffer::zeroed(device, LENGTH).expect("a buffer");
        let graph = device.record(|record| record.fill_zero(&mut buffer));
        let free = StreamOptions::new().non_blocking();
        Self {
            device: device.clone(),
            held: device.stream().expect("a stream"),
            free: device.stream_with(free).expect("a stream"),
            buffer,
            pinned: PinnedBuffer::zeroed(device, LENGTH, Pinning::Cached).expect("memory"),
            managed: ManagedBuffer::zeroed(device, LENGTH).expect("memory"),
            event: device.event().expect("an event"),
            graph: Mutex::new(graph.expect("a graph")),
        }
    }

    /// Has the stream call a function that waits for a word, and do some work behind it.
    fn hold(&mut self) -> mpsc::Sender<()> {
        let (go, wait) = mpsc::channel();
        let called = self.held.call(move || wait.recv().unwrap_or_default());
        called.expect("queued");
        let copied = self.held.copy_out(&self.buffer, &mut self.pinned);
        copied.expect("queued").detach();
        self.event.record(&self.held).expect("queued");
        go
    }
}

/// A thing that a thread does, and what it is called.
type Named = (&'static str, fn(&Shared));

/// What waits for the function.
const WAITS: [Named; 11] = [
    ("Device::synchronize", |it| {
        it.device.synchronize().expect("no fault");
    }),
    ("Stream::synchronize", |it| {
        it.held.synchronize().expect("no fault");
    }),
    ("Event::synchronize", |it| {
        it.event.synchronize().expect("no fault");
    }),
    ("DeviceBuffer::to_vec", |it| {
        it.buffer.to_vec().expect("no fault");
    }),
    ("DeviceBuffer::from_slice", |it| {
        DeviceBuffer::from_slice(&it.device, &[1.0f32; LENGTH]).expect("no fault");
    }),
    ("PinnedBuffer::as_slice", |it| {
        it.pinned.as_slice().expect("no fault");
    }),
    ("ManagedBuffer::as_slice", |it| {
        it.managed.as_slice().expect("no fault");
    }),
    ("DeviceSymbol::write", |it| {
        let value = it.device.symbol(VALUE).expect("a static");
        value.write(1.0).expect("no fault");
    }),
    ("the end of a texture", |it| {
        let texels = [0.0; LENGTH];
        let texture = Texture::<1>::from_slice(&it.device, &texels, [LENGTH], Default::default());
        drop(texture.expect("a texture"));
    }),
    ("counters::of", |it| {
        counters::of(&it.device, || Ok::<(), DriverError>(())).expect("no fault");
    }),
    ("checks::of", |it| {
        let none = || Ok::<(), DriverError>(());
        checks::of(&it.device, Checking::all(), none).expect("no fault");
    }),
];

/// Counters and checks, which a GPU does not have.
const NOT_ON_A_GPU: [&str; 2] = ["counters::of", "checks::of"];

/// The operations that wait for nothing.
const QUEUES: [Named; 9] = [
    ("Device::stream", |it| {
        it.device.stream().expect("a stream");
    }),
    ("Stream::launch", |it| {
        let mut sum = DeviceBuffer::<f32>::zeroed_on(&it.free, LENGTH).expect("a buffer");
        let (config, one) = (LaunchConfig::for_num_elems(LENGTH), &it.buffer);
        let launched = it.free.launch(vec_add, config, (one, one, &mut sum));
        launched.expect("a launch");
    }),
    ("Device::record", |it| {
        let mut sum = DeviceBuffer::<f32>::zeroed_on(&it.free, LENGTH).expect("a buffer");
        let (config, one) = (LaunchConfig::for_num_elems(LENGTH), &it.buffer);
        let graph = it
            .device
            .record(|record| record.launch(vec_add, config, (one, one, &mut sum)));
        graph.expect("a graph");
    }),
    ("Device::build_graph", |it| {
        let mut sum = DeviceBuffer::<f32>::zeroed_on(&it.free, LENGTH).expect("a buffer");
        let built = it
            .device
            .build_graph(|graph| graph.copy(&[], &it.buffer, &mut sum).map(drop));
        let (template, ()) = built.expect("a graph");
        template.instantiate().expect("a graph");
    }),
    ("Graph::launch", |it| {
        let graph = it.graph.lock().expect("no panic");
        graph.launch(&it.free).expect("a launch");
    }),
    ("Stream::copy_in", |it| {
        let mut to = DeviceBuffer::<f32>::zeroed_on(&it.free, LENGTH).expect("a buffer");
        let copied = it.free.copy_in(&it.pinned, &mut to);
        copied.expect("queued").detach();
    }),
    ("Stream::copy", |it| {
        let mut to = DeviceBuffer::<f32>::zeroed_on(&it.free, LENGTH).expect("a buffer");
        it.free.copy(&it.buffer, &mut to).expect("queued");
    }),
    ("Stream::call", |it| {
        it.free.call(|| ()).expect("queued");
    }),
    ("Stream::record", |it| {
        let event = it.free.record().expect("queued");
        it.held.wait_event(&event).expect("queued");
    }),
];

#[test]
fn work_is_queued_while_another_thread_waits_for_a_host_function() {
    let _turn = tests::turn();
    let device = tests::device();
    let mut stuck = Vec::new();
    for (waits, wait) in WAITS {
        if device.backend() == Backend::Cuda && NOT_ON_A_GPU.contains(&waits) {
            continue;
        }
        let mut shared = Shared::new(&device);
        let go = shared.hold();
        let shared = &shared;
        thread::scope(|scope| {
            let waiting = scope.spawn(|| wait(shared));
            // Long enough for that thread to come to its wait.
            thread::sleep(Duration::from_millis(20));
            let (begin, begun) = mpsc::channel();
            scope.spawn(move || {
                for (queues, queue) in QUEUES {
                    begin.send(queues).expect("the test listens");
                    queue(shared);
                }
            });
            let mut last = "none";
            loop {
                match begun.recv_timeout(Duration::from_secs(30)) {
                    Ok(queues) => last = queues,
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                    Err(mpsc::RecvTimeoutError::Timeout) => {
                        stuck.push(format!("{last} waits for {waits}"));
                        break;
                    }
                }
            }
            assert!(!waiting.is_finished(), "{waits} does not wait");
            go.send(()).expect("the stream waits");
            begun.into_iter().for_each(drop);
        });
    }
    assert!(stuck.is_empty(), "{stuck:#?}");
}
