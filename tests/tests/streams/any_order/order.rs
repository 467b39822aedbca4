//! Operations on streams, events and statics.

use std::sync::{PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use kernels::{COUNT, count_up};
use lanewise::{EventOptions, LaunchConfig, StreamOptions};
use tests::future::block_on;

use super::calls::{Called, Kind, Queue};
use super::ops::Op;
use super::slots::{Slot, turn};
use super::world::{Did, Marked, World, good};

impl World<'_> {
    /// What the rules of the default stream put before what is queued now.
    fn before(&self, queue: &Queue) -> Called {
        let mut before = Called::default();
        for other in self.streams.iter().filter_map(Slot::read) {
            let kinds = [queue.kind, other.kind];
            let one_device = queue.stream.device() == other.stream.device();
            if one_device && kinds.contains(&Kind::Default) && !kinds.contains(&Kind::Free) {
                before.also(&other.end());
            }
        }
        before
    }

    fn call(&self, queue: &Queue, work: impl FnOnce() + Send + 'static) -> Did {
        queue.waits_for(&self.before(queue));
        good(queue.call(&self.wrong, work))
    }

    pub(super) fn on_streams(&self, op: Op) -> Option<Did> {
        Some(match op {
            Op::Synchronize { device } => {
                let device = &self.devices[device.get() % self.devices.len()];
                let mut called = Called::default();
                for queue in self.streams.iter().filter_map(Slot::read) {
                    if queue.stream.device() == device {
                        called.also(&queue.end());
                    }
                }
                good(device.synchronize()).and_then(|()| called.check("behind Device::synchronize"))
            }
            Op::NewStream {
                stream,
                how,
                device,
            } => {
                let device = &self.devices[device.get() % self.devices.len()];
                let (options, kind) = match how.get() {
                    0 => (StreamOptions::new(), Kind::Blocking),
                    1 => (StreamOptions::new().non_blocking(), Kind::Free),
                    _ => (StreamOptions::new().priority(-1), Kind::Blocking),
                };
                let slot = stream.get();
                if slot == 0 {
                    let queue = Queue::new(device.default_stream(), Kind::Default);
                    drop(self.streams[slot].put(queue));
                    return Some(Ok(()));
                }
                let made = good(device.stream_with(options));
                made.map(|made| drop(self.streams[slot].put(Queue::new(made, kind))))
            }
            Op::DropStream { stream } => {
                drop(self.streams[stream.get()].take()?);
                Ok(())
            }
            Op::WaitForStream { stream, how } => {
                let queue = self.queue(stream.get())?;
                let called = queue.end();
                match how.get() {
                    0 => good(queue.stream.synchronize())
                        .and_then(|()| called.check("behind Stream::synchronize")),
                    1 => match queue.stream.is_done() {
                        Ok(true) => called.check("though Stream::is_done"),
                        other => good(other).map(drop),
                    },
                    _ => good(queue.stream.finished())
                        .and_then(|finished| good(block_on(finished)))
                        .and_then(|()| called.check("behind Stream::finished")),
                }
            }
            Op::StreamWaits { stream, other } => {
                let (queue, other) = (self.queue(stream.get())?, self.queue(other.get())?);
                let called = other.end();
                good(queue.stream.wait_for(&other.stream)).map(|()| queue.waits_for(&called))
            }
            Op::Call { stream } => self.call(&self.queue(stream.get())?, || ()),
            Op::Pause { stream } => {
                let pause = || thread::sleep(Duration::from_micros(500));
                self.call(&self.queue(stream.get())?, pause)
            }
            Op::Hold { stream, until } => {
                let (go, wait) = mpsc::channel::<()>();
                let queue = self.queue(stream.get())?;
                let called = self.call(&queue, move || wait.recv().unwrap_or_default());
                let helper = self.helper.lock().unwrap_or_else(PoisonError::into_inner);
                called.and_then(|()| good(helper.send((until.get(), go))))
            }
            Op::DropOnHost { stream, what, slot } => {
                self.drop_on_host(&self.queue(stream.get())?, what.get(), slot.get())?
            }
            Op::ReadSymbol { device } => {
                let device = device.get() % self.devices.len();
                let expected = turn(&self.symbols[device])?;
                let symbol = good(self.devices[device].symbol(COUNT));
                let found = symbol.and_then(|symbol| good(symbol.read()));
                found.and_then(|found| match found == *expected {
                    true => Ok(()),
                    false => Err(format!("the static: found {found}, expected {expected}")),
                })
            }
            Op::WriteSymbol { device, value } => {
                let device = device.get() % self.devices.len();
                let mut expected = turn(&self.symbols[device])?;
                let symbol = good(self.devices[device].symbol(COUNT));
                let written = symbol.and_then(|symbol| good(symbol.write(value.get() as u32)));
                written.map(|()| *expected = value.get() as u32)
            }
            Op::CountUp { stream } => {
                let queue = self.queue(stream.get())?;
                let device = queue.stream.device();
                let mut expected = turn(&self.symbols[device.ordinal()])?;
                let launched = queue.stream.launch(count_up, LaunchConfig::new(2, 32), ());
                good(launched).map(|()| *expected = expected.wrapping_add(64))
            }
            op => return self.on_events(op),
        })
    }

    fn on_events(&self, op: Op) -> Option<Did> {
        Some(match op {
            Op::NewEvent { event, how, device } => {
                let device = &self.devices[device.get() % self.devices.len()];
                let options = match how.get() {
                    0 => EventOptions::new(),
                    1 => EventOptions::new().without_time(),
                    _ => EventOptions::new().blocking_wait(),
                };
                let made = good(device.event_with(options));
                made.map(|made| {
                    let marked = Marked {
                        event: made,
                        called: Default::default(),
                    };
                    drop(self.events[event.get()].put(marked));
                })
            }
            Op::DropEvent { event } => {
                drop(self.events[event.get()].take()?);
                Ok(())
            }
            Op::Record { event, stream } => {
                let queue = self.queue(stream.get())?;
                let marked = self.events[event.get()].read()?;
                let mut called = turn(&marked.called)?;
                let mut end = queue.end();
                if queue.kind == Kind::Default {
                    end.also(&self.before(&queue));
                }
                let recorded = marked.event.record(&queue.stream);
                match marked.event.device() == queue.stream.device() {
                    true => good(recorded).map(|()| *called = end),
                    false => match recorded {
                        Err(error) if error.name() == "CUDA_ERROR_INVALID_HANDLE" => Ok(()),
                        other => Err(format!("of another device: {other:?}")),
                    },
                }
            }
            Op::Wait { event, stream } => {
                let queue = self.queue(stream.get())?;
                let marked = self.events[event.get()].read()?;
                let called = turn(&marked.called)?;
                good(queue.stream.wait_event(&marked.event)).map(|()| queue.waits_for(&called))
            }
            Op::WaitForEvent { event, query } => {
                let marked = self.events[event.get()].read()?;
                let called = turn(&marked.called)?;
                match query.get() {
                    0 => good(marked.event.synchronize())
                        .and_then(|()| called.check("behind Event::synchronize")),
                    _ => match marked.event.is_done() {
                        Ok(true) => called.check("though Event::is_done"),
                        other => good(other).map(drop),
                    },
                }
            }
            op => return self.on_graphs(op),
        })
    }

    /// Moves something into a function of the host, where it is dropped.
    fn drop_on_host(&self, queue: &Queue, what: usize, slot: usize) -> Option<Did> {
        fn moved<T: Send + 'static>(world: &World<'_>, queue: &Queue, thing: T) -> Option<Did> {
            Some(world.call(queue, move || drop(thing)))
        }
        match what {
            0 => {
                // Until the function runs, graphs may be launched with it: nobody asks
                // before it has.
                let mut place = self.buffers[slot % self.buffers.len()].place()?;
                let moved = moved(self, queue, place.take()?)?;
                Some(moved.and_then(|()| good(queue.stream.synchronize())))
            }
            1 => moved(self, queue, self.pinned[slot % self.pinned.len()].take()?),
            2 => moved(self, queue, self.streams[slot % self.streams.len()].take()?),
            3 => moved(self, queue, self.events[slot % self.events.len()].take()?),
            4 => moved(
                self,
                queue,
                turn(&self.graphs[slot % self.graphs.len()])?.take()?,
            ),
            5 => moved(self, queue, self.pools[slot % self.pools.len()].take()?),
            _ => moved(self, queue, self.images[slot % self.images.len()].take()?),
        }
    }
}
