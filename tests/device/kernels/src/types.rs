//! Kernels generic over types, over functions, and values of many kinds as parameters.

use core::num::NonZero;
use core::ops::Mul;

use lanewise_macros::{Value, kernel};
use lanewise_std::groups::WarpGroup;
use lanewise_std::kernel::Value;
use lanewise_std::math::Float;
use lanewise_std::warp::Shuffle;
use lanewise_std::{DisjointSlice, thread};

/// One kernel per type.
#[kernel(instances(f32, f64, i32, u8))]
pub fn scale<T: Mul<Output = T> + Value>(input: &[T], mut output: DisjointSlice<T>, factor: T) {
    let index = thread::index_1d();
    if let (Some(x), Some(y)) = (input.get(index.get()), output.get_mut(&index)) {
        *y = *x * factor;
    }
}

/// A type and a number: each thread gets the value of the thread `N` below it in its tile of eight.
#[kernel(instances((u32, 1), (f64, 3), ([u32; 2], 1)))]
pub fn from_below<T: Shuffle, const N: u32>(input: &[T], mut output: DisjointSlice<T>) {
    let index = thread::index_1d();
    let tile = lanewise_std::groups::this_thread_block().tiled_partition::<8>();
    let below = tile.shuffle_up(input[index.get()], N);
    if let Some(output) = output.get_mut(&index) {
        *output = below;
    }
}

/// A function of each element that both types have, with the methods that `core` and `std` give a
/// float. Its only bound is [`Float`].
#[kernel(instances(f32, f64))]
pub fn of_float<T: Float>(input: &[T], mut output: DisjointSlice<T>, bound: T) {
    let index = thread::index_1d();
    if let (Some(&x), Some(y)) = (input.get(index.get()), output.get_mut(&index)) {
        *y = float(x, bound);
    }
}

/// The function, on both sides. All its operations but the last are exact for numbers
/// of few digits.
pub fn float<T: Float>(x: T, bound: T) -> T {
    let mut sum: T = [x, T::from(0.5), -x.abs()].into_iter().sum();
    sum += x.min(bound) - x.max(T::default()) * T::from(2.0);
    sum -= bound.copysign(x) % T::from(3.0);
    sum *= if x > bound { T::from(0.25) } else { bound };
    sum /= T::from(4.0);
    sum + (T::from(4.0).recip() + x * x).sqrt()
}

/// A function of one number, with its own parameters.
pub trait Map<T>: Copy {
    /// The value of the function at `x`.
    fn map(&self, x: T) -> T;
}

/// A straight line, as a function of x.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Line<T> {
    /// The slope of the line.
    pub slope: T,
    /// The value at zero.
    pub offset: T,
}

impl Map<f32> for Line<f32> {
    fn map(&self, x: f32) -> f32 {
        self.slope.mul_add_apart(x, self.offset)
    }
}

impl Map<i64> for Line<i64> {
    fn map(&self, x: i64) -> i64 {
        self.slope.wrapping_mul(x).wrapping_add(self.offset)
    }
}

/// A product and a sum, of numbers that make both exact.
trait MulAddApart {
    fn mul_add_apart(self, x: Self, offset: Self) -> Self;
}

impl MulAddApart for f32 {
    fn mul_add_apart(self, x: f32, offset: f32) -> f32 {
        self * x + offset
    }
}

/// The values within bounds.
#[derive(Clone, Copy, Debug, Value)]
#[repr(C)]
pub struct Clamp {
    /// The least of the values.
    pub least: i64,
    /// The greatest of the values.
    pub most: i64,
}

impl Map<i64> for Clamp {
    fn map(&self, x: i64) -> i64 {
        x.clamp(self.least, self.most)
    }
}

/// A function object for each element.
#[kernel(instances((f32, Line<f32>), (i64, Line<i64>), (i64, Clamp)))]
pub fn transform<T: Copy, F: Map<T> + Value>(f: F, input: &[T], mut output: DisjointSlice<T>) {
    let index = thread::index_1d();
    if let (Some(x), Some(y)) = (input.get(index.get()), output.get_mut(&index)) {
        *y = f.map(*x);
    }
}

/// A choice with data.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub enum Shape {
    /// A shape without extent.
    Empty,
    /// By its radius.
    Circle(f32),
    /// By its sides.
    Rectangle {
        /// Its extent along x.
        width: f32,
        /// Its extent along y.
        height: u16,
    },
}

/// Several kinds of values in one struct.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Mixed {
    /// 16 bytes, aligned to as many.
    pub wide: i128,
    /// Nothing, or a number.
    pub maybe: Option<NonZero<u32>>,
    /// A field that is an array.
    pub list: [u16; 5],
    /// A field that is a `bool`.
    pub yes: bool,
    /// A field of one byte, with padding after it.
    pub byte: u8,
}

/// The results from the values: the thread takes its own copy of each apart.
#[kernel]
pub fn take_apart(
    wide: u128,
    maybe: Option<NonZero<u16>>,
    shape: Shape,
    letter: char,
    mixed: Mixed,
    mut output: DisjointSlice<[u64; 10]>,
) {
    let index = thread::index_1d();
    let (area, kind) = match shape {
        Shape::Empty => (0.0, 0),
        Shape::Circle(radius) => (3.0 * radius * radius, 1),
        Shape::Rectangle { width, height } => (width * f32::from(height), 2),
    };
    let row = [
        (wide >> 64) as u64,
        wide as u64,
        maybe.map_or(0, |it| it.get().into()),
        area.to_bits().into(),
        kind,
        letter as u64,
        (mixed.wide >> 64) as u64,
        mixed.wide as u64 ^ u64::from(mixed.maybe.map_or(7, NonZero::get)),
        mixed.list.iter().map(|it| u64::from(*it)).sum(),
        u64::from(mixed.yes) << 8 | u64::from(mixed.byte),
    ];
    if let Some(output) = output.get_mut(&index) {
        *output = row;
    }
}

/// Elements of a derived type, read and written.
#[kernel]
pub fn turn(input: &[Line<f32>], mut output: DisjointSlice<Line<f32>>) {
    let index = thread::index_1d();
    if let (Some(x), Some(y)) = (input.get(index.get()), output.get_mut(&index)) {
        *y = Line {
            slope: x.offset,
            offset: x.slope,
        };
    }
}
