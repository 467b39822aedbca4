//! A 2-D stencil whose rows are split over the devices: each step needs a row of each neighbour.
//!
//! The rows come by copies between the devices. They can be on their way while the device computes
//! what needs none of them: all its rows but two.

use anyhow::Result;
use gpu::multi_gpu::halo_stencil::{stencil_halo, stencil_interior};
use lanewise::compare::{self, Agreement, Mismatch};
use lanewise::counters::Counters;
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};

use super::{devices, figure, shares};
use crate::streams::schedule;
use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "halo_stencil",
    chapter: "multi_gpu",
    summary: "rows split over the devices, a row exchanged each way while the interior is computed",
    source: "CUDA study notes, section 9.4",
    size: Size {
        of: "rows and columns",
        is_square: true,
        default: 256,
        bench: None,
    },
    variants: &[
        Variant::new("stencil_one_device", |device, setup| {
            Split::prepare(setup, vec![device.clone()], Exchange::InLine)
        })
        .runs("stencil_interior"),
        Variant::new("stencil_in_line", |_, setup| {
            Split::prepare(setup, devices()?, Exchange::InLine)
        })
        .runs("stencil_interior"),
        Variant::new("stencil_overlap", |_, setup| {
            Split::prepare(setup, devices()?, Exchange::Beside)
        })
        .runs("stencil_interior"),
    ],
};

/// Steps, where `by` says nothing.
pub const STEPS: u32 = 4;

/// Where the halo is exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exchange {
    /// On the stream that computes.
    InLine,
    /// While the interior is computed, on a stream of its own.
    Beside,
}

/// The field: rows of `nx` elements, some on each device.
struct Split {
    nx: usize,
    steps: usize,
    devices: Vec<Device>,
    /// For what needs no neighbour.
    compute: Vec<Stream>,
    /// For the halo and what needs it.
    exchange: Vec<Stream>,
    /// Each device's rows at even and at odd steps.
    fields: [Vec<DeviceBuffer<f32>>; 2],
    /// The neighbours' rows; zeroes at the field's edges.
    above: Vec<DeviceBuffer<f32>>,
    below: Vec<DeviceBuffer<f32>>,
    elements: usize,
    expected: Vec<f32>,
}

impl Split {
    fn prepare(
        setup: Setup,
        mut devices: Vec<Device>,
        exchange: Exchange,
    ) -> Result<Box<dyn Case>> {
        let (nx, ny) = setup.matrix()?;
        let steps = setup.by.unwrap_or(STEPS);
        let values = input::floats(nx * ny, setup.seed);
        // Each device has a row at least.
        devices.truncate(ny.max(1));
        let shares = shares(ny, devices.len());
        let compute: Vec<Stream> = streams(&devices)?;
        let rows = |device: &Device, share: &std::ops::Range<usize>| {
            DeviceBuffer::from_slice(device, &values[share.start * nx..share.end * nx])
        };
        let fields = || -> Result<Vec<DeviceBuffer<f32>>> {
            let both = devices.iter().zip(&shares);
            Ok(both
                .map(|(device, share)| rows(device, share))
                .collect::<Result<_, _>>()?)
        };
        let halo = || -> Result<Vec<DeviceBuffer<f32>>> {
            let row = |device| DeviceBuffer::zeroed(device, nx);
            Ok(devices.iter().map(row).collect::<Result<_, _>>()?)
        };
        // Copies between devices take the shorter way where there is one.
        for two in devices.windows(2) {
            if two[0].can_reach(&two[1])? {
                two[0].enable_peer(&two[1])?;
                two[1].enable_peer(&two[0])?;
            }
        }
        Ok(Box::new(Self {
            nx,
            steps: steps as usize,
            fields: [fields()?, fields()?],
            above: halo()?,
            below: halo()?,
            exchange: match exchange {
                Exchange::InLine => compute.clone(),
                Exchange::Beside => streams(&devices)?,
            },
            compute,
            elements: nx * ny,
            expected: setup.expected(|| (0..steps).fold(values, |field, _| stencil(&field, nx))),
            devices,
        }))
    }

    /// Queues one step on every device.
    fn step(&mut self, step: usize) -> Result<()> {
        let (nx, width) = (self.nx, u32::try_from(self.nx)?);
        let [even, odd] = &mut self.fields;
        let (from, to) = if step.is_multiple_of(2) {
            (even, odd)
        } else {
            (odd, even)
        };
        let last = self.devices.len() - 1;
        for (i, (device, to)) in self.devices.iter().zip(to).enumerate() {
            // Two kernels write the device's rows, each its own part of them: the first row and the
            // last, and all between.
            let (first, rows) = (nx.min(to.len()), to.len());
            let inner = rows.saturating_sub(2 * nx);
            let mut parts = to.parts_of(&[first, inner, rows - first - inner]);
            let [first, inner, end] = &mut parts[..] else {
                continue;
            };
            let (compute, exchange) = (&self.compute[i], &self.exchange[i]);
            if !inner.is_empty() {
                let config = LaunchConfig::cover_2d((nx, inner.len() / nx), (32, 8));
                device.launch(compute, stencil_interior, config, (&from[i], inner, width))?;
            }
            let (above, below) = (&mut self.above[i], &mut self.below[i]);
            if i > 0 {
                let neighbour = &from[i - 1];
                exchange.copy(
                    &neighbour.view(neighbour.len() - nx..neighbour.len()),
                    above,
                )?;
            }
            if i < last {
                exchange.copy(&from[i + 1].view(0..nx), below)?;
            }
            let config = LaunchConfig::for_num_elems(nx);
            let arguments = (&from[i], &*above, &*below, first, end, width);
            device.launch(exchange, stencil_halo, config, arguments)?;
        }
        Ok(())
    }
}

/// A stream of each device.
fn streams(devices: &[Device]) -> Result<Vec<Stream>> {
    Ok(devices
        .iter()
        .map(Device::stream)
        .collect::<Result<_, _>>()?)
}

impl Case for Split {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let all = [&self.compute[..], &self.exchange].concat();
        schedule::fork(stream, &all)?;
        for step in 0..self.steps {
            self.step(step)?;
        }
        schedule::join(stream, &all)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let mut found = Vec::with_capacity(self.elements);
        for rows in &self.fields[self.steps % 2] {
            found.extend(rows.to_vec()?);
        }
        Ok(compare::equal(&found, &self.expected))
    }

    fn work(&self) -> Work {
        Work::Bytes((2 * 4 * self.steps * self.elements) as u64)
    }

    fn figures(&self, _: Option<&Counters>) -> Result<Vec<Figure>> {
        Ok(vec![figure(&self.devices)])
    }
}

// On the CPU.

/// Each element's four neighbours' mean, with zero outside; rows of `nx`.
pub fn stencil(field: &[f32], nx: usize) -> Vec<f32> {
    let at = |i: Option<usize>| i.and_then(|i| field.get(i)).copied().unwrap_or(0.0);
    let mean = |i: usize| {
        let x = i % nx;
        let left = if x > 0 { at(Some(i - 1)) } else { 0.0 };
        let right = if x + 1 < nx { at(Some(i + 1)) } else { 0.0 };
        ((at(i.checked_sub(nx)) + at(Some(i + nx))) + (left + right)) * 0.25
    };
    (0..field.len()).map(mean).collect()
}
