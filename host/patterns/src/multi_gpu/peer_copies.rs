//! Copies between two devices: one way, both ways at once, there and back; and a kernel that reads
//! the other device's memory.
//!
//! If the devices have no peer access, the driver copies through the host's memory, and the kernel
//! can't be launched. That variant then shows the error.

use std::time::Duration;

use anyhow::Result;
use gpu::basics::vector_add::vec_add;
use lanewise::counters::Counters;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};

use super::{devices, figure};
use crate::streams::jobs::timed;
use crate::streams::schedule;
use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "peer_copies",
    chapter: "multi_gpu",
    summary: "copies between devices, their bandwidth and latency, and a kernel that reads the other's memory",
    source: "Professional CUDA C Programming, chapter 9",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 20,
        bench: None,
    },
    variants: &[
        Variant::new("copy_one_way", |_, setup| Pair::prepare(setup, one_way, 1)).runs("vec_add"),
        Variant::new("copy_both_ways", |_, setup| {
            Pair::prepare(setup, both_ways, 2)
        })
        .runs("vec_add"),
        Variant::new("ping_pong", |_, setup| Pair::prepare(setup, ping_pong, 2)).runs("vec_add"),
        Variant::new("peer_access", |_, setup| {
            Pair::prepare(setup, peer_access, 1)
        })
        .runs("vec_add"),
    ],
};

/// One side of a copy: the buffer that the device sends, and the buffer where it receives.
struct CopyPeer {
    device: Device,
    stream: Stream,
    sent: DeviceBuffer<f32>,
    received: DeviceBuffer<f32>,
}

/// The exchange of the two devices. Afterwards the second's `received` contains the data that the
/// first has sent.
type Exchange = fn(&mut [CopyPeer; 2]) -> Result<()>;

fn one_way([first, second]: &mut [CopyPeer; 2]) -> Result<()> {
    Ok(first.stream.copy(&first.sent, &mut second.received)?)
}

fn both_ways([first, second]: &mut [CopyPeer; 2]) -> Result<()> {
    first.stream.copy(&first.sent, &mut second.received)?;
    Ok(second.stream.copy(&second.sent, &mut first.received)?)
}

/// Sends the data to the second device, and back after it has arrived.
fn ping_pong([first, second]: &mut [CopyPeer; 2]) -> Result<()> {
    first.stream.copy(&first.sent, &mut second.received)?;
    Ok(second.stream.copy(&second.received, &mut first.received)?)
}

/// The second device adds the data in the first one's memory to its own zeroes.
fn peer_access([first, second]: &mut [CopyPeer; 2]) -> Result<()> {
    let config = LaunchConfig::for_num_elems(first.sent.len());
    let CopyPeer {
        device,
        stream,
        sent,
        received,
    } = second;
    device.enable_peer(&first.device)?;
    stream.fill_zero(sent)?;
    Ok(stream.launch(vec_add, config, (&first.sent, &*sent, received))?)
}

struct Pair {
    sides: [CopyPeer; 2],
    run: Exchange,
    /// The number of times that the array is moved.
    moves: u64,
    expected: Vec<f32>,
    time: Option<Duration>,
}

impl Pair {
    fn prepare(setup: Setup, run: Exchange, moves: u64) -> Result<Box<dyn Case>> {
        let n = setup.elements()?;
        let devices = devices()?;
        let side = |device: &Device, seed| -> Result<CopyPeer> {
            Ok(CopyPeer {
                device: device.clone(),
                stream: device.stream()?,
                sent: DeviceBuffer::from_slice(device, &input::floats(n, seed))?,
                received: DeviceBuffer::zeroed(device, n)?,
            })
        };
        // With peer access, copies go directly from device to device.
        if devices[0].can_reach(&devices[1])? {
            devices[0].enable_peer(&devices[1])?;
            devices[1].enable_peer(&devices[0])?;
        }
        Ok(Box::new(Self {
            sides: [
                side(&devices[0], setup.seed)?,
                side(&devices[1], setup.seed ^ 1)?,
            ],
            run,
            moves,
            expected: input::floats(n, setup.seed),
            time: None,
        }))
    }
}

impl Case for Pair {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let streams = self.sides.each_ref().map(|side| side.stream.clone());
        self.time = Some(timed(stream, || {
            schedule::fork(stream, &streams)?;
            (self.run)(&mut self.sides)?;
            schedule::join(stream, &streams)
        })?);
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        Ok(testing::equal(
            &self.sides[1].received.to_vec()?,
            &self.expected,
        ))
    }

    fn work(&self) -> Work {
        Work::Bytes(self.moves * 4 * self.expected.len() as u64)
    }

    fn figures(&self, _: Option<&Counters>) -> Result<Vec<Figure>> {
        let both = self.sides.each_ref().map(|side| side.device.clone());
        let mut figures = vec![figure(&both)];
        if let Some(time) = self.time {
            let Work::Bytes(bytes) = self.work() else {
                return Ok(figures);
            };
            figures.push(Figure::tenths("us", time.as_secs_f64() * 1e6));
            figures.push(Figure::tenths(
                "GB/s",
                bytes as f64 / time.as_secs_f64() / 1e9,
            ));
        }
        Ok(figures)
    }
}
