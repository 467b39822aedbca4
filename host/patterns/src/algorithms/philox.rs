//! Random numbers that are computed from their position in the stream.

use anyhow::Result;
use gpu::algorithms::philox::{
    philox_bits, philox_normal, philox_normal_f64, philox_uniform, philox_uniform_f64,
};
use lanewise::{Device, DeviceBuffer, DeviceCopy, LaunchConfig, LaunchError, Part, Stream};

use super::precision::Precision;
use super::{AlgorithmError, Floats};
use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, nvidia};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "philox",
    chapter: "algorithms",
    summary: "random numbers that are computed from their place: no state, streams that can be begun anywhere",
    source: "Professional CUDA C Programming, chapter 8",
    size: Size {
        of: "numbers",
        is_square: false,
        default: 1 << 14,
        bench: Some(1 << 26),
    },
    variants: &[
        Variant::new("philox_bits", |device, setup| {
            let (n, philox) = (setup.elements()?, of(setup));
            let expected = setup.expected(|| bits(philox, n));
            let output = DeviceBuffer::zeroed(device, n)?;
            let work = Work::Bytes(4 * n as u64);
            Ok(Filling::boxed(
                [output],
                [expected],
                work,
                move |stream, [output]| Ok(philox.clone().bits(stream, output)?),
            ))
        }),
        Variant::new("philox_uniform", |device, setup| {
            prepare::<f32>(device, setup, uniform::<f32>, 0.0, Philox::uniform)
        })
        .beside(|device, setup| {
            nvidia::random::<f32>(device, setup.elements()?, setup.seed, false)
        }),
        Variant::new("philox_uniform_f64", |device, setup| {
            prepare::<f64>(device, setup, uniform::<f64>, 0.0, Philox::uniform)
        })
        .beside(|device, setup| {
            nvidia::random::<f64>(device, setup.elements()?, setup.seed, false)
        }),
        Variant::new("philox_normal", |device, setup| {
            prepare::<f32>(device, setup, normal::<f32>, 1e-5, Philox::normal)
        })
        .beside(|device, setup| nvidia::random::<f32>(device, setup.elements()?, setup.seed, true)),
        Variant::new("philox_normal_f64", |device, setup| {
            prepare::<f64>(device, setup, normal::<f64>, 1e-13, Philox::normal)
        })
        .beside(|device, setup| nvidia::random::<f64>(device, setup.elements()?, setup.seed, true)),
    ],
};

/// Returns the stream of a setup: it is made from the seed, and begins at `by`.
fn of(setup: Setup) -> Philox {
    let mut philox = Philox::new(setup.seed, setup.seed.rotate_left(17));
    philox.skip(u128::from(setup.by.unwrap_or(0)));
    philox
}

/// Prepares a case that fills a buffer with a stream's numbers, with a tolerance for each.
fn prepare<T: Draws>(
    device: &Device,
    setup: Setup,
    expected: fn(Philox, usize) -> Vec<f64>,
    tolerance: f64,
    fill: fn(&mut Philox, &Stream, &mut DeviceBuffer<T>) -> Result<(), AlgorithmError>,
) -> Result<Box<dyn Case>> {
    let (n, philox) = (setup.elements()?, of(setup));
    let close = |x| (x, tolerance);
    let expected = setup.expected(|| {
        expected(philox.aligned::<T>(), n)
            .into_iter()
            .map(close)
            .collect()
    });
    let output = DeviceBuffer::zeroed(device, n)?;
    let work = Work::Bytes((size_of::<T>() * n) as u64);
    Ok(Floats::boxed(
        output,
        expected,
        work,
        move |stream, output| Ok(fill(&mut philox.clone(), stream, output)?),
    ))
}

/// The precisions of random numbers.
pub trait Draws: Precision {
    /// The number of words of the stream for one number.
    #[doc(hidden)]
    const WORDS: u128;

    #[doc(hidden)]
    fn launch(
        stream: &Stream,
        kind: Distribution,
        config: LaunchConfig,
        arguments: Arguments<'_, '_, Self>,
    ) -> Result<(), LaunchError>;

    /// Returns the number from 0 to 1 that these words make.
    #[doc(hidden)]
    fn unit(words: &[u32]) -> f64;
}

/// The distribution of the numbers.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Distribution {
    Uniform,
    Normal,
}

/// The output, the two numbers that identify the stream, the first counter, and how many of that
/// counter's numbers were already used.
type Arguments<'a, 'b, T> = (&'a mut Part<'b, T>, u64, u64, u64, u32);

macro_rules! draws {
    ($($real:ident $words:literal $uniform:ident $normal:ident $unit:expr;)*) => {
        $(
            impl Draws for $real {
                const WORDS: u128 = $words;

                fn launch(
                    stream: &Stream,
                    kind: Distribution,
                    config: LaunchConfig,
                    arguments: Arguments<'_, '_, Self>,
                ) -> Result<(), LaunchError> {
                    match kind {
                        Distribution::Uniform => stream.launch($uniform, config, arguments),
                        Distribution::Normal => stream.launch($normal, config, arguments),
                    }
                }

                fn unit(words: &[u32]) -> f64 {
                    $unit(words)
                }
            }
        )*
    };
}

draws! {
    f32 1 philox_uniform philox_normal |words: &[u32]| f64::from(words[0] >> 8) / f64::from(1 << 24);
    f64 2 philox_uniform_f64 philox_normal_f64
        |words: &[u32]| ((u64::from(words[1]) << 32 | u64::from(words[0])) >> 11) as f64 / 2f64.powi(53);
}

/// A stream of random numbers: Philox4x32-10. Streams with different seeds or stream
/// numbers are independent.
///
/// It has 2^66 words of 32 bits, four for each of 2^64 counters, and then begins again. An `f32`
/// uses one word. An `f64` uses two, and the first of them has an even position, so one word may be
/// skipped before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Philox {
    seed: u64,
    stream: u64,
    /// The position of the next word.
    position: u128,
}

impl Philox {
    /// Makes the stream with this seed and stream number, from its start.
    pub fn new(seed: u64, stream: u64) -> Self {
        Self {
            seed,
            stream,
            position: 0,
        }
    }

    /// Skips this many words, in constant time.
    pub fn skip(&mut self, words: u128) {
        self.position = self.position.wrapping_add(words) % (1 << 66);
    }

    /// Fills `output` with the next words.
    ///
    /// # Errors
    /// The error of the launch.
    pub fn bits(
        &mut self,
        stream: &Stream,
        output: &mut DeviceBuffer<u32>,
    ) -> Result<(), AlgorithmError> {
        in_parts(output, 4, self.place(1), |part, first, skip| {
            let config = config(part.len(), 4);
            let arguments = (part, self.seed, self.stream, first, skip);
            stream.launch(philox_bits, config, arguments)
        })?;
        self.skip(output.len() as u128);
        Ok(())
    }

    /// Fills `output` with numbers from 0 (included) to 1 (not included). They are multiples of
    /// 2^-24, or of 2^-53 in double precision.
    ///
    /// # Errors
    /// The error of the launch.
    pub fn uniform<T: Draws>(
        &mut self,
        stream: &Stream,
        output: &mut DeviceBuffer<T>,
    ) -> Result<(), AlgorithmError> {
        self.draw(stream, output, Distribution::Uniform)
    }

    /// Fills `output` with normally distributed numbers, with mean 0 and variance 1.
    ///
    /// # Errors
    /// The error of the launch.
    pub fn normal<T: Draws>(
        &mut self,
        stream: &Stream,
        output: &mut DeviceBuffer<T>,
    ) -> Result<(), AlgorithmError> {
        self.draw(stream, output, Distribution::Normal)
    }

    /// Fills `output`. If the launch fails, the position does not change.
    fn draw<T: Draws>(
        &mut self,
        stream: &Stream,
        output: &mut DeviceBuffer<T>,
        kind: Distribution,
    ) -> Result<(), AlgorithmError> {
        let mut after = self.aligned::<T>();
        let of_counter = 4 / T::WORDS as usize;
        in_parts(
            output,
            of_counter,
            after.place(T::WORDS),
            |part, first, skip| {
                let config = config(part.len(), of_counter);
                let arguments = (part, self.seed, self.stream, first, skip);
                T::launch(stream, kind, config, arguments)
            },
        )?;
        after.skip(output.len() as u128 * T::WORDS);
        *self = after;
        Ok(())
    }

    /// Returns the stream from the next position at which a number of this precision may begin.
    fn aligned<T: Draws>(mut self) -> Self {
        self.skip(self.position.wrapping_neg() % T::WORDS);
        self
    }

    /// Returns the counter of the next number, and how many numbers of this many words were already
    /// used from that counter.
    fn place(&self, words: u128) -> (u64, u32) {
        (
            (self.position / 4) as u64,
            (self.position % 4 / words) as u32,
        )
    }
}

/// Launches a kernel for the numbers that are left of the first counter, if some of them were
/// already used, and for those of all other counters.
fn in_parts<T: DeviceCopy>(
    output: &mut DeviceBuffer<T>,
    of_counter: usize,
    (first, skip): (u64, u32),
    mut launch: impl FnMut(&mut Part<'_, T>, u64, u32) -> Result<(), LaunchError>,
) -> Result<(), LaunchError> {
    let left = (of_counter - skip as usize) % of_counter;
    let (mut left, mut rest) = output.split_at_mut(left.min(output.len()));
    if !left.is_empty() {
        launch(&mut left, first, skip)?;
    }
    if !rest.is_empty() {
        launch(&mut rest, first.wrapping_add(u64::from(skip != 0)), 0)?;
    }
    Ok(())
}

/// Returns a shape with a thread for each counter of this many numbers, up to a useful
/// number of blocks.
fn config(length: usize, of_counter: usize) -> LaunchConfig {
    LaunchConfig::for_num_elems(length.div_ceil(of_counter).min(1 << 22))
}

// On the CPU.

/// Returns the words of a counter, computed as in the paper, with products of 64 bits.
pub fn block(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let product = |a: u32, b: u32| {
        let product = u64::from(a) * u64::from(b);
        ((product >> 32) as u32, product as u32)
    };
    let round = |[a, b, c, d]: [u32; 4], [k, l]: [u32; 2]| {
        let ((high, low), (high_c, low_c)) = (product(a, 0xD251_1F53), product(c, 0xCD9E_8D57));
        [high_c ^ b ^ k, low_c, high ^ d ^ l, low]
    };
    let key_of = |number: u32| {
        [
            key[0].wrapping_add(number.wrapping_mul(0x9E37_79B9)),
            key[1].wrapping_add(number.wrapping_mul(0xBB67_AE85)),
        ]
    };
    (0..10).fold(counter, |counter, number| round(counter, key_of(number)))
}

/// Returns the next `n` words.
pub fn bits(philox: Philox, n: usize) -> Vec<u32> {
    let halves = |x: u64| [x as u32, (x >> 32) as u32];
    let ([c, d], key) = (halves(philox.stream), halves(philox.seed));
    let number = |i: usize| {
        let place = philox.position.wrapping_add(i as u128);
        let [a, b] = halves((place / 4) as u64);
        block([a, b, c, d], key)[(place % 4) as usize]
    };
    (0..n).map(number).collect()
}

/// Returns the next `n` numbers from 0 to 1.
fn uniform<T: Draws>(philox: Philox, n: usize) -> Vec<f64> {
    let words = T::WORDS as usize;
    bits(philox, n * words).chunks(words).map(T::unit).collect()
}

/// Returns the next `n` normal numbers.
pub fn normal<T: Draws>(philox: Philox, n: usize) -> Vec<f64> {
    let odd = (philox.position / T::WORDS % 2) as usize;
    let mut whole = philox;
    whole.position -= odd as u128 * T::WORDS;
    let numbers = uniform::<T>(whole, (n + odd).next_multiple_of(2));
    let pair = |pair: &[f64]| {
        let radius = (-2.0 * (1.0 - pair[0]).ln()).sqrt();
        let (sin, cos) = (std::f64::consts::TAU * pair[1]).sin_cos();
        [radius * cos, radius * sin]
    };
    numbers.chunks(2).flat_map(pair).skip(odd).take(n).collect()
}

#[cfg(test)]
mod tests {
    use super::block;

    /// Uses the test vectors of Random123 for `philox4x32 10`.
    #[test]
    fn the_published_vectors_are_met() {
        let vectors = [
            (
                [0; 4],
                [0; 2],
                [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8],
            ),
            (
                [u32::MAX; 4],
                [u32::MAX; 2],
                [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd],
            ),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ];
        for (counter, key, expected) in vectors {
            assert_eq!(block(counter, key), expected);
        }
    }
}
