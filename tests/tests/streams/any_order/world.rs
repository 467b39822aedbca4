//! What a random program works on, shared by its threads, and how one is run.
//!
//! A thing and what it should hold are changed together, under one lock: the one that safe Rust
//! asks for anyway. So threads may come in any order.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use cust::memory::mem_get_info;
use gpu::streams::advance::advance;
use kernels::{COUNT, count_bins};
use lanewise::checks::{self, Checking};
use lanewise::{
    Device, DeviceBuffer, DriverError, Event, GraphError, LaunchConfig, ManagedBuffer, MemoryPool,
    PinnedBuffer, Pinning, StreamOptions, counters,
};

use super::calls::{Called, Kind, Queue};
use super::images::Image;
use super::ops::{self, Op, Place, Step};
use super::own_code::{caught, on_purpose};
use super::slots::{Slot, impatiently};
use super::work::{Calls, Made};

/// What an operation was found to do: nothing wrong, or what.
pub(super) type Did = Result<(), String>;

/// Elements of what is allocated.
pub(super) const LENGTHS: [usize; 6] = [48, 48, 48, 33, 1, 0];

/// Memory, and what should be in it.
pub(super) struct Held<M> {
    pub(super) memory: M,
    pub(super) expected: Vec<u32>,
    /// Nothing else has had it.
    pub(super) number: u64,
}

impl<M> Held<M> {
    pub(super) fn new(memory: M, expected: Vec<u32>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self {
            memory,
            expected,
            number,
        }
    }

    /// Sees whether that is what is there.
    pub(super) fn check(&self, found: &[u32], what: &str) -> Did {
        if found == self.expected {
            return Ok(());
        }
        let wrong = found
            .iter()
            .zip(&self.expected)
            .position(|(found, expected)| found != expected);
        let at = wrong.unwrap_or_default();
        let (found, expected) = (found.get(at), self.expected.get(at));
        Err(format!(
            "{what}, element {at}: found {found:?}, expected {expected:?}"
        ))
    }

    /// Writes other numbers through the slice that the memory gives of itself.
    pub(super) fn overwrite<E: std::fmt::Debug>(
        &mut self,
        seed: usize,
        slice: impl FnOnce(&mut M) -> Result<&mut [u32], E>,
    ) -> Did {
        let values = numbers(self.expected.len(), seed);
        good(slice(&mut self.memory))?.copy_from_slice(&values);
        self.expected = values;
        Ok(())
    }
}

pub(super) type Buffer = Held<DeviceBuffer<u32>>;

/// An event, and what has been called when it happens.
pub(super) struct Marked {
    pub(super) event: Event,
    pub(super) called: Mutex<Called>,
}

/// The objects that the random operations use: buffers, streams, events, graphs and others.
pub(super) struct World<'a> {
    pub(super) devices: &'a [Device],
    pub(super) buffers: [Slot<Buffer>; ops::BUFFERS as usize],
    pub(super) pinned: [Slot<Held<PinnedBuffer<u32>>>; ops::PINNED as usize],
    pub(super) managed: [Slot<Held<ManagedBuffer<u32>>>; ops::MANAGED as usize],
    pub(super) streams: [Slot<Queue>; ops::STREAMS as usize],
    pub(super) events: [Slot<Marked>; ops::EVENTS as usize],
    pub(super) graphs: [Mutex<Option<Made>>; ops::GRAPHS as usize],
    pub(super) pools: [Slot<MemoryPool>; ops::POOLS as usize],
    pub(super) images: [Slot<Image>; ops::IMAGES as usize],
    /// What each device's static should hold.
    pub(super) symbols: Vec<Mutex<u32>>,
    /// What functions of the host have found.
    pub(super) wrong: Arc<Mutex<Vec<String>>>,
    /// The functions of graphs.
    pub(super) calls: Mutex<Vec<Calls>>,
    /// Asks the helper thread to queue work, and to answer when it has.
    pub(super) helper: Mutex<mpsc::Sender<(usize, mpsc::Sender<()>)>>,
}

/// The devices, each with all kernels loaded: that waits for what is under way.
pub(super) fn devices() -> Vec<Device> {
    let devices = Device::all().expect("devices");
    for device in &devices {
        device.module::<gpu::Ptx>().expect("a module");
        device.module::<kernels::Ptx>().expect("a module");
        device.module::<device_kernels::Ptx>().expect("a module");
        device.module::<hopper_kernels::Ptx>().expect("a module");
        for other in devices.iter().filter(|other| *other != device) {
            device.enable_peer(other).expect("access");
        }
    }
    devices
}

/// Bytes that each device has for new memory.
fn free(devices: &[Device]) -> Result<Vec<usize>, DriverError> {
    let free = |device: &Device| {
        device.default_stream().synchronize()?; // which makes it the thread's
        Ok(mem_get_info().map_or(0, |(free, _)| free))
    };
    devices.iter().map(free).collect()
}

/// Checks that as much memory is free as before. Another thread frees what host functions dropped,
/// so the check waits for it.
fn all_free(devices: &[Device], before: &[usize]) -> Did {
    let patience = Instant::now() + Duration::from_secs(30);
    loop {
        let now = good(free(devices))?;
        if now == before {
            return Ok(());
        }
        if Instant::now() > patience {
            return Err(format!(
                "{before:?} bytes were free before, and {now:?} are"
            ));
        }
        thread::sleep(Duration::from_micros(100));
    }
}

/// An answer that has to be good.
pub(super) fn good<T, E: std::fmt::Debug>(answer: Result<T, E>) -> Result<T, String> {
    answer.map_err(|error| format!("{error:?}"))
}

/// A launch for so many elements.
pub(super) fn config(elements: usize) -> LaunchConfig {
    LaunchConfig::for_num_elems(elements.max(1)) // a launch has a thread
}

/// Numbers, of which many are below 48.
pub(super) fn numbers(length: usize, seed: usize) -> Vec<u32> {
    (0..length).map(|i| (i * (seed + 1) % 61) as u32).collect()
}

/// Runs a program: what was wrong, if anything.
pub(super) fn run(devices: &[Device], steps: &[Step]) -> Did {
    let (ask, asked) = mpsc::channel();
    let free = good(free(devices))?;
    let world = World::new(devices, ask)?;
    let stop = AtomicBool::new(false);
    let wrong = world.wrong.clone();
    let mut done = Ok(());
    thread::scope(|scope| {
        scope.spawn(|| super::helper::help(&devices[0], asked, &wrong));
        let world = &world;
        let start = |number: usize| {
            let own = steps
                .iter()
                .enumerate()
                .filter(move |(_, step)| step.thread() == number);
            let stop = &stop;
            scope.spawn(move || {
                for (at, step) in own {
                    if stop.load(Ordering::Relaxed) {
                        return Ok(());
                    }
                    let (place, op) = step.op();
                    let did = catch_unwind(AssertUnwindSafe(|| world.perform(place, op)));
                    let did = did.unwrap_or_else(|_| Err("a panic".to_owned()));
                    if let Err(why) = did {
                        stop.store(true, Ordering::Relaxed);
                        return Err(format!("operation {at}, {op:?}: {why}"));
                    }
                }
                Ok(())
            })
        };
        let threads: Vec<_> = (0..ops::THREADS.into()).map(start).collect();
        for thread in threads {
            let ended = thread.join().unwrap_or_else(|_| Err("a panic".to_owned()));
            done = std::mem::replace(&mut done, Ok(())).and(ended);
        }
        done = std::mem::replace(&mut done, Ok(())).and_then(|()| world.check_all());
        // Nobody asks any more, so the helper ends.
        let (nobody, _) = mpsc::channel();
        *world.helper.lock().unwrap_or_else(PoisonError::into_inner) = nobody;
    });
    done?;
    drop(world);
    for device in devices {
        good(device.synchronize())?;
    }
    all_free(devices, &free)?;
    let wrong = std::mem::take(&mut *wrong.lock().unwrap_or_else(PoisonError::into_inner));
    wrong.into_iter().next().map_or(Ok(()), Err)
}

impl<'a> World<'a> {
    /// Creates the world, with an object in most of its slots.
    fn new(
        devices: &'a [Device],
        helper: mpsc::Sender<(usize, mpsc::Sender<()>)>,
    ) -> Result<Self, String> {
        let (first, last) = (&devices[0], devices.last().expect("there is one"));
        let world = Self {
            devices,
            buffers: Default::default(),
            pinned: Default::default(),
            managed: Default::default(),
            streams: Default::default(),
            events: Default::default(),
            graphs: Default::default(),
            pools: Default::default(),
            images: Default::default(),
            symbols: devices.iter().map(|_| Mutex::new(0)).collect(),
            wrong: Arc::default(),
            calls: Mutex::default(),
            helper: Mutex::new(helper),
        };
        for device in devices {
            good(good(device.symbol(COUNT))?.write(0))?;
        }
        for (number, slot) in world.buffers.iter().enumerate().skip(1) {
            let device = if number % 3 == 0 { last } else { first };
            let values = numbers(48, number);
            slot.put(Held::new(
                good(DeviceBuffer::from_slice(device, &values))?,
                values,
            ));
        }
        for slot in &world.pinned[1..] {
            let memory = good(PinnedBuffer::zeroed(first, 48, Pinning::Cached))?;
            slot.put(Held::new(memory, vec![0; 48]));
        }
        let memory = good(ManagedBuffer::zeroed(first, 48))?;
        world.managed[1].put(Held::new(memory, vec![0; 48]));
        let free = StreamOptions::new().non_blocking();
        let streams = [
            Queue::new(first.default_stream(), Kind::Default),
            Queue::new(good(first.stream_with(free))?, Kind::Free),
            Queue::new(good(last.stream_with(free))?, Kind::Free),
            Queue::new(good(last.stream())?, Kind::Blocking),
        ];
        for (slot, queue) in world.streams.iter().zip(streams) {
            slot.put(queue);
        }
        for slot in &world.events[1..] {
            let event = good(first.event())?;
            slot.put(Marked {
                event,
                called: Mutex::default(),
            });
        }
        for (slot, device) in world.images[1..].iter().zip([first, last]) {
            slot.put(super::images::new(device, [7, 5], 1)?);
        }
        world.first_graphs()?;
        Ok(world)
    }

    /// Does an operation there.
    fn perform(&self, place: Place, op: Op) -> Did {
        let device = &self.devices[0];
        let mut did = Ok(());
        match place {
            Place::Plain => did = self.do_it(op),
            Place::InThread => {
                did = thread::scope(|scope| scope.spawn(|| self.do_it(op)).join())
                    .unwrap_or_else(|_| Err("a panic".to_owned()));
            }
            Place::InRecord => {
                let nothing = device.record(|_| {
                    did = impatiently(|| self.do_it(op));
                    Ok(())
                });
                good(nothing)?;
            }
            Place::InBuild => {
                let built = device.build_graph(|_| {
                    did = self.do_it(op);
                    Ok(())
                });
                good(built)?;
            }
            Place::Counted => {
                let counted = counters::of(device, || {
                    did = self.do_it(op);
                    Ok::<(), GraphError>(())
                });
                good(counted)?;
            }
            Place::Checked => {
                let checked = checks::of(device, Checking::race(), || {
                    did = self.do_it(op);
                    Ok::<(), GraphError>(())
                });
                if let Some(finding) = good(checked)?.1.into_iter().flatten().next() {
                    return Err(format!("{finding:?}"));
                }
            }
            Place::RecordPanics => caught(|| {
                device.record(|_| {
                    did = impatiently(|| self.do_it(op));
                    on_purpose()
                })
            })?,
            Place::BuildPanics => caught(|| {
                device.build_graph(|_| {
                    did = self.do_it(op);
                    on_purpose::<Result<(), GraphError>>()
                })
            })?,
            Place::CountedPanics => caught(|| {
                counters::of(device, || {
                    did = self.do_it(op);
                    on_purpose::<Result<(), GraphError>>()
                })
            })?,
            Place::CheckedPanics => caught(|| {
                checks::of(device, Checking::race(), || {
                    did = self.do_it(op);
                    on_purpose::<Result<(), GraphError>>()
                })
            })?,
        }
        // A recording can't wait for itself.
        let refused = |why: &String| why.contains("CAPTURE_UNSUPPORTED");
        match place {
            Place::InRecord | Place::RecordPanics if did.as_ref().is_err_and(refused) => Ok(()),
            _ => did,
        }
    }

    /// Compares the contents of all memory with what they should be.
    fn check_all(&self) -> Did {
        for buffer in self.buffers.iter().filter_map(Slot::read) {
            buffer.check(&good(buffer.memory.to_vec())?, "a buffer at the end")?;
        }
        for pinned in self.pinned.iter().filter_map(Slot::read) {
            pinned.check(good(pinned.memory.as_slice())?, "pinned memory at the end")?;
        }
        for managed in self.managed.iter().filter_map(Slot::read) {
            managed.check(
                good(managed.memory.as_slice())?,
                "managed memory at the end",
            )?;
        }
        for image in self.images.iter().filter_map(Slot::read) {
            image.check_all()?;
        }
        for (device, symbol) in self.devices.iter().zip(&self.symbols) {
            let found = good(good(device.symbol(COUNT))?.read())?;
            let expected = *symbol.lock().unwrap_or_else(PoisonError::into_inner);
            if found != expected {
                return Err(format!(
                    "the static at the end: found {found}, expected {expected}"
                ));
            }
            good(device.synchronize())?;
        }
        for queue in self.streams.iter().filter_map(Slot::read) {
            queue.end().check("at the end")?;
        }
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.iter().try_for_each(Calls::check)
    }

    /// The queue of this number.
    pub(super) fn queue(&self, number: usize) -> Option<Queue> {
        self.streams[number].read().map(|queue| queue.clone())
    }

    /// Queues `to[i] = from[i]`, so many steps on.
    pub(super) fn advance(
        queue: &Queue,
        from: &DeviceBuffer<u32>,
        to: &mut DeviceBuffer<u32>,
        rounds: u32,
    ) -> Did {
        let shape = config(to.len());
        good(queue.stream.launch(advance, shape, (from, to, rounds)))
    }

    /// Queues counting what is in `from`.
    pub(super) fn bins(queue: &Queue, from: &DeviceBuffer<u32>, to: &mut DeviceBuffer<u32>) -> Did {
        let shape = config(from.len());
        good(queue.stream.launch(count_bins, shape, (from, to)))
    }
}
