//! The distance between two points, in three types.

use anyhow::Result;
use gpu::algorithms::distance::{
    distance_final_f32, distance_final_f64, distance_final_i32, distance_partial_f32,
    distance_partial_f64, distance_partial_i32,
};
use lanewise::testing::{Agreement, Matching, Mismatch};
use lanewise::{Device, DeviceBuffer, DeviceCopy, LaunchConfig, Stream};

use super::{AlgorithmError, at_least};
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "distance",
    chapter: "algorithms",
    summary: "the distance of two points with many coordinates: grid-stride loads, two kernels, three types",
    source: "Fengchen's introduction, chapter 3",
    size: Size {
        of: "coordinates",
        is_square: false,
        default: 1 << 14,
        bench: Some(1 << 26),
    },
    variants: &[
        Variant::new("distance_f32", |device, setup| {
            prepare(device, setup, |bits| bits as f32 / 2f32.powi(31), 1e-5)
        })
        .runs("distance_partial_f32"),
        Variant::new("distance_f64", |device, setup| {
            prepare(device, setup, |bits| f64::from(bits) / 2f64.powi(31), 1e-13)
        })
        .runs("distance_partial_f64"),
        // A difference is at most 2 * 2^23, so the sum of 2^16 squares does not wrap around.
        Variant::new("distance_i32", |device, setup| {
            prepare(device, setup, |bits| bits >> 8, 1e-13)
        })
        .runs("distance_partial_i32"),
    ],
};

/// Blocks of the first kernel.
const BLOCKS: u32 = 512;

/// A type of coordinates for which there are kernels.
pub trait Coordinate: DeviceCopy + 'static {
    /// The type in which squares are summed.
    type Sum: DeviceCopy + bytemuck::Zeroable;
    /// The type of a distance.
    type Distance: DeviceCopy + bytemuck::Zeroable + Into<f64>;

    /// Launches both kernels, one after the other.
    ///
    /// # Errors
    /// The error of the launch.
    fn launch(
        stream: &Stream,
        configs: [LaunchConfig; 2],
        points: [&DeviceBuffer<Self>; 2],
        partials: &mut DeviceBuffer<Self::Sum>,
        distance: &mut DeviceBuffer<Self::Distance>,
    ) -> Result<(), AlgorithmError>
    where
        Self: Sized;

    /// Returns the difference of two coordinates.
    fn difference(a: Self, b: Self) -> f64;
}

macro_rules! coordinates {
    ($($ty:ident $sum:ident $distance:ident $partial:ident $last:ident;)*) => {
        $(
            impl Coordinate for $ty {
                type Sum = $sum;
                type Distance = $distance;

                fn launch(
                    stream: &Stream,
                    [first, last]: [LaunchConfig; 2],
                    [a, b]: [&DeviceBuffer<Self>; 2],
                    partials: &mut DeviceBuffer<$sum>,
                    distance: &mut DeviceBuffer<$distance>,
                ) -> Result<(), AlgorithmError> {
                    stream.launch($partial, first, (a, b, &mut *partials))?;
                    stream.launch($last, last, (&*partials, distance))?;
                    Ok(())
                }

                fn difference(a: Self, b: Self) -> f64 {
                    f64::from(a) - f64::from(b)
                }
            }
        )*
    };
}

coordinates! {
    f32 f32 f32 distance_partial_f32 distance_final_f32;
    f64 f64 f64 distance_partial_f64 distance_final_f64;
    i32 u64 f64 distance_partial_i32 distance_final_i32;
}

/// Returns the distance between two points.
///
/// # Errors
/// [`AlgorithmError::Length`] if they have different numbers of coordinates; the driver's error.
pub fn distance<T: Coordinate>(
    stream: &Stream,
    a: &DeviceBuffer<T>,
    b: &DeviceBuffer<T>,
) -> Result<T::Distance, AlgorithmError> {
    at_least("the second point", b.len(), a.len())?;
    at_least("the first point", a.len(), b.len())?;
    let mut plan = Plan::new(stream.device(), a.len(), LaunchConfig::DEFAULT_BLOCK)?;
    plan.launch(stream, [a, b])?;
    let mut found = [<T::Distance as bytemuck::Zeroable>::zeroed()];
    plan.distance.copy_to_slice(&mut found)?;
    Ok(found[0])
}

/// The shapes of both launches, and the memory that passes the partial sums.
struct Plan<T: Coordinate> {
    configs: [LaunchConfig; 2],
    partials: DeviceBuffer<T::Sum>,
    distance: DeviceBuffer<T::Distance>,
}

impl<T: Coordinate> Plan<T> {
    fn new(device: &Device, length: usize, block: u32) -> Result<Self, AlgorithmError> {
        let blocks = LaunchConfig::cover_1d(length, block).grid.x.min(BLOCKS);
        Ok(Self {
            configs: [
                LaunchConfig::new(blocks, block),
                LaunchConfig::new(1, block),
            ],
            partials: DeviceBuffer::zeroed(device, blocks as usize)?,
            distance: DeviceBuffer::zeroed(device, 1)?,
        })
    }

    fn launch(
        &mut self,
        stream: &Stream,
        points: [&DeviceBuffer<T>; 2],
    ) -> Result<(), AlgorithmError> {
        T::launch(
            stream,
            self.configs,
            points,
            &mut self.partials,
            &mut self.distance,
        )
    }
}

/// Two points and their distance.
struct Distance<T: Coordinate> {
    points: [DeviceBuffer<T>; 2],
    plan: Plan<T>,
    expected: f64,
    relative: f64,
}

fn prepare<T: Coordinate>(
    device: &Device,
    setup: Setup,
    of: fn(i32) -> T,
    relative: f64,
) -> Result<Box<dyn Case>> {
    let n = setup.elements()?;
    let point = |seed| -> Vec<T> { input::integers(n, seed).into_iter().map(of).collect() };
    let (a, b) = (point(setup.seed), point(setup.seed.wrapping_add(1)));
    Ok(Box::new(Distance {
        points: [
            DeviceBuffer::from_slice(device, &a)?,
            DeviceBuffer::from_slice(device, &b)?,
        ],
        plan: Plan::new(
            device,
            n,
            setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK),
        )?,
        expected: setup.expected(|| on_the_cpu(&a, &b)),
        relative,
    }))
}

impl<T: Coordinate> Case for Distance<T> {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let [a, b] = &self.points;
        Ok(self.plan.launch(stream, [a, b])?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let found = self.plan.distance.to_vec()?;
        let matching = Matching::of(1).relative(self.relative);
        let found: Vec<f64> = found.into_iter().map(Into::into).collect();
        Ok(matching.check(&found, &[self.expected]))
    }

    fn work(&self) -> Work {
        Work::Bytes(2 * (size_of::<T>() * self.points[0].len()) as u64)
    }
}

// On the CPU.

/// Returns the distance, in double precision.
pub fn on_the_cpu<T: Coordinate>(a: &[T], b: &[T]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| T::difference(*a, *b).powi(2));
    squares.sum::<f64>().sqrt()
}
