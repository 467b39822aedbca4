//! The Fourier transform, pass by pass.

use std::f64::consts::TAU;

use anyhow::Result;
pub use gpu::algorithms::fft::Complex;
use gpu::algorithms::fft::fft_stockham;
use lanewise::compare::{Agreement, Expected, Mismatch, within};
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, MemoryError, Stream};

use super::{AlgorithmError, area, at_least};
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern.
pub static PATTERN: Pattern = Pattern {
    name: "fft",
    chapter: "algorithms",
    summary: "Fourier transforms of powers of two in Stockham's order: passes of radix 2 or 4, no scrambling",
    source: "CUDA study notes, chapter 8",
    size: Size {
        of: "elements in a transform, up to a power of two",
        default: 1 << 10,
        bench: Some(1 << 12),
    },
    variants: &[
        Variant::new("fft_stockham_2", |device, setup| {
            prepare(device, setup, Radix::Two)
        }),
        Variant::new("fft_stockham_4", |device, setup| {
            prepare(device, setup, Radix::Four)
        }),
    ],
};

/// Why there is no transform.
#[derive(Debug, thiserror::Error)]
pub enum FftError {
    /// Not a power of two, or too large.
    #[error("a transform has 2^1 to 2^20 elements, a power of two; {0} is none of these")]
    Length(usize),
    /// It could not be computed.
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

/// How many elements a thread transforms by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Radix {
    /// Two: as many passes as the logarithm of the length.
    Two,
    /// Four: half as many; one of two where the logarithm is odd.
    Four,
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// With e^(-2 pi i j k / n).
    Forward,
    /// With e^(2 pi i j k / n) / n: back to where the other came from.
    Inverse,
}

/// A plan: transforms of one length, so many at once, with what they need on the device.
#[derive(Debug)]
pub struct Fft {
    device: Device,
    log_n: u32,
    batch: usize,
    radix: Radix,
    roots: DeviceBuffer<Complex>,
    /// Every second pass writes here.
    between: DeviceBuffer<Complex>,
}

impl Fft {
    /// Transforms of `length` elements, `batch` at once.
    ///
    /// # Errors
    /// [`FftError::Length`] when `length` is no power of two from 2 to 2^20; the driver's.
    pub fn new(
        device: &Device,
        length: usize,
        batch: usize,
        radix: Radix,
    ) -> Result<Self, FftError> {
        if !length.is_power_of_two() || !(2..=1 << 20).contains(&length) {
            return Err(FftError::Length(length));
        }
        let root = |k: usize| {
            let (sin, cos) = (TAU * k as f64 / length as f64).sin_cos();
            Complex {
                re: cos as f32,
                im: -sin as f32,
            }
        };
        let roots: Vec<Complex> = (0..length).map(root).collect();
        let between = vec![Complex::default(); area("the batch", batch, length)?];
        Ok(Self {
            device: device.clone(),
            log_n: length.ilog2(),
            batch,
            radix,
            roots: DeviceBuffer::from_slice(device, &roots)?,
            between: DeviceBuffer::from_slice(device, &between)?,
        })
    }

    /// Queues the transform of `input`, whose transforms lie one after another, to `output`.
    ///
    /// # Errors
    /// [`AlgorithmError::Length`] when a buffer has not the plan's number of elements; the launch's.
    pub fn run(
        &mut self,
        stream: &Stream,
        direction: Direction,
        input: &DeviceBuffer<Complex>,
        output: &mut DeviceBuffer<Complex>,
    ) -> Result<(), FftError> {
        let length = self.batch << self.log_n;
        for (what, given) in [("the input", input.len()), ("the output", output.len())] {
            at_least(what, given, length)?;
            at_least("the plan", length, given)?;
        }
        let inverse = u32::from(direction == Direction::Inverse);
        let passes = self.passes();
        let mut log_p = 0;
        for (number, &log_r) in passes.iter().enumerate() {
            let left = passes.len() - 1 - number;
            // The last pass writes to the output, and the one before it did not.
            let to_output = left.is_multiple_of(2);
            let scale = match (left, direction) {
                (0, Direction::Inverse) => 1.0 / (1u32 << self.log_n) as f32,
                _ => 1.0,
            };
            let config = LaunchConfig::for_num_elems((length >> log_r).min(1 << 24));
            let (from, to): (&DeviceBuffer<_>, &mut DeviceBuffer<_>) = match (number, to_output) {
                (0, true) => (input, &mut *output),
                (0, false) => (input, &mut self.between),
                (_, true) => (&self.between, &mut *output),
                (_, false) => (&*output, &mut self.between),
            };
            let arguments = (from, &self.roots, to, [self.log_n, log_p], inverse, scale);
            if log_r == 2 {
                self.device
                    .launch(stream, fft_stockham::<4>, config, arguments)?;
            } else {
                self.device
                    .launch(stream, fft_stockham::<2>, config, arguments)?;
            }
            log_p += log_r;
        }
        Ok(())
    }

    /// The logarithms of the passes' radices.
    fn passes(&self) -> Vec<u32> {
        let twos = match self.radix {
            Radix::Two => self.log_n,
            Radix::Four => self.log_n % 2,
        };
        let fours = (self.log_n - twos) / 2;
        (0..twos).map(|_| 1).chain((0..fours).map(|_| 2)).collect()
    }
}

/// A transform of random numbers, and back.
struct There {
    plan: Fft,
    input: DeviceBuffer<Complex>,
    output: DeviceBuffer<Complex>,
    expected: Vec<[f64; 2]>,
}

/// Four transforms at once, or as many as make 2^26 elements where a GPU is measured.
fn prepare(device: &Device, setup: Setup, radix: Radix) -> Result<Box<dyn Case>> {
    let n = setup.at_most(1 << 20)?.next_power_of_two().max(2);
    let batch = setup.rows.unwrap_or(if n == 1 << 12 { 1 << 14 } else { 4 });
    let numbers = input::floats(2 * n * batch, setup.seed);
    let complex = |pair: &[f32]| Complex {
        re: pair[0],
        im: pair[1],
    };
    let numbers: Vec<Complex> = numbers.chunks(2).map(complex).collect();
    // Of many transforms, the first few.
    let expected = numbers
        .chunks(n)
        .take(16)
        .flat_map(|x| transform(x, Direction::Forward));
    Ok(Box::new(There {
        plan: Fft::new(device, n, batch, radix)?,
        expected: setup.expected(|| expected.collect()),
        output: DeviceBuffer::from_slice(device, &vec![Complex::default(); numbers.len()])?,
        input: DeviceBuffer::from_slice(device, &numbers)?,
    }))
}

impl Case for There {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        Ok(self
            .plan
            .run(stream, Direction::Forward, &self.input, &mut self.output)?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let found = self.output.to_vec()?.into_iter().flat_map(|x| [x.re, x.im]);
        let found: Vec<f32> = found.collect();
        // Numbers of about 0.3 in size: their transform is as large as the root of how many there are.
        let log_n = f64::from(self.plan.log_n);
        let tolerance = 3e-7 * log_n * (log_n / 2.0).exp2();
        let expected = self.expected.iter().flatten().enumerate();
        let expected = expected.map(|(index, &value)| Expected {
            index,
            value,
            tolerance,
        });
        Ok(within(&found, expected))
    }

    fn work(&self) -> Work {
        Work::Bytes(2 * 8 * self.input.len() as u64)
    }
}

// On the CPU.

/// The transform in double precision, by halves: the even and the odd elements, and those turned.
pub fn transform(x: &[Complex], direction: Direction) -> Vec<[f64; 2]> {
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
    let turned = |k: usize| {
        let (sin, cos) = (sign * TAU * k as f64 / n as f64).sin_cos();
        let [re, im] = odd[k];
        [re * cos - im * sin, re * sin + im * cos]
    };
    let lower = (0..n / 2).map(|k| [even[k][0] + turned(k)[0], even[k][1] + turned(k)[1]]);
    let upper = (0..n / 2).map(|k| [even[k][0] - turned(k)[0], even[k][1] - turned(k)[1]]);
    lower.chain(upper).collect()
}
