//! Random numbers that are computed from their place.

use anyhow::Result;
use gpu::algorithms::philox::{philox_bits, philox_normal, philox_uniform};
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, Stream};

use super::{AlgorithmError, Floats};
use crate::case::Filling;
use crate::{Pattern, Setup, Size, Variant, Work};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "philox",
    chapter: "algorithms",
    summary: "random numbers that are computed from their place: no state, streams that can be begun anywhere",
    source: "CUDA study notes, chapter 8",
    size: Size {
        of: "numbers",
        default: 1 << 14,
        bench: Some(1 << 26),
    },
    variants: &[
        Variant::new("philox_bits", |device, setup| {
            let (n, philox) = (setup.elements()?, of(setup));
            let expected = setup.expected(|| bits(philox, n));
            let output = DeviceBuffer::zeroed(device, n)?;
            let (device, work) = (device.clone(), Work::Bytes(4 * n as u64));
            Ok(Filling::boxed(
                [output],
                [expected],
                work,
                move |stream, [output]| Ok(philox.clone().bits(&device, stream, output)?),
            ))
        }),
        Variant::new("philox_uniform", |device, setup| {
            let (n, philox) = (setup.elements()?, of(setup));
            let unit = |bits| uniform(bits) as f32;
            let expected = || bits(philox, n).into_iter().map(unit).collect();
            let expected = setup.expected(expected);
            let output = DeviceBuffer::zeroed(device, n)?;
            let (device, work) = (device.clone(), Work::Bytes(4 * n as u64));
            Ok(Filling::boxed(
                [output],
                [expected],
                work,
                move |stream, [output]| Ok(philox.clone().uniform(&device, stream, output)?),
            ))
        }),
        Variant::new("philox_normal", |device, setup| {
            let (n, philox) = (setup.elements()?, of(setup));
            let close = |x| (x, 1e-5);
            let expected = || normal(philox, n).into_iter().map(close).collect();
            let expected = setup.expected(expected);
            let output = DeviceBuffer::zeroed(device, n)?;
            let (device, work) = (device.clone(), Work::Bytes(4 * n as u64));
            Ok(Floats::boxed(
                output,
                expected,
                work,
                move |stream, output| Ok(philox.clone().normal(&device, stream, output)?),
            ))
        }),
    ],
};

/// The stream of a setup: its seed's, begun at `by`.
fn of(setup: Setup) -> Philox {
    let mut philox = Philox::new(setup.seed, setup.seed.rotate_left(17));
    philox.skip(u128::from(setup.by.unwrap_or(0)));
    philox
}

/// A stream of random numbers: Philox4x32-10. Streams of different names have nothing in common.
///
/// It hands out 2^66 numbers, four for each of 2^64 counters, and begins again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Philox {
    seed: u64,
    stream: u64,
    /// The next number's place.
    position: u128,
}

impl Philox {
    /// The stream of these two names, from its start.
    pub fn new(seed: u64, stream: u64) -> Self {
        Self {
            seed,
            stream,
            position: 0,
        }
    }

    /// Leaves out so many numbers, in no time.
    pub fn skip(&mut self, numbers: u128) {
        self.position = self.position.wrapping_add(numbers) % (1 << 66);
    }

    /// Fills `output` with the next numbers' bits.
    ///
    /// # Errors
    /// The launch's.
    pub fn bits(
        &mut self,
        device: &Device,
        stream: &Stream,
        output: &mut DeviceBuffer<u32>,
    ) -> Result<(), AlgorithmError> {
        self.take(output.len(), |config, seed, name, first, skip| {
            let arguments = (output, seed, name, first, skip);
            device.launch(stream, philox_bits, config, arguments)
        })
    }

    /// Fills `output` with numbers from 0 (included) to 1 (not included).
    ///
    /// # Errors
    /// The launch's.
    pub fn uniform(
        &mut self,
        device: &Device,
        stream: &Stream,
        output: &mut DeviceBuffer<f32>,
    ) -> Result<(), AlgorithmError> {
        self.take(output.len(), |config, seed, name, first, skip| {
            let arguments = (output, seed, name, first, skip);
            device.launch(stream, philox_uniform, config, arguments)
        })
    }

    /// Fills `output` with normally distributed numbers, of mean 0 and variance 1.
    ///
    /// # Errors
    /// The launch's.
    pub fn normal(
        &mut self,
        device: &Device,
        stream: &Stream,
        output: &mut DeviceBuffer<f32>,
    ) -> Result<(), AlgorithmError> {
        self.take(output.len(), |config, seed, name, first, skip| {
            let arguments = (output, seed, name, first, skip);
            device.launch(stream, philox_normal, config, arguments)
        })
    }

    /// Hands the next `length` numbers to a launch, which gets its configuration, the stream's two names, the counter to begin at and how many of
    /// that one's four numbers are over. Where the launch fails, none are used up.
    fn take(
        &mut self,
        length: usize,
        launch: impl FnOnce(LaunchConfig, u64, u64, u64, u32) -> Result<(), LaunchError>,
    ) -> Result<(), AlgorithmError> {
        let (first, skip) = self.place();
        launch(config(length), self.seed, self.stream, first, skip)?;
        self.skip(length as u128);
        Ok(())
    }

    /// The counter of the next number, and how many of its four are over.
    fn place(&self) -> (u64, u32) {
        ((self.position / 4) as u64, (self.position % 4) as u32)
    }
}

/// A thread for each four numbers, and no more blocks than a device has use for.
fn config(length: usize) -> LaunchConfig {
    LaunchConfig::for_num_elems(length.div_ceil(4).min(1 << 22))
}

// On the CPU.

/// The bits of a counter: written down from the paper, with products of 64 bits.
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

/// The next `n` numbers' bits.
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

/// A number from 0 to 1.
fn uniform(bits: u32) -> f64 {
    f64::from(bits >> 8) / f64::from(1 << 24)
}

/// The next `n` normal numbers.
pub fn normal(philox: Philox, n: usize) -> Vec<f64> {
    let odd = (philox.position % 2) as usize;
    let mut whole = philox;
    whole.position -= odd as u128;
    let bits = bits(whole, (n + odd).next_multiple_of(2));
    let pair = |pair: &[u32]| {
        let radius = (-2.0 * (1.0 - uniform(pair[0])).ln()).sqrt();
        let (sin, cos) = (std::f64::consts::TAU * uniform(pair[1])).sin_cos();
        [radius * cos, radius * sin]
    };
    bits.chunks(2).flat_map(pair).skip(odd).take(n).collect()
}

#[cfg(test)]
mod tests {
    use super::block;

    /// The vectors that come with Random123 for `philox4x32 10`.
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
