//! Fourier transforms against the CPU's: all lengths of one kernel, the sides of long ones, both
//! directions and both precisions, under all checks.

mod common;

use std::f64::consts::TAU;

use lanewise::DeviceBuffer;
use lanewise::checks::{self, Checking};
use lanewise_algorithms::Fft;
use lanewise_std::vector::{Double2, Float2};

use common::{device, words};

/// Returns the sums with e^(sign 2 pi i j k / n), by those of the even and the odd elements.
fn sums(x: &[[f64; 2]], sign: f64) -> Vec<[f64; 2]> {
    if x.len() < 2 {
        return x.to_vec();
    }
    let half = |first: usize| {
        let elements: Vec<_> = x.iter().skip(first).step_by(2).copied().collect();
        sums(&elements, sign)
    };
    let (even, odd) = (half(0), half(1));
    let turned = |k: usize| {
        let (sine, cosine) = (sign * TAU * k as f64 / x.len() as f64).sin_cos();
        let [re, im] = odd[k];
        [re * cosine - im * sine, re * sine + im * cosine]
    };
    let both = |k: usize, sign: f64| [0, 1].map(|part| even[k][part] + sign * turned(k)[part]);
    let of = |sign: f64| (0..odd.len()).map(move |k| (k, sign));
    of(1.0)
        .chain(of(-1.0))
        .map(|(k, sign)| both(k, sign))
        .collect()
}

/// Compares `count` transforms of `2^log` elements of this type, and their inverses, with the
/// CPU's.
macro_rules! transforms_are_the_cpus {
    ($ty:ident $part:ident, $log:expr, $count:expr, $checking:expr) => {
        let (device, stream) = device();
        let (log, count) = ($log, $count);
        let length = 1usize << log;
        let part = |word: u32| f64::from(word) / f64::from(u32::MAX) - 0.5;
        let numbers: Vec<$ty> = words(2 * count * length)
            .chunks(2)
            .map(|two| $ty::new(part(two[0]) as $part, part(two[1]) as $part))
            .collect();
        let input = DeviceBuffer::from_slice(&device, &numbers).expect("a buffer");
        let mut output = DeviceBuffer::<$ty>::uninit(&device, numbers.len()).expect("a buffer");
        let mut fft = Fft::new(&device, length, 2).expect("a transform");
        for (sign, scale) in [(-1.0, 1.0), (1.0, 1.0 / length as f64)] {
            let run = || {
                let result = match sign {
                    -1.0 => fft.forward(&stream, &input, &mut output),
                    _ => fft.inverse(&stream, &input, &mut output),
                };
                result.expect("a transform");
                stream.synchronize().expect("its end");
                Ok::<_, lanewise::MemoryError>(())
            };
            let ((), findings) = checks::of(&device, $checking, run).expect("a run");
            let findings = findings.unwrap_or_default();
            assert!(findings.is_empty(), "2^{log}: {findings:#?}");
            let found = output.to_vec().expect("results");
            // Numbers of magnitude 0.4 add up to about the root of their count; each pass rounds.
            let tolerance = 2.0 * f64::from($part::EPSILON) * scale * (length as f64).sqrt() * f64::from(log);
            for (number, (of, found)) in numbers.chunks(length).zip(found.chunks(length)).enumerate() {
                let of: Vec<[f64; 2]> = of.iter().map(|x| [x.x, x.y].map(f64::from)).collect();
                for (k, (expected, found)) in sums(&of, sign).into_iter().zip(found).enumerate() {
                    for (expected, found) in expected.into_iter().zip([found.x, found.y]) {
                        assert!(
                            (scale * expected - f64::from(found)).abs() <= tolerance,
                            "{}, 2^{log}, sign {sign}, number {number}, result {k}: {found}, not {}",
                            stringify!($ty), scale * expected
                        );
                    }
                }
            }
        }
    };
}

#[test]
fn short_transforms_are_the_cpus() {
    for log in 1..=12 {
        // No whole number of blocks.
        let count = if log < 6 { 67 } else { 3 };
        transforms_are_the_cpus!(Float2 f32, log, count, Checking::all());
        transforms_are_the_cpus!(Double2 f64, log, count, Checking::all());
    }
}

/// All sides of both steps of each type, from 2^7 and 2^6 to 2^10 and 2^10.
#[test]
fn long_transforms_are_the_cpus() {
    for log in [13, 14, 16, 17] {
        transforms_are_the_cpus!(Float2 f32, log, 1, Checking::all());
        transforms_are_the_cpus!(Double2 f64, log, 1, Checking::all());
    }
    transforms_are_the_cpus!(Float2 f32, 18, 1, Checking::default());
    transforms_are_the_cpus!(Double2 f64, 19, 1, Checking::default());
    transforms_are_the_cpus!(Float2 f32, 20, 1, Checking::default());
    transforms_are_the_cpus!(Double2 f64, 20, 1, Checking::default());
}

/// More than the workspace holds: the last group is shorter than the others.
#[test]
fn groups_of_long_transforms_are_the_cpus() {
    transforms_are_the_cpus!(Float2 f32, 13, 5, Checking::all());
}

#[test]
fn a_transform_is_recorded_in_a_graph() {
    let (device, stream) = device();
    let numbers = [[1.0, 2.0, 3.0, 4.0]; 2]
        .as_flattened()
        .iter()
        .map(|re| Float2::new(*re, 0.0));
    let input = DeviceBuffer::from_slice(&device, &numbers.collect::<Vec<_>>()).expect("a buffer");
    let mut output = DeviceBuffer::<Float2>::zeroed(&device, 8).expect("a buffer");
    let mut fft = Fft::new(&device, 4, 2).expect("a transform");
    let graph = device.record(|record| Ok(fft.forward(record, &input, &mut output)?));
    graph.expect("a graph").launch(&stream).expect("a launch");
    let expected =
        [(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0), (-2.0, -2.0)].map(|(re, im)| Float2::new(re, im));
    assert_eq!(
        output.to_vec().expect("results"),
        [expected; 2].as_flattened()
    );
}

#[test]
fn lengths_that_are_no_power_of_two_are_refused() {
    let (device, stream) = device();
    for length in [0, 1, 3, 1000, 1 << 21] {
        let error = Fft::<Float2>::new(&device, length, 1).expect_err("no length");
        assert_eq!(
            error.to_string(),
            "a transform has a power of two of elements, from 2 to 2^20"
        );
    }
    let numbers = |len: usize| DeviceBuffer::<Float2>::zeroed(&device, len).expect("a buffer");
    let mut fft = Fft::new(&device, 8, 2).expect("a transform");
    let mut error = |input: usize, output: usize| {
        let result = fft.forward(&stream, &numbers(input), &mut numbers(output));
        result.expect_err("no room").to_string()
    };
    assert_eq!(error(12, 16), "the last sequence is not whole");
    assert_eq!(
        error(16, 15),
        "expected an output of at least 16 elements, found 15"
    );
    fft.forward(&stream, &numbers(0), &mut numbers(0))
        .expect("no sequences");
}
