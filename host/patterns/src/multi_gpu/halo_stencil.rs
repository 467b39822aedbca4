//! A 2-D stencil whose rows are split over the devices: each step needs a row of each neighbour.
//!
//! Copies between the devices move the rows. They can run while the device computes the rows that
//! need no neighbour: all its rows except two.

use anyhow::Result;
use gpu::multi_gpu::halo_stencil::{stencil_halo, stencil_interior};
use lanewise::counters::Counters;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};

use super::{devices, figure, shares};
use crate::streams::schedule;
use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "halo_stencil",
    chapter: "multi_gpu",
    summary: "rows split over the devices, a row exchanged each way while the interior is computed",
    source: "Professional CUDA C Programming, chapter 9",
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

/// The number of steps, if `by` is not given.
pub const STEPS: u32 = 4;

/// The stream on which the halo is exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exchange {
    /// On the stream that computes, so that copies and kernels run one after the other.
    InLine,
    /// On a stream of its own, while the interior is computed.
    Beside,
}

/// The field, which has rows of `nx` elements. Each device has some of the rows.
struct Split {
    nx: usize,
    steps: usize,
    devices: Vec<Device>,
    /// The streams for the rows that need no neighbour.
    compute: Vec<Stream>,
    /// The streams for the halo and for the rows that need it.
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
        // Each device has at least one row.
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
        // With peer access, copies go directly from device to device.
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
        for (i, to) in to.iter_mut().enumerate() {
            // Two kernels write different parts of the device's rows: one the first and the last
            // row, the other all rows between them.
            let (first, rows) = (nx.min(to.len()), to.len());
            let inner = rows.saturating_sub(2 * nx);
            let mut parts = to.parts_of(&[first, inner, rows - first - inner]);
            let [first, inner, end] = &mut parts[..] else {
                continue;
            };
            // ANCHOR: inner
            let (compute, exchange) = (&self.compute[i], &self.exchange[i]);
            if !inner.is_empty() {
                let config = LaunchConfig::cover_2d((nx, inner.len() / nx), (32, 8));
                let arguments = (&from[i], inner.matrix_mut(nx));
                compute.launch(stencil_interior, config, arguments)?;
            }
            let (above, below) = (&mut self.above[i], &mut self.below[i]);
            if i > 0 {
                let neighbour = &from[i - 1];
                exchange.copy(
                    &neighbour.slice(neighbour.len() - nx..neighbour.len()),
                    above,
                )?;
            }
            if i < last {
                exchange.copy(&from[i + 1].slice(0..nx), below)?;
            }
            let config = LaunchConfig::for_num_elems(nx);
            let arguments = (&from[i], &*above, &*below, first, end, width);
            exchange.launch(stencil_halo, config, arguments)?;
            // ANCHOR_END: inner
        }
        Ok(())
    }
}

/// Makes a stream on each device.
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
        Ok(testing::equal(&found, &self.expected))
    }

    fn work(&self) -> Work {
        Work::Bytes((2 * 4 * self.steps * self.elements) as u64)
    }

    fn figures(&self, _: Option<&Counters>) -> Result<Vec<Figure>> {
        Ok(vec![figure(&self.devices)])
    }
}

// On the CPU.

/// Returns the mean of the four neighbours of each element, with zero outside of the field. Rows
/// have `nx` elements.
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
