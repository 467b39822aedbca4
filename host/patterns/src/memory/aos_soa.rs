//! Points as an array of structures and as a structure of arrays.

use anyhow::Result;
use gpu::memory::aos_soa::{
    AlignedPoint, Point, SHIFT, aligned_struct, aos_read_x, aos_update, soa_update,
};
use lanewise::{Device, DeviceBuffer, LaunchConfig};

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "aos_soa",
    chapter: "memory",
    summary: "structures in an array: half of what a load moves is the other field",
    source: "Professional CUDA C Programming, chapter 4",
    size: Size {
        of: "points",
        is_square: false,
        default: 1 << 20,
        bench: Some(1 << 27),
    },
    variants: &[
        Variant::new("aos_update", aos),
        Variant::new("aos_read_x", aos_x),
        Variant::new("soa_update", soa),
        Variant::new("aligned_struct", aligned),
    ],
};

/// The points, the moved points, and the launch that moves them.
struct Points {
    before: Vec<(f32, f32)>,
    after: Vec<(f32, f32)>,
    config: LaunchConfig,
}

impl Points {
    fn new(setup: Setup) -> Result<Self> {
        let n = setup.elements()?;
        let xs = input::floats(n, setup.seed);
        let ys = input::floats(n, setup.seed ^ 1);
        let before: Vec<_> = xs.into_iter().zip(ys).collect();
        Ok(Self {
            after: setup.expected(|| shift(&before, (SHIFT.x, SHIFT.y))),
            before,
            config: LaunchConfig::cover_1d(n, setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK)),
        })
    }

    /// Returns the bytes that are read and written to move both coordinates, or one.
    fn work(&self, coordinates: u64) -> Work {
        Work::Bytes(2 * 4 * coordinates * self.before.len() as u64)
    }
}

/// Applies `f` to each point.
fn map<T>(points: &[(f32, f32)], f: impl Fn(f32, f32) -> T) -> Vec<T> {
    points.iter().map(|&(x, y)| f(x, y)).collect()
}

fn aos(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let points = Points::new(setup)?;
    let (config, point) = (points.config, |x, y| Point { x, y });
    let before = DeviceBuffer::from_slice(device, &map(&points.before, point))?;
    let moved = DeviceBuffer::from_slice(device, &map(&points.before, |_, _| point(0.0, 0.0)))?;
    let work = points.work(2);
    Ok(Filling::boxed(
        [moved],
        [map(&points.after, point)],
        work,
        move |stream, [moved]| Ok(stream.launch(aos_update, config, (&before, moved))?),
    ))
}

fn aos_x(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let points = Points::new(setup)?;
    let config = points.config;
    let before = DeviceBuffer::from_slice(device, &map(&points.before, |x, y| Point { x, y }))?;
    let xs = DeviceBuffer::zeroed(device, points.before.len())?;
    let work = points.work(1);
    Ok(Filling::boxed(
        [xs],
        [map(&points.after, |x, _| x)],
        work,
        move |stream, [xs]| Ok(stream.launch(aos_read_x, config, (&before, xs))?),
    ))
}

fn soa(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let points = Points::new(setup)?;
    let config = points.config;
    let xs = DeviceBuffer::from_slice(device, &map(&points.before, |x, _| x))?;
    let ys = DeviceBuffer::from_slice(device, &map(&points.before, |_, y| y))?;
    let n = points.before.len();
    let moved = [
        DeviceBuffer::zeroed(device, n)?,
        DeviceBuffer::zeroed(device, n)?,
    ];
    let expected = [map(&points.after, |x, _| x), map(&points.after, |_, y| y)];
    let work = points.work(2);
    Ok(Filling::boxed(
        moved,
        expected,
        work,
        move |stream, [moved_xs, moved_ys]| {
            Ok(stream.launch(soa_update, config, (&xs, &ys, moved_xs, moved_ys))?)
        },
    ))
}

fn aligned(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let points = Points::new(setup)?;
    let (config, point) = (points.config, |x, y| AlignedPoint { x, y });
    let before = DeviceBuffer::from_slice(device, &map(&points.before, point))?;
    let moved = DeviceBuffer::from_slice(device, &map(&points.before, |_, _| point(0.0, 0.0)))?;
    let work = points.work(2);
    Ok(Filling::boxed(
        [moved],
        [map(&points.after, point)],
        work,
        move |stream, [moved]| Ok(stream.launch(aligned_struct, config, (&before, moved))?),
    ))
}

// On the CPU.

/// Returns the points, each moved by `shift`.
pub fn shift(points: &[(f32, f32)], shift: (f32, f32)) -> Vec<(f32, f32)> {
    points
        .iter()
        .map(|(x, y)| (x + shift.0, y + shift.1))
        .collect()
}
