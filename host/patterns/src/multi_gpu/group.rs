//! Collective operations between the devices of one process, behind one interface: NCCL's, or a
//! ring of copies where there is no NCCL.
//!
//! A [`Group`] has a rank for each device, with a stream. Each operation is queued on these
//! streams, one buffer a rank, and the buffers keep order with what was queued before.
//! [`Group::by`] says who does it.

use anyhow::{Result, ensure};
use lanewise::{Backend, Device, DeviceBuffer, Stream};

use super::nccl::{Communicator, Nccl};
use super::{distinct, ring};

/// The devices that take part, in the order of their ranks.
pub struct Group {
    pub(super) streams: Vec<Stream>,
    way: Transport,
}

/// Who moves the data.
enum Transport {
    Nccl(Vec<Communicator>),
    Ring,
}

impl Group {
    /// A group of these devices: by NCCL where there is a GPU and `libnccl.so.2`, else by copies.
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
        // Copies take the shorter way where there is one.
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

    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.streams.len()
    }

    /// The ranks' streams, for what has to come before or after.
    pub fn streams(&self) -> &[Stream] {
        &self.streams
    }

    /// Who moves the data: `NCCL 2.28.9`, `copies in a ring`.
    pub fn by(&self) -> String {
        match &self.way {
            Transport::Nccl(ranks) => ranks[0].name(),
            Transport::Ring => "copies in a ring".to_owned(),
        }
    }

    /// Each rank's buffer becomes the sum of all.
    ///
    /// # Errors
    /// When the buffers are not of one length and one a rank, or the driver's or NCCL's.
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

    /// Rank `i` gets part `i` of the sum of all: `from` has a part of `to`'s length for each rank.
    ///
    /// # Errors
    /// What [`Self::all_reduce`] fails with.
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

    /// Each rank gets what all have, in the order of ranks.
    ///
    /// # Errors
    /// What [`Self::all_reduce`] fails with.
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

    /// Each rank gets what `root` has.
    ///
    /// # Errors
    /// As [`Self::all_reduce`]; when there is no such rank.
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

    /// Each rank sends what it has to the next one, the last to the first.
    ///
    /// # Errors
    /// What [`Self::all_reduce`] fails with.
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

    /// Sees that there is a buffer of this length for each rank, on the rank's device.
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
