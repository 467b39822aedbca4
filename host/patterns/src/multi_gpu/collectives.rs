//! All-reduce, reduce-scatter, all-gather, broadcast and a shift between all devices.

use std::time::Duration;

use anyhow::{Context, Result};
use lanewise::counters::Counters;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, Stream};

use super::group::Group;
use super::{devices, figure};
use crate::streams::jobs::timed;
use crate::streams::schedule;
use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "collectives",
    chapter: "multi_gpu",
    summary: "sums and copies among all devices, by NCCL or by copies in a ring",
    source: "NCCL user guide, \"Collective Operations\"; Patarasuk and Yuan 2009",
    size: Size {
        of: "elements of each device",
        is_square: false,
        default: 1 << 18,
        bench: None,
    },
    variants: &[
        Variant::new("all_reduce", |_, setup| {
            Collective::prepare(setup, Operation::AllReduce)
        })
        .runs("accumulate"),
        Variant::new("reduce_scatter", |_, setup| {
            Collective::prepare(setup, Operation::ReduceScatter)
        })
        .runs("accumulate"),
        Variant::on_the_host("all_gather", |_, setup| {
            Collective::prepare(setup, Operation::AllGather)
        }),
        Variant::on_the_host("broadcast", |_, setup| {
            Collective::prepare(setup, Operation::Broadcast)
        }),
        Variant::on_the_host("send_receive", |_, setup| {
            Collective::prepare(setup, Operation::Shift)
        }),
    ],
};

/// The collective operation of the ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    AllReduce,
    ReduceScatter,
    AllGather,
    Broadcast,
    Shift,
}

/// The rank that has the data of a broadcast.
const ROOT: usize = 1;

struct Collective {
    operation: Operation,
    devices: Vec<Device>,
    group: Group,
    /// The data of each rank. The result is in `to` if it goes to another buffer.
    from: Vec<DeviceBuffer<f32>>,
    to: Vec<DeviceBuffer<f32>>,
    /// The expected contents of all ranks' buffers, one after another.
    expected: Vec<f32>,
    time: Option<Duration>,
}

/// Returns whole numbers, so that sums are exact in every order.
fn numbers(n: usize, seed: u64) -> Vec<f32> {
    input::words(n, seed)
        .iter()
        .map(|word| (word % 2048) as f32 - 1024.0)
        .collect()
}

impl Collective {
    fn prepare(setup: Setup, operation: Operation) -> Result<Box<dyn Case>> {
        let devices = devices()?;
        let ranks = devices.len();
        let n = setup.elements()?;
        // The part of a rank in the data that is gathered or scattered.
        let part = n / ranks;
        let (sent, got) = match operation {
            Operation::ReduceScatter => (part * ranks, part),
            Operation::AllGather => (part, part * ranks),
            _ => (n, n),
        };
        let values: Vec<Vec<f32>> = (0..ranks as u64)
            .map(|rank| numbers(sent, setup.seed ^ rank))
            .collect();
        let both = devices.iter().zip(&values);
        let from: Vec<_> = both
            .map(|(device, values)| DeviceBuffer::from_slice(device, values))
            .collect::<Result<_, _>>()?;
        let to: Vec<_> = devices
            .iter()
            .map(|device| DeviceBuffer::zeroed(device, got))
            .collect::<Result<_, _>>()?;
        Ok(Box::new(Self {
            operation,
            group: Group::new(&devices)?,
            expected: expected(operation, &values, part),
            devices,
            from,
            to,
            time: None,
        }))
    }

    fn queue(&mut self) -> Result<()> {
        let Self {
            group, from, to, ..
        } = self;
        match self.operation {
            Operation::AllReduce => group.all_reduce(from),
            Operation::ReduceScatter => group.reduce_scatter(from, to),
            Operation::AllGather => group.all_gather(from, to),
            Operation::Broadcast => group.broadcast(ROOT, from),
            Operation::Shift => group.shift(from, to),
        }
    }

    /// Returns the bytes for the bus bandwidth, as NCCL computes it. The figure is that of one
    /// link, for any number of ranks.
    fn bus_bytes(&self) -> f64 {
        let (ranks, all) = (self.devices.len() as f64, 4.0 * self.from[0].len() as f64);
        match self.operation {
            Operation::AllReduce => all * 2.0 * (ranks - 1.0) / ranks,
            Operation::ReduceScatter => all * (ranks - 1.0) / ranks,
            Operation::AllGather => all * (ranks - 1.0),
            Operation::Broadcast | Operation::Shift => all,
        }
    }
}

impl Case for Collective {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let streams = self.group.streams().to_vec();
        self.time = Some(timed(stream, || {
            schedule::fork(stream, &streams)?;
            self.queue()?;
            schedule::join(stream, &streams)
        })?);
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let found = match self.operation {
            Operation::AllReduce | Operation::Broadcast => &self.from,
            _ => &self.to,
        };
        let found: Vec<Vec<f32>> = found
            .iter()
            .map(DeviceBuffer::to_vec)
            .collect::<Result<_, _>>()?;
        Ok(testing::equal(&found.concat(), &self.expected))
    }

    fn work(&self) -> Work {
        Work::Nothing
    }

    fn figures(&self, _: Option<&Counters>) -> Result<Vec<Figure>> {
        let time = self.time.context("nothing was launched")?;
        Ok(vec![
            figure(&self.devices),
            Figure::new("by", self.group.by()),
            Figure::tenths("us", time.as_secs_f64() * 1e6),
            Figure::tenths(
                "bus bandwidth, GB/s",
                self.bus_bytes() / time.as_secs_f64() / 1e9,
            ),
        ])
    }
}

// On the CPU.

/// Returns the expected contents of the ranks' buffers, one after another.
fn expected(operation: Operation, values: &[Vec<f32>], part: usize) -> Vec<f32> {
    let ranks = values.len();
    let sums: Vec<f32> = (0..values[0].len())
        .map(|i| values.iter().map(|values| values[i]).sum())
        .collect();
    match operation {
        Operation::AllReduce => sums.repeat(ranks),
        // Each rank has the part with its number, so the parts follow in order.
        Operation::ReduceScatter => sums[..part * ranks].to_vec(),
        Operation::AllGather => values.concat().repeat(ranks),
        Operation::Broadcast => values[ROOT].repeat(ranks),
        Operation::Shift => (0..ranks)
            .flat_map(|rank| values[(rank + ranks - 1) % ranks].clone())
            .collect(),
    }
}
