//! Operations on pieces of buffers, advice on managed memory, and launches that are refused.

use std::mem::forget;

use gpu::streams::advance::advance;
use lanewise::{Advice, LaunchConfig, MemoryLocation};

use super::model;
use super::ops::{Op, different};
use super::slots::two;
use super::world::{Did, World, config, good, numbers};

impl World<'_> {
    pub(super) fn on_pieces(&self, op: Op) -> Option<Did> {
        Some(match op {
            Op::Fill {
                buffer,
                stream,
                how,
                value,
            } => {
                let queue = self.queue(stream.get())?;
                let held = &mut *self.buffers[buffer.get()].write()?;
                let value = 0x0101_0000 + value.get() as u32;
                let filled = match how.get() {
                    0 => queue.stream.fill(&mut held.memory, value),
                    1 => held.memory.fill(value),
                    2 => held.memory.slice_mut(..).fill(value),
                    _ => queue.stream.fill(&mut held.memory.slice_mut(..), value),
                };
                good(filled).map(|()| held.expected.fill(value))
            }
            Op::PartRange {
                buffer,
                stream,
                range,
                how,
            } => {
                let queue = self.queue(stream.get())?;
                let held = &mut *self.buffers[buffer.get()].write()?;
                let (one, other) = (range.get() % 50, range.get() / 12);
                let length = held.expected.len();
                let (start, end) = (one.min(other).min(length), one.max(other).min(length));
                let expected = &mut held.expected[..];
                match how.get() {
                    0 => good(held.memory.slice_mut(start..end).fill(9))
                        .map(|()| expected[start..end].fill(9)),
                    1 => {
                        let values = numbers(end - start, one);
                        let mut part = held.memory.slice_mut(start..end);
                        good(part.copy_from_slice(&values))
                            .map(|()| expected[start..end].copy_from_slice(&values))
                    }
                    2 => {
                        let mut part = held.memory.slice_mut(start..end);
                        let filled = good(queue.stream.fill(&mut part, 5));
                        filled.map(|()| {
                            expected[start..end].fill(5);
                            forget(part);
                        })
                    }
                    _ => {
                        let mut parts = held.memory.parts_of(&[start, end - start]);
                        let (from, to) = parts.split_at_mut(1);
                        let shape = config(end - start);
                        let arguments = (&from[0], &mut to[0], 1);
                        let launched = queue.stream.launch(advance, shape, arguments);
                        good(launched).map(|()| {
                            let (from, to) = expected.split_at_mut(start);
                            model::advance(from, &mut to[..end - start], 1);
                        })
                    }
                }
            }
            Op::Refused {
                stream,
                from,
                to,
                how,
            } => {
                let queue = self.queue(stream.get())?;
                let (from, to) = different(from.get(), to.get(), self.buffers.len());
                let (from, mut to) = two(&self.buffers, from, to)?;
                let one = LaunchConfig::new(1, 32);
                let shape = match how.get() % 7 {
                    0 => LaunchConfig::new(0, 32),
                    1 => LaunchConfig::new(1, 0),
                    2 => LaunchConfig::new(1, 1025),
                    3 => LaunchConfig::new((1, 2), 32),
                    4 => one.with_dynamic_shared(u32::MAX),
                    5 => one.with_cluster((0, 1, 1)),
                    _ => one.with_cluster(u32::MAX),
                };
                let device = queue.stream.device();
                let arguments = (&from.memory, &mut to.memory, 1);
                match how.get() / 7 {
                    0 => match queue.stream.launch(advance, shape, arguments) {
                        Ok(()) => Err(format!("launched with {shape}")),
                        Err(_) => Ok(()),
                    },
                    _ => {
                        let mut answer = Ok(());
                        let graph = device.record(|record| {
                            answer = record.launch(advance, shape, arguments);
                            Ok(())
                        });
                        match (answer, graph) {
                            (Ok(()), _) => Err(format!("recorded with {shape}")),
                            // It is not in the graph, which does nothing.
                            (Err(_), Ok(graph)) => good(graph.launch(&queue.stream)),
                            (Err(_), Err(error)) => Err(format!("{error:?}")),
                        }
                    }
                }
            }
            Op::Advise { managed, what, to } => {
                let held = self.managed[managed.get()].read()?;
                let place = match self.devices.get(to.get()) {
                    Some(device) => MemoryLocation::Device(device),
                    None => MemoryLocation::Host,
                };
                good(held.memory.advise(match what.get() {
                    0 => Advice::ReadMostly(true),
                    1 => Advice::ReadMostly(false),
                    2 => Advice::Preferred(Some(place)),
                    3 => Advice::Preferred(None),
                    4 => Advice::AccessedBy(place),
                    _ => Advice::NotAccessedBy(place),
                }))
            }
            op => return self.on_images(op),
        })
    }
}
