//! The sum of two vectors, with a part on each device. No device needs data of another.

use anyhow::Result;
use gpu::basics::vector_add::vec_add;
use lanewise::counters::Counters;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, PinnedBuffer, Pinning, Stream};

use super::{devices, figure, shares};
use crate::basics::vector_add::vector_add;
use crate::streams::schedule::{self, Job};
use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "split_sum",
    chapter: "multi_gpu",
    summary: "a vector sum split over the devices: equal to one device's",
    source: "Professional CUDA C Programming, chapter 9",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 20,
        bench: None,
    },
    variants: &[
        Variant::new("sum_on_one_device", |device, setup| {
            Split::prepare(setup, vec![device.clone()])
        })
        .runs("vec_add"),
        Variant::new("sum_on_each_device", |_, setup| {
            Split::prepare(setup, devices()?)
        })
        .runs("vec_add"),
    ],
};

/// The part of a device: it is copied to the device, added, and copied back.
struct DeviceShare {
    config: LaunchConfig,
    host: [PinnedBuffer<f32>; 3],
    buffers: [DeviceBuffer<f32>; 3],
}

impl DeviceShare {
    fn new(device: &Device, a: &[f32], b: &[f32]) -> Result<Self> {
        let n = a.len();
        let pinned = |values: &[f32]| -> Result<PinnedBuffer<f32>> {
            let mut memory = PinnedBuffer::zeroed(device, n, Pinning::Cached)?;
            memory.as_mut_slice()?[..values.len()].copy_from_slice(values);
            Ok(memory)
        };
        let buffer = || DeviceBuffer::zeroed(device, n);
        Ok(Self {
            config: LaunchConfig::for_num_elems(n),
            host: [pinned(a)?, pinned(b)?, pinned(&[])?],
            buffers: [buffer()?, buffer()?, buffer()?],
        })
    }
}

impl Job for DeviceShare {
    fn steps(&self) -> usize {
        3
    }

    fn step(&mut self, step: usize, stream: &Stream) -> Result<()> {
        let ([from_a, from_b, to_c], [a, b, c]) = (&mut self.host, &mut self.buffers);
        match step {
            0 => {
                stream.copy_in(from_a, a)?.detach();
                stream.copy_in(from_b, b)?.detach();
            }
            1 => stream.launch(vec_add, self.config, (&*a, &*b, c))?,
            _ => stream.copy_out(c, to_c)?.detach(),
        }
        Ok(())
    }
}

struct Split {
    devices: Vec<Device>,
    streams: Vec<Stream>,
    parts: Vec<DeviceShare>,
    expected: Vec<f32>,
}

impl Split {
    fn prepare(setup: Setup, devices: Vec<Device>) -> Result<Box<dyn Case>> {
        let n = setup.elements()?;
        let (a, b) = (
            input::floats(n, setup.seed),
            input::floats(n, setup.seed ^ 1),
        );
        let shares = devices.iter().zip(shares(n, devices.len()));
        Ok(Box::new(Self {
            streams: devices
                .iter()
                .map(Device::stream)
                .collect::<Result<_, _>>()?,
            parts: shares
                .map(|(device, share)| DeviceShare::new(device, &a[share.clone()], &b[share]))
                .collect::<Result<_>>()?,
            expected: vector_add(&a, &b),
            devices,
        }))
    }
}

impl Case for Split {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        schedule::fork(stream, &self.streams)?;
        schedule::breadth_first(&self.streams, &mut self.parts)?;
        schedule::join(stream, &self.streams)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let mut found = Vec::with_capacity(self.expected.len());
        for part in &self.parts {
            found.extend_from_slice(part.host[2].as_slice()?);
        }
        Ok(testing::equal(&found, &self.expected))
    }

    fn work(&self) -> Work {
        Work::Bytes(3 * 4 * self.expected.len() as u64)
    }

    fn figures(&self, _: Option<&Counters>) -> Result<Vec<Figure>> {
        Ok(vec![figure(&self.devices)])
    }
}
