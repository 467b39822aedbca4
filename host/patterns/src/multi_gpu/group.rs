//! Collective operations between the devices of one process, with one interface for two
//! implementations: NCCL, or a ring of copies if there is no NCCL.
//!
//! A [`Group`] has a rank for each device, with a stream. Each operation is queued on these
//! streams, with one buffer per rank, and the buffers keep order with the work that was queued
//! before. [`Group::by`] returns the name of the implementation.

use anyhow::{Result, ensure};
use lanewise::{Backend, Device, DeviceBuffer, Stream};

use super::nccl::{Communicator, Nccl};
use super::{distinct, ring};

/// The devices that take part, in the order of their ranks.
pub struct Group {
    pub(super) streams: Vec<Stream>,
    way: Transport,
}

/// The implementation that moves the data.
enum Transport {
    Nccl(Vec<Communicator>),
    Ring,
}

impl Group {
    /// Makes a group of these devices. It uses NCCL if there are a GPU and
    /// `libnccl.so.2`, else copies.
    ///
    /// # Errors
    /// The driver's error, or NCCL's.
    pub fn new(devices: &[Device]) -> Result<Self> {
        let is_real = devices
            .iter()
            .all(|device| device.backend() == Backend::Cuda);
        let way = match is_real && distinct(devices) == devices.len() {
            true => match Nccl::open() {
                Ok(nccl) => Transport::Nccl(nccl.all(devices)?),
                Err(_) => Transport::Ring,
            },
            false => Transport::Ring,
        };
        Self::with(devices, way)
    }

    fn with(devices: &[Device], way: Transport) -> Result<Self> {
        ensure!(!devices.is_empty(), "a group has at least one device");
        // With peer access, copies go directly from device to device.
        for from in devices {
            for to in devices {
                if from != to && from.can_reach(to)? {
                    from.enable_peer(to)?;
                }
            }
        }
        let streams = devices
            .iter()
            .map(Device::stream)
            .collect::<Result<_, _>>()?;
        Ok(Self { streams, way })
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> usize {
        self.streams.len()
    }

    /// Returns the ranks' streams, for work that has to come before or after an operation.
    pub fn streams(&self) -> &[Stream] {
        &self.streams
    }

    /// Returns the name of the implementation that moves the data: `NCCL 2.28.9`,
    /// `copies in a ring`.
    pub fn by(&self) -> String {
        match &self.way {
            Transport::Nccl(ranks) => ranks[0].name(),
            Transport::Ring => "copies in a ring".to_owned(),
        }
    }

    /// Queues an all-reduce: each rank's buffer becomes the sum of all buffers.
    ///
    /// # Errors
    /// An error if there is not one buffer per rank or the lengths differ, or the driver's
    /// or NCCL's error.
    pub fn all_reduce(&mut self, buffers: &mut [DeviceBuffer<f32>]) -> Result<()> {
        self.same(buffers, buffers[0].len())?;
        match &self.way {
            Transport::Ring => ring::all_reduce(&self.streams, buffers),
            Transport::Nccl(ranks) => ranks[0].grouped(|| {
                for ((rank, stream), buffer) in ranks.iter().zip(&self.streams).zip(buffers) {
                    rank.all_reduce(stream, buffer)?;
                }
                Ok(())
            }),
        }
    }

    /// Queues a reduce-scatter: rank `i` gets part `i` of the sum of all buffers. `from` has a part
    /// of `to`'s length for each rank.
    ///
    /// # Errors
    /// As [`Self::all_reduce`].
    pub fn reduce_scatter(
        &mut self,
        from: &mut [DeviceBuffer<f32>],
        to: &mut [DeviceBuffer<f32>],
    ) -> Result<()> {
        let part = to[0].len();
        self.same(to, part)?;
        self.same(from, part * self.ranks())?;
        match &self.way {
            Transport::Ring => ring::reduce_scatter(&self.streams, from, to),
            Transport::Nccl(ranks) => ranks[0].grouped(|| {
                let both = from.iter().zip(to);
                for ((rank, stream), (from, to)) in ranks.iter().zip(&self.streams).zip(both) {
                    rank.reduce_scatter(stream, from, to)?;
                }
                Ok(())
            }),
        }
    }

    /// Queues an all-gather: each rank gets the data of all ranks, in the order of ranks.
    ///
    /// # Errors
    /// As [`Self::all_reduce`].
    pub fn all_gather(
        &mut self,
        from: &[DeviceBuffer<f32>],
        to: &mut [DeviceBuffer<f32>],
    ) -> Result<()> {
        let part = from[0].len();
        self.same(from, part)?;
        self.same(to, part * self.ranks())?;
        match &self.way {
            Transport::Ring => ring::all_gather(&self.streams, from, to),
            Transport::Nccl(ranks) => ranks[0].grouped(|| {
                let both = from.iter().zip(to);
                for ((rank, stream), (from, to)) in ranks.iter().zip(&self.streams).zip(both) {
                    rank.all_gather(stream, from, to)?;
                }
                Ok(())
            }),
        }
    }

    /// Queues a broadcast: each rank gets the data of rank `root`.
    ///
    /// # Errors
    /// As [`Self::all_reduce`]; an error if there is no such rank.
    pub fn broadcast(&mut self, root: usize, buffers: &mut [DeviceBuffer<f32>]) -> Result<()> {
        ensure!(
            root < self.ranks(),
            "there is no rank {root} among {}",
            self.ranks()
        );
        self.same(buffers, buffers[0].len())?;
        match &self.way {
            Transport::Ring => ring::broadcast(&self.streams, root, buffers),
            Transport::Nccl(ranks) => ranks[0].grouped(|| {
                for ((rank, stream), buffer) in ranks.iter().zip(&self.streams).zip(buffers) {
                    rank.broadcast(stream, root, buffer)?;
                }
                Ok(())
            }),
        }
    }

    /// Queues a shift: each rank sends its data to the next one, and the last rank to the first.
    ///
    /// # Errors
    /// As [`Self::all_reduce`].
    pub fn shift(
        &mut self,
        from: &[DeviceBuffer<f32>],
        to: &mut [DeviceBuffer<f32>],
    ) -> Result<()> {
        self.same(from, from[0].len())?;
        self.same(to, from[0].len())?;
        match &self.way {
            Transport::Ring => ring::shift(&self.streams, from, to),
            Transport::Nccl(ranks) => ranks[0].grouped(|| {
                let (all, both) = (ranks.len(), from.iter().zip(to));
                let sides = ranks.iter().zip(&self.streams).zip(both).enumerate();
                for (i, ((rank, stream), (from, to))) in sides {
                    rank.send(stream, from, (i + 1) % all)?;
                    rank.receive(stream, to, (i + all - 1) % all)?;
                }
                Ok(())
            }),
        }
    }

    /// Checks that there is a buffer of this length for each rank, on the rank's device.
    fn same(&self, buffers: &[DeviceBuffer<f32>], len: usize) -> Result<()> {
        let all = buffers.len() == self.ranks() && buffers.iter().all(|buffer| buffer.len() == len);
        ensure!(
            all,
            "an operation of {} ranks takes a buffer of {len} elements for each",
            self.ranks()
        );
        let there = buffers.iter().zip(&self.streams);
        ensure!(
            there
                .into_iter()
                .all(|(buffer, stream)| buffer.device() == stream.device()),
            "each rank's buffer has to be on its own device"
        );
        Ok(())
    }
}
