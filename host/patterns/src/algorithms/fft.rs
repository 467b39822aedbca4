//! The Fourier transform: by a plan that chooses its launches, or with one launch for each pass.

use std::f64::consts::TAU;

use anyhow::Result;
pub use gpu::algorithms::fft::Complex;
use gpu::algorithms::fft::{COLUMNS, LANES, ROWS, fft_block, fft_stockham};
use lanewise::testing::{Agreement, Expected, Mismatch, within};
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, MemoryError, Stream};

pub use super::precision::Precision;
use super::{AlgorithmError, area, at_least};
use crate::{Case, Pattern, Setup, Size, Variant, Work, nvidia};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "fft",
    chapter: "algorithms",
    summary: "Fourier transforms of powers of two in Stockham's order: a pass a launch, or all passes in shared memory",
    source: "Professional CUDA C Programming, chapter 8",
    size: Size {
        of: "elements in a transform, up to a power of two",
        is_square: false,
        default: 1 << 10,
        bench: Some(1 << 12),
    },
    variants: &[
        Variant::new("fft_stockham_2", |device, setup| {
            prepare::<f32>(device, setup, Method::Passes(Radix::Two))
        })
        .runs("fft_stockham_f32_2"),
        Variant::new("fft_stockham_4", |device, setup| {
            prepare::<f32>(device, setup, Method::Passes(Radix::Four))
        })
        .runs("fft_stockham_f32_4"),
        Variant::new("fft_block", |device, setup| {
            prepare::<f32>(device, setup, Method::Blocks)
        })
        .runs("fft_block_f32_4096")
        .beside(beside::<f32>),
        Variant::new("fft_block_f64", |device, setup| {
            prepare::<f64>(device, setup, Method::Blocks)
        })
        .runs("fft_block_f64_2048")
        .beside(beside::<f64>),
    ],
};

/// Why a transform could not be made or run.
#[derive(Debug, thiserror::Error)]
pub enum FftError {
    /// The length is not a power of two, or is too large.
    #[error("a transform has 2^1 to 2^20 elements, a power of two; {0} is none of these")]
    Length(usize),
    /// The kernels could not run.
    #[error(transparent)]
    Algorithm(#[from] AlgorithmError),
}

impl From<LaunchError> for FftError {
    fn from(error: LaunchError) -> Self {
        AlgorithmError::from(error).into()
    }
}

impl From<MemoryError> for FftError {
    fn from(error: MemoryError) -> Self {
        AlgorithmError::from(error).into()
    }
}

/// The way in which a transform is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// All passes in shared memory, in one launch or in two: each element is loaded and stored
    /// once in each.
    Blocks,
    /// A launch for each pass.
    Passes(Radix),
}

/// The number of elements that a thread transforms in a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Radix {
    /// Two elements. The number of passes is the logarithm of the length to base 2.
    Two,
    /// Four elements. There are half as many passes, and one pass of radix 2 if the
    /// logarithm is odd.
    Four,
}

/// Whether a transform goes forward or back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The sum with e^(-2 pi i j k / n).
    Forward,
    /// The sum with e^(2 pi i j k / n) / n, which is the inverse of the forward transform.
    Inverse,
}

/// The precisions of transforms: `f32` and `f64`.
pub trait Transforms: Precision {
    /// The logarithm of the number of elements that fit in a block.
    #[doc(hidden)]
    const LOG_BLOCK: u32;

    #[doc(hidden)]
    fn launch(
        stream: &Stream,
        step: Step,
        length: usize,
        arguments: Arguments<'_, Self>,
    ) -> Result<(), LaunchError>;
}

/// Input, roots, output, 1 for an inverse transform, and a factor.
type Arguments<'a, T> = (
    &'a DeviceBuffer<Complex<T>>,
    &'a DeviceBuffer<Complex<T>>,
    &'a mut DeviceBuffer<Complex<T>>,
    u32,
    T,
);

/// A launch of a plan.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// One pass. `log_r` is the logarithm of the radix.
    Pass { log_r: u32, shape: [u32; 2] },
    /// All passes of the columns or rows of a matrix.
    Block { shape: [u32; 3] },
}

macro_rules! transforms {
    ($($real:ident $log_block:literal;)*) => {
        $(
            impl Transforms for $real {
                const LOG_BLOCK: u32 = $log_block;

                fn launch(
                    stream: &Stream,
                    step: Step,
                    length: usize,
                    (input, roots, output, inverse, scale): Arguments<'_, Self>,
                ) -> Result<(), LaunchError> {
                    match step {
                        Step::Pass { log_r, shape } => {
                            let config = LaunchConfig::for_num_elems((length >> log_r).min(1 << 24));
                            let arguments = (input, roots, output, shape, inverse, scale);
                            match log_r {
                                1 => stream.launch(fft_stockham::<$real, 2>, config, arguments),
                                _ => stream.launch(fft_stockham::<$real, 4>, config, arguments),
                            }
                        }
                        Step::Block { shape } => {
                            // The block is as small as possible, so that more blocks are resident
                            // on a multiprocessor. A matrix needs wide blocks.
                            let log_elements = if shape[1] == 0 { shape[0].max(11) } else { $log_block };
                            let threads = (1usize << log_elements) / LANES;
                            let config = LaunchConfig::cover_1d(length.div_ceil(LANES), threads as u32);
                            let arguments = (input, roots, output, shape, inverse, scale);
                            stream.launch(fft_block::<$real, { 1 << $log_block }>, config, arguments)
                        }
                    }
                }
            }
        )*
    };
}

transforms! {
    f32 12;
    f64 11;
}

/// A plan for transforms of one length, several at once, with the memory that they need
/// on the device.
#[derive(Debug)]
pub struct Fft<T: Transforms = f32> {
    log_n: u32,
    batch: usize,
    steps: Vec<Step>,
    roots: DeviceBuffer<Complex<T>>,
    /// Every second launch writes here. It is empty if there is only one launch.
    between: DeviceBuffer<Complex<T>>,
}

impl<T: Transforms> Fft<T> {
    /// Makes a plan for transforms of `length` elements, `batch` at once, with the fastest method.
    ///
    /// # Errors
    /// [`FftError::Length`] if `length` is not a power of two from 2 to 2^20; the driver's error.
    pub fn new(device: &Device, length: usize, batch: usize) -> Result<Self, FftError> {
        Self::by(device, length, batch, Method::Blocks)
    }

    /// Makes a plan with the given method.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn by(
        device: &Device,
        length: usize,
        batch: usize,
        method: Method,
    ) -> Result<Self, FftError> {
        if !length.is_power_of_two() || !(2..=1 << 20).contains(&length) {
            return Err(FftError::Length(length));
        }
        let root = |k: usize| {
            let (sin, cos) = (TAU * k as f64 / length as f64).sin_cos();
            Complex::new(T::rounded(cos), T::rounded(-sin))
        };
        let roots: Vec<Complex<T>> = (0..length).map(root).collect();
        let steps = steps(length.ilog2(), method, T::LOG_BLOCK);
        let all = area("the batch", batch, length)?;
        let between = if steps.len() > 1 { all } else { 0 };
        Ok(Self {
            log_n: length.ilog2(),
            batch,
            steps,
            roots: DeviceBuffer::from_slice(device, &roots)?,
            between: DeviceBuffer::from_slice(device, &vec![Complex::default(); between])?,
        })
    }

    /// Queues the transforms of `input` to `output`. In both buffers the sequences follow
    /// one after another.
    ///
    /// # Errors
    /// [`AlgorithmError::Length`] if a buffer does not have the plan's number of elements; the
    /// error of the launch.
    pub fn run(
        &mut self,
        stream: &Stream,
        direction: Direction,
        input: &DeviceBuffer<Complex<T>>,
        output: &mut DeviceBuffer<Complex<T>>,
    ) -> Result<(), FftError> {
        let length = self.batch << self.log_n;
        for (what, given) in [("the input", input.len()), ("the output", output.len())] {
            at_least(what, given, length)?;
            at_least("the plan", length, given)?;
        }
        let inverse = u32::from(direction == Direction::Inverse);
        for (number, &step) in self.steps.iter().enumerate() {
            let left = self.steps.len() - 1 - number;
            let scale = match (left, direction) {
                (0, Direction::Inverse) => 1.0 / f64::from(1u32 << self.log_n),
                _ => 1.0,
            };
            // The last launch writes to the output, and the launches alternate between
            // the two buffers.
            let (from, to): (&DeviceBuffer<_>, &mut DeviceBuffer<_>) = match (number, left % 2) {
                (0, 0) => (input, &mut *output),
                (0, _) => (input, &mut self.between),
                (_, 0) => (&self.between, &mut *output),
                (_, _) => (&*output, &mut self.between),
            };
            let arguments = (from, &self.roots, to, inverse, T::rounded(scale));
            T::launch(stream, step, length, arguments)?;
        }
        Ok(())
    }
}

/// Returns the launches of a transform of `2^log_n` elements, if `2^log_block` elements fit
/// in a block.
fn steps(log_n: u32, method: Method, log_block: u32) -> Vec<Step> {
    let radices = match method {
        // Two or four elements are one pass.
        Method::Blocks if log_n < 3 => vec![log_n],
        Method::Blocks if log_n <= log_block => {
            return vec![Step::Block {
                shape: [log_n, 0, ROWS],
            }];
        }
        Method::Blocks => {
            let (columns, rows) = (log_n.div_ceil(2), log_n / 2);
            return vec![
                Step::Block {
                    shape: [columns, rows, COLUMNS],
                },
                Step::Block {
                    shape: [rows, columns, ROWS],
                },
            ];
        }
        Method::Passes(Radix::Two) => vec![1; log_n as usize],
        Method::Passes(Radix::Four) => {
            let two = (0..log_n % 2).map(|_| 1);
            two.chain((0..log_n / 2).map(|_| 2)).collect()
        }
    };
    let mut log_p = 0;
    let pass = |log_r: u32| {
        let shape = [log_n, log_p];
        log_p += log_r;
        Step::Pass { log_r, shape }
    };
    radices.into_iter().map(pass).collect()
}

/// A transform of random numbers.
struct TransformCase<T: Transforms> {
    plan: Fft<T>,
    input: DeviceBuffer<Complex<T>>,
    output: DeviceBuffer<Complex<T>>,
    expected: Vec<[f64; 2]>,
}

/// Prepares the same transforms by cuFFT.
fn beside<T: Precision + nvidia::Number>(
    device: &Device,
    setup: Setup,
) -> Result<Box<dyn nvidia::Job>> {
    let (n, batch) = shape(setup)?;
    nvidia::fft(device, n, &numbers::<T>(n * batch, setup.seed))
}

/// Returns the length and the number of the transforms: four at once, or so many that there are
/// 2^26 elements for a measurement on a GPU.
fn shape(setup: Setup) -> Result<(usize, usize)> {
    let n = setup.at_most(1 << 20)?.next_power_of_two().max(2);
    let batch = setup.rows.unwrap_or(if n == 1 << 12 { 1 << 14 } else { 4 });
    Ok((n, batch))
}

fn prepare<T: Transforms>(device: &Device, setup: Setup, method: Method) -> Result<Box<dyn Case>> {
    let (n, batch) = shape(setup)?;
    let numbers = numbers::<T>(n * batch, setup.seed);
    // Only the first few of many transforms are compared.
    let expected = numbers
        .chunks(n)
        .take(16)
        .flat_map(|x| transform(x, Direction::Forward));
    Ok(Box::new(TransformCase {
        plan: Fft::by(device, n, batch, method)?,
        expected: setup.expected(|| expected.collect()),
        output: DeviceBuffer::from_slice(device, &vec![Complex::default(); numbers.len()])?,
        input: DeviceBuffer::from_slice(device, &numbers)?,
    }))
}

/// Returns random numbers with a magnitude of about 0.3.
pub fn numbers<T: Precision>(n: usize, seed: u64) -> Vec<Complex<T>> {
    let parts = super::precision::numbers::<T>(2 * n, seed);
    parts
        .chunks(2)
        .map(|pair| Complex::new(pair[0], pair[1]))
        .collect()
}

impl<T: Transforms> Case for TransformCase<T> {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        Ok(self
            .plan
            .run(stream, Direction::Forward, &self.input, &mut self.output)?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let found = self.output.to_vec()?.into_iter().flat_map(|x| [x.re, x.im]);
        let found: Vec<f64> = found.map(Into::into).collect();
        // The magnitude of the input is about 0.3, so that of the transform is about the square
        // root of the number of elements.
        let log_n = f64::from(self.plan.log_n);
        let tolerance = 6.0 * T::UNIT * log_n * (log_n / 2.0).exp2();
        let expected = self.expected.iter().flatten().enumerate();
        let expected = expected.map(|(index, &value)| Expected {
            index,
            value,
            tolerance,
        });
        Ok(within(&found, expected))
    }

    fn work(&self) -> Work {
        Work::Bytes((2 * size_of::<Complex<T>>() * self.input.len()) as u64)
    }
}

// On the CPU.

/// Returns the transform in double precision, by recursion on the even and the odd elements.
pub fn transform<T: Transforms>(x: &[Complex<T>], direction: Direction) -> Vec<[f64; 2]> {
    let numbers: Vec<[f64; 2]> = x.iter().map(|x| [x.re.into(), x.im.into()]).collect();
    let sign = match direction {
        Direction::Forward => -1.0,
        Direction::Inverse => 1.0,
    };
    let transformed = halves(&numbers, sign);
    let scale = match direction {
        Direction::Forward => 1.0,
        Direction::Inverse => 1.0 / x.len() as f64,
    };
    transformed
        .into_iter()
        .map(|x| x.map(|part| part * scale))
        .collect()
}

fn halves(x: &[[f64; 2]], sign: f64) -> Vec<[f64; 2]> {
    let n = x.len();
    if n < 2 {
        return x.to_vec();
    }
    let every_second = |first: usize| x.iter().skip(first).step_by(2).copied().collect::<Vec<_>>();
    let (even, odd) = (
        halves(&every_second(0), sign),
        halves(&every_second(1), sign),
    );
    let mut all = vec![[0.0; 2]; n];
    for k in 0..n / 2 {
        let (sin, cos) = (sign * TAU * k as f64 / n as f64).sin_cos();
        let ([re, im], [odd_re, odd_im]) = (even[k], odd[k]);
        let turned = [odd_re * cos - odd_im * sin, odd_re * sin + odd_im * cos];
        all[k] = [re + turned[0], im + turned[1]];
        all[k + n / 2] = [re - turned[0], im - turned[1]];
    }
    all
}
