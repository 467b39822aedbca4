//! Operations on memory: what each does, and the expected result.

use std::mem::forget;

use lanewise::{
    DeviceBuffer, InFlight, ManagedBuffer, MemoryError, MemoryLocation, MemoryPool, PinnedBuffer,
    Pinning,
};

use super::model;
use super::ops::{Op, different};
use super::slots::two;
use super::world::{Did, Held, LENGTHS, World, good, numbers};

/// What becomes of a copy that is under way.
fn end(
    copy: Result<InFlight<'_>, MemoryError>,
    lengths: [usize; 2],
    how: usize,
) -> Result<bool, String> {
    match (copy, how) {
        (Err(MemoryError::LengthMismatch { .. }), _) if lengths[0] != lengths[1] => {
            return Ok(false);
        }
        (Err(error), _) => return Err(format!("{error:?}")),
        (Ok(copy), 0) => good(copy.wait())?,
        (Ok(copy), 1) => copy.detach(),
        (Ok(copy), 2) => drop(copy),
        (Ok(copy), _) => forget(copy),
    }
    match lengths[0] == lengths[1] {
        true => Ok(true),
        false => Err("lengths differ".to_owned()),
    }
}

impl World<'_> {
    /// Does an operation: none where a place that it names is empty.
    pub(super) fn do_it(&self, op: Op) -> Did {
        self.on_memory(op).unwrap_or(Ok(()))
    }

    fn on_memory(&self, op: Op) -> Option<Did> {
        Some(match op {
            Op::Allocate {
                buffer,
                how,
                stream,
                length,
            } => self.allocate(buffer.get(), how.get(), stream.get(), LENGTHS[length.get()])?,
            Op::DropBuffer { buffer } => {
                drop(self.buffers[buffer.get()].place()?.take()?);
                Ok(())
            }
            Op::Write { buffer, seed } => {
                let held = &mut *self.buffers[buffer.get()].write()?;
                let values = numbers(held.expected.len(), seed.get());
                good(held.memory.copy_from_slice(&values)).map(|()| held.expected = values)
            }
            Op::Zero {
                buffer,
                stream,
                plain,
            } => {
                let queue = self.queue(stream.get())?;
                let held = &mut *self.buffers[buffer.get()].write()?;
                let zeroed = match plain.get() {
                    0 => queue.stream.fill_zero(&mut held.memory),
                    _ => held.memory.fill_zero(),
                };
                good(zeroed).map(|()| held.expected.fill(0))
            }
            Op::Read { buffer, how } => {
                let held = self.buffers[buffer.get()].read()?;
                match how.get() {
                    0 => good(held.memory.to_vec()).and_then(|found| held.check(&found, "to_vec")),
                    _ => {
                        let mut found = vec![7; held.expected.len()];
                        let copied = held.memory.copy_to_slice(&mut found);
                        good(copied).and_then(|()| held.check(&found, "copy_to_slice"))
                    }
                }
            }
            Op::Copy { stream, from, to } => {
                let queue = self.queue(stream.get())?;
                let (from, to) = different(from.get(), to.get(), self.buffers.len());
                let (from, mut to) = two(&self.buffers, from, to)?;
                match queue.stream.copy(&from.memory, &mut to.memory) {
                    Ok(()) => {
                        to.expected.clone_from(&from.expected);
                        Ok(())
                    }
                    Err(MemoryError::LengthMismatch { .. })
                        if from.expected.len() != to.expected.len() =>
                    {
                        Ok(())
                    }
                    Err(error) => Err(format!("{error:?}")),
                }
            }
            Op::CopyIn {
                stream,
                pinned,
                buffer,
                end: how,
            } => {
                let queue = self.queue(stream.get())?;
                let to = &mut *self.buffers[buffer.get()].write()?;
                let from = self.pinned[pinned.get()].read()?;
                let lengths = [from.expected.len(), to.expected.len()];
                let copy = queue.stream.copy_in(&from.memory, &mut to.memory);
                end(copy, lengths, how.get()).map(|done| {
                    if done {
                        to.expected.clone_from(&from.expected);
                    }
                })
            }
            Op::CopyOut {
                stream,
                buffer,
                pinned,
                end: how,
            } => {
                let queue = self.queue(stream.get())?;
                let from = self.buffers[buffer.get()].read()?;
                let to = &mut *self.pinned[pinned.get()].write()?;
                let lengths = [from.expected.len(), to.expected.len()];
                let copy = queue.stream.copy_out(&from.memory, &mut to.memory);
                end(copy, lengths, how.get()).map(|done| {
                    if done {
                        to.expected.clone_from(&from.expected);
                    }
                })
            }
            Op::Advance {
                stream,
                from,
                to,
                rounds,
            } => {
                let queue = self.queue(stream.get())?;
                let (from, to) = different(from.get(), to.get(), self.buffers.len());
                let (from, mut to) = two(&self.buffers, from, to)?;
                let rounds = rounds.get() as u32;
                let launched = Self::advance(&queue, &from.memory, &mut to.memory, rounds);
                launched.map(|()| model::advance(&from.expected, &mut to.expected, rounds))
            }
            Op::Bins { stream, from, to } => {
                let queue = self.queue(stream.get())?;
                let (from, to) = different(from.get(), to.get(), self.buffers.len());
                let (from, mut to) = two(&self.buffers, from, to)?;
                let launched = Self::bins(&queue, &from.memory, &mut to.memory);
                launched.map(|()| model::bins(&from.expected, &mut to.expected))
            }
            Op::Parts {
                one,
                other,
                from,
                to,
            } => {
                let queues = [self.queue(one.get())?, self.queue(other.get())?];
                let (from, to) = different(from.get(), to.get(), self.buffers.len());
                let (from, mut to) = two(&self.buffers, from, to)?;
                let to = &mut *to;
                let middle = to.expected.len() / 2;
                let (mut low, mut high) = to.memory.split_at_mut(middle);
                let (expected_low, expected_high) = to.expected.split_at_mut(middle);
                for (queue, part, expected) in [
                    (&queues[0], &mut low, &mut *expected_low),
                    (&queues[1], &mut high, &mut *expected_high),
                ] {
                    let shape = super::world::config(part.len());
                    let kernel = gpu::streams::advance::advance;
                    let launched =
                        queue
                            .stream
                            .launch(kernel, shape, (&from.memory, &mut *part, 1));
                    if let Err(why) = good(launched) {
                        return Some(Err(why));
                    }
                    model::advance(&from.expected, expected, 1);
                }
                if low.len() == high.len() {
                    if let Err(why) = good(queues[0].stream.copy(&high, &mut low)) {
                        return Some(Err(why));
                    }
                    expected_low.copy_from_slice(expected_high);
                }
                if middle % 2 == 0 {
                    forget((low, high));
                }
                Ok(())
            }
            Op::View {
                stream,
                from,
                to,
                start,
            } => {
                let queue = self.queue(stream.get())?;
                let (from, to) = different(from.get(), to.get(), self.buffers.len());
                let (from, mut to) = two(&self.buffers, from, to)?;
                let start = start.get().min(from.expected.len());
                let view = from.memory.slice(start..from.expected.len());
                let launched = Self::advance(&queue, &view, &mut to.memory, 1);
                launched.map(|()| model::advance(&from.expected[start..], &mut to.expected, 1))
            }
            Op::NewPool { pool, device } => {
                let device = &self.devices[device.get() % self.devices.len()];
                good(MemoryPool::new(device)).map(|new| drop(self.pools[pool.get()].put(new)))
            }
            Op::DropPool { pool } => {
                drop(self.pools[pool.get()].take()?);
                Ok(())
            }
            op => return self.on_host_memory(op),
        })
    }

    fn allocate(&self, slot: usize, how: usize, stream: usize, length: usize) -> Option<Did> {
        let queue = self.queue(stream)?;
        let device = queue.stream.device();
        let values = numbers(length, slot);
        let zeros = vec![0; length];
        let (made, expected) = match how {
            0 => (DeviceBuffer::from_slice(device, &values), values),
            1 => (DeviceBuffer::zeroed(device, length), zeros),
            2 => (DeviceBuffer::zeroed_on(&queue.stream, length), zeros),
            _ => {
                let pool = self.pools[slot % self.pools.len()].read()?;
                match pool.zeroed(&queue.stream, length) {
                    // The pool is another device's.
                    Err(MemoryError::Driver(error))
                        if self.devices.len() > 1 && error.name() == "CUDA_ERROR_INVALID_VALUE" =>
                    {
                        return None;
                    }
                    made => (made, zeros),
                }
            }
        };
        Some(good(made).map(|made| {
            if let Some(mut place) = self.buffers[slot].place() {
                // Nobody sees the place without it before it is gone: a graph may be launched with
                // it till then.
                drop(place.take());
                *place = Some(Held::new(made, expected));
            }
        }))
    }

    fn on_host_memory(&self, op: Op) -> Option<Did> {
        Some(match op {
            Op::NewPinned {
                pinned,
                how,
                length,
            } => {
                let (device, length) = (&self.devices[0], LENGTHS[length.get()]);
                let (made, expected) = match how.get() {
                    0 => (
                        PinnedBuffer::zeroed(device, length, Pinning::Cached),
                        vec![0; length],
                    ),
                    1 => (
                        PinnedBuffer::zeroed(device, length, Pinning::WriteCombined),
                        vec![0; length],
                    ),
                    _ => {
                        let values = numbers(length, 3);
                        (PinnedBuffer::register(device, values.clone()), values)
                    }
                };
                good(made)
                    .map(|made| drop(self.pinned[pinned.get()].put(Held::new(made, expected))))
            }
            Op::DropPinned { pinned } => {
                drop(self.pinned[pinned.get()].take()?);
                Ok(())
            }
            Op::ReadPinned { pinned } => {
                let held = self.pinned[pinned.get()].read()?;
                good(held.memory.as_slice()).and_then(|found| held.check(found, "pinned memory"))
            }
            Op::WritePinned { pinned, seed } => {
                let held = &mut *self.pinned[pinned.get()].write()?;
                held.overwrite(seed.get(), PinnedBuffer::as_mut_slice)
            }
            Op::Mapped {
                stream,
                pinned,
                buffer,
                how,
            } => {
                let queue = self.queue(stream.get())?;
                let held = &mut *self.buffers[buffer.get()].write()?;
                let host = &mut *self.pinned[pinned.get()].write()?;
                let mut mapped = match host.memory.mapped() {
                    Ok(mapped) => mapped,
                    Err(error) => return Some(Err(format!("{error:?}"))),
                };
                let done = match how.get() {
                    0 => {
                        let launched = Self::advance(&queue, &mapped, &mut held.memory, 1);
                        launched.map(|()| model::advance(&host.expected, &mut held.expected, 1))
                    }
                    1 => {
                        let shape = super::world::config(mapped.len());
                        let kernel = gpu::streams::advance::advance;
                        let launched =
                            queue
                                .stream
                                .launch(kernel, shape, (&held.memory, &mut mapped, 2));
                        good(launched)
                            .map(|()| model::advance(&held.expected, &mut host.expected, 2))
                    }
                    2 => good(queue.stream.fill_zero(&mut mapped)).map(|()| host.expected.fill(0)),
                    _ => {
                        let values = numbers(host.expected.len(), 5);
                        good(mapped.copy_from_slice(&values)).map(|()| host.expected = values)
                    }
                };
                if stream.get() == 0 {
                    forget(mapped);
                }
                done
            }
            Op::NewManaged { managed, length } => {
                let length = LENGTHS[length.get()];
                let made = good(ManagedBuffer::zeroed(&self.devices[0], length));
                made.map(|made| {
                    drop(self.managed[managed.get()].put(Held::new(made, vec![0; length])))
                })
            }
            Op::DropManaged { managed } => {
                drop(self.managed[managed.get()].take()?);
                Ok(())
            }
            Op::ReadManaged { managed } => {
                let held = self.managed[managed.get()].read()?;
                good(held.memory.as_slice()).and_then(|found| held.check(found, "managed memory"))
            }
            Op::WriteManaged { managed, seed } => {
                let held = &mut *self.managed[managed.get()].write()?;
                held.overwrite(seed.get(), ManagedBuffer::as_mut_slice)
            }
            Op::Managed {
                stream,
                managed,
                buffer,
                how,
            } => {
                let queue = self.queue(stream.get())?;
                let kernel = gpu::streams::advance::advance;
                let held = &mut *self.buffers[buffer.get()].write()?;
                let host = &mut *self.managed[managed.get()].write()?;
                let shape = super::world::config(48);
                match how.get() {
                    0 => {
                        let arguments = (&host.memory, &mut held.memory, 1);
                        good(queue.stream.launch(kernel, shape, arguments))
                            .map(|()| model::advance(&host.expected, &mut held.expected, 1))
                    }
                    _ => {
                        let arguments = (&held.memory, &mut host.memory, 2);
                        good(queue.stream.launch(kernel, shape, arguments))
                            .map(|()| model::advance(&held.expected, &mut host.expected, 2))
                    }
                }
            }
            Op::Prefetch {
                stream,
                managed,
                to,
            } => {
                let queue = self.queue(stream.get())?;
                let held = self.managed[managed.get()].read()?;
                let place = match self.devices.get(to.get()) {
                    Some(device) => MemoryLocation::Device(device),
                    None => MemoryLocation::Host,
                };
                good(held.memory.prefetch(&queue.stream, place))
            }
            op => return self.on_streams(op),
        })
    }
}
