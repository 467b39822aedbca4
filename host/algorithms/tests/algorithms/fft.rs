//! Fourier transforms against the CPU's: all lengths of one kernel, the sides of long ones, those
//! of reals and in two dimensions, both directions and both precisions, under all checks.

use std::f64::consts::TAU;

use lanewise::DeviceBuffer;
use lanewise::checks::{self, Checking};
use lanewise_algorithms::{Fft, Fft2d, RealFft};
use lanewise_std::vector::{Double2, Float2};

use crate::common::{device, words};

/// Returns the sums with e^(sign 2 pi i j k / n).
///
/// Plain loops, for tests are not optimised: with iterators, and vectors of halves, the CPU takes
/// longer than the simulator.
fn sums(x: &[[f64; 2]], sign: f64) -> Vec<[f64; 2]> {
    let count = x.len();
    if count < 2 {
        return x.to_vec();
    }
    let root = |k: usize| {
        let (sine, cosine) = (sign * TAU * k as f64 / count as f64).sin_cos();
        [cosine, sine]
    };
    let roots: Vec<_> = (0..count / 2).map(root).collect();
    let unused = count.leading_zeros() + 1;
    let mut sums: Vec<_> = (0..count).map(|i| x[i.reverse_bits() >> unused]).collect();
    let mut half = 1;
    while half < count {
        let (mut first, apart) = (0, count / 2 / half);
        while first < count {
            let mut k = 0;
            while k < half {
                let ([a, b], [re, im]) = (sums[first + k], sums[first + k + half]);
                let [cosine, sine] = roots[k * apart];
                let (c, d) = (re * cosine - im * sine, re * sine + im * cosine);
                sums[first + k] = [a + c, b + d];
                sums[first + k + half] = [a - c, b - d];
                k += 1;
            }
            first += 2 * half;
        }
        half *= 2;
    }
    sums
}

/// Returns whether a result is as far from the expected one as it may be, or nearer.
fn is_near(found: [f64; 2], [x, y]: [f64; 2], scale: f64, tolerance: f64) -> bool {
    (found[0] - scale * x).abs() <= tolerance && (found[1] - scale * y).abs() <= tolerance
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
                    let found = [f64::from(found.x), f64::from(found.y)];
                    assert!(
                        is_near(found, expected, scale, tolerance),
                        "{}, 2^{log}, sign {sign}, number {number}, result {k}: {found:?}, not {expected:?} times {scale}",
                        stringify!($ty)
                    );
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

/// Returns parts of numbers, without a pattern.
fn parts(len: usize) -> Vec<f64> {
    let words = words(len).into_iter();
    words
        .map(|word| f64::from(word) / f64::from(u32::MAX) - 0.5)
        .collect()
}

/// Compares numbers with the CPU's, which add up from so many of magnitude 0.4.
fn compare(
    found: impl Iterator<Item = [f64; 2]>,
    expected: impl Iterator<Item = [f64; 2]>,
    (unit, scale, count): (f64, f64, usize),
    what: &str,
) {
    let tolerance = 2.0 * unit * scale * (count as f64).sqrt() * (count as f64).log2();
    for (k, (found, expected)) in found.zip(expected).enumerate() {
        assert!(
            is_near(found, expected, scale, tolerance),
            "{what}, {k}: {found:?}, not {expected:?} times {scale}"
        );
    }
}

/// Compares transforms of `count` sequences of `2^log` reals, and the way back, with the CPU's.
macro_rules! transforms_of_reals_are_the_cpus {
    ($ty:ident $part:ident, $log:expr, $count:expr) => {
        let (device, stream) = device();
        let (length, count) = (1usize << $log, $count);
        let half = length / 2 + 1;
        let numbers: Vec<$part> = parts(count * length).iter().map(|x| *x as $part).collect();
        let input = DeviceBuffer::from_slice(&device, &numbers).expect("a buffer");
        let mut output = DeviceBuffer::<$ty>::uninit(&device, count * half).expect("a buffer");
        let mut back = DeviceBuffer::<$part>::uninit(&device, numbers.len()).expect("a buffer");
        // Room for one more.
        let mut fft = RealFft::<$ty>::new(&device, length, count + 1).expect("a transform");
        let run = || {
            fft.forward(&stream, &input, &mut output)
                .expect("a transform");
            fft.inverse(&stream, &output, &mut back)
                .expect("a transform");
            stream.synchronize()
        };
        let ((), findings) = checks::of(&device, Checking::all(), run).expect("a run");
        let findings = findings.unwrap_or_default();
        assert!(findings.is_empty(), "2^{}: {findings:#?}", $log);
        let (found, back) = (
            output.to_vec().expect("results"),
            back.to_vec().expect("results"),
        );
        let unit = f64::from($part::EPSILON);
        for (of, found) in numbers.chunks(length).zip(found.chunks(half)) {
            let of: Vec<[f64; 2]> = of.iter().map(|x| [f64::from(*x), 0.0]).collect();
            let found = found.iter().map(|x| [x.x, x.y].map(f64::from));
            let what = format!("{}, 2^{}", stringify!($part), $log);
            compare(
                found,
                sums(&of, -1.0).into_iter(),
                (unit, 1.0, length),
                &what,
            );
        }
        let one = |x: &$part| [f64::from(*x), 0.0];
        let what = format!("{}, 2^{}, back", stringify!($part), $log);
        compare(
            back.iter().map(one),
            numbers.iter().map(one),
            (unit, 1.0, 16),
            &what,
        );
    };
}

/// All that have a kernel to themselves, and shorter and longer ones in two steps.
#[test]
fn transforms_of_reals_are_the_cpus() {
    for log in [5, 9, 10, 11, 12, 13, 14] {
        // No whole number of blocks.
        let count = if log < 8 { 67 } else { 3 };
        transforms_of_reals_are_the_cpus!(Float2 f32, log, count);
        transforms_of_reals_are_the_cpus!(Double2 f64, log, count);
    }
}

/// Compares transforms of `count` matrices, and the way back, with the CPU's.
macro_rules! transforms_of_matrices_are_the_cpus {
    ($ty:ident $part:ident, [$rows:expr, $columns:expr], $count:expr) => {
        let (device, stream) = device();
        let (rows, columns, count): (usize, usize, usize) = ($rows, $columns, $count);
        let of = rows * columns;
        let parts = parts(2 * count * of);
        let number = |two: &[f64]| $ty::new(two[0] as $part, two[1] as $part);
        let numbers: Vec<$ty> = parts.chunks(2).map(number).collect();
        let input = DeviceBuffer::from_slice(&device, &numbers).expect("a buffer");
        // What follows the results stays as it is.
        let after = $ty::new(7.0, 7.0);
        let mut output =
            DeviceBuffer::from_slice(&device, &vec![after; count * of + 1]).expect("a buffer");
        let mut back = DeviceBuffer::<$ty>::uninit(&device, numbers.len()).expect("a buffer");
        let mut fft = Fft2d::<$ty>::new(&device, [rows, columns], count + 1).expect("a transform");
        let run = || {
            fft.forward(&stream, &input, &mut output)
                .expect("a transform");
            fft.inverse(&stream, &output.slice(..count * of), &mut back)
                .expect("a transform");
            stream.synchronize()
        };
        let ((), findings) = checks::of(&device, Checking::all(), run).expect("a run");
        let findings = findings.unwrap_or_default();
        assert!(findings.is_empty(), "{rows} x {columns}: {findings:#?}");
        let (found, back) = (
            output.to_vec().expect("results"),
            back.to_vec().expect("results"),
        );
        assert_eq!(found[count * of], after, "{rows} x {columns}");
        let parts = |x: &$ty| [x.x, x.y].map(f64::from);
        let (unit, what) = (f64::from($part::EPSILON), format!("{rows} x {columns}"));
        for (numbers, found) in numbers.chunks(of).zip(found.chunks(of)) {
            let numbers: Vec<_> = numbers.iter().map(parts).collect();
            let of_rows: Vec<_> = numbers.chunks(columns).map(|row| sums(row, -1.0)).collect();
            for column in 0..columns {
                let numbers: Vec<_> = of_rows.iter().map(|row| row[column]).collect();
                let found = found.iter().skip(column).step_by(columns).map(parts);
                compare(
                    found,
                    sums(&numbers, -1.0).into_iter(),
                    (unit, 1.0, of),
                    &what,
                );
            }
        }
        compare(
            back.iter().map(parts),
            numbers.iter().map(parts),
            (unit, 1.0, 16),
            &what,
        );
    };
}

/// Matrices with fewer columns than a block has, and with all numbers of rows.
#[test]
fn transforms_of_matrices_are_the_cpus() {
    for rows in [64, 128, 256, 512, 1024] {
        transforms_of_matrices_are_the_cpus!(Float2 f32, [rows, 16], 3);
        transforms_of_matrices_are_the_cpus!(Double2 f64, [rows, 2], 3);
    }
    for rows in [2048, 4096] {
        transforms_of_matrices_are_the_cpus!(Float2 f32, [rows, 4], 3);
        transforms_of_matrices_are_the_cpus!(Double2 f64, [rows, 8], 1);
    }
    transforms_of_matrices_are_the_cpus!(Float2 f32, [64, 256], 2);
    transforms_of_matrices_are_the_cpus!(Double2 f64, [64, 8192], 1);
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
fn long_transforms_are_recorded_in_a_graph() {
    let (device, stream) = device();
    let length = 1 << 14;
    let numbers: Vec<f32> = parts(length).iter().map(|x| *x as f32).collect();
    let input = DeviceBuffer::from_slice(&device, &numbers).expect("a buffer");
    let mut spectrum = DeviceBuffer::<Float2>::zeroed(&device, length / 2 + 1).expect("a buffer");
    let mut back = DeviceBuffer::<f32>::zeroed(&device, length).expect("a buffer");
    let mut fft = RealFft::<Float2>::new(&device, length, 1).expect("a transform");
    let graph = device.record(|record| {
        fft.forward(&mut *record, &input, &mut spectrum)?;
        fft.inverse(record, &spectrum, &mut back)?;
        Ok(())
    });
    graph.expect("a graph").launch(&stream).expect("a launch");
    for (number, back) in numbers.iter().zip(back.to_vec().expect("results")) {
        assert!((number - back).abs() < 1e-5, "{back}, not {number}");
    }
}

#[test]
fn sizes_without_a_kernel_are_refused() {
    let (device, stream) = device();
    for length in [0, 16, 48, 1 << 22] {
        let error = RealFft::<Float2>::new(&device, length, 1).expect_err("no length");
        let expected = "a transform of reals has a power of two of elements, from 32 to 2^21";
        assert_eq!(error.to_string(), expected);
    }
    for rows in [0, 32, 96, 8192] {
        let error = Fft2d::<Float2>::new(&device, [rows, 64], 1).expect_err("no rows");
        let expected = "a transform of two dimensions has a power of two of rows, from 64 to 4096";
        assert_eq!(error.to_string(), expected);
    }
    let reals = DeviceBuffer::<f32>::zeroed(&device, 65).expect("a buffer");
    let mut output = DeviceBuffer::<Float2>::zeroed(&device, 34).expect("a buffer");
    let mut fft = RealFft::<Float2>::new(&device, 32, 1).expect("a transform");
    let mut error = |input: &DeviceBuffer<f32>| {
        let result = fft.forward(&stream, input, &mut output);
        result.expect_err("no whole sequence").to_string()
    };
    assert_eq!(error(&reals.slice(..33)), "the last sequence is not whole");
    assert_eq!(
        error(&reals.slice(..64)),
        "expected a workspace of at least 32 elements, found 16"
    );
    let expected = "is aligned to 8 bytes";
    let found = error(&reals.slice(1..33));
    assert!(found.contains(expected), "{found}");
    let numbers = DeviceBuffer::<Float2>::zeroed(&device, 3 * 64 * 64).expect("a buffer");
    let mut output = DeviceBuffer::<Float2>::zeroed(&device, 3 * 64 * 64).expect("a buffer");
    let mut fft = Fft2d::<Float2>::new(&device, [64, 64], 2).expect("a transform");
    let mut error = |len: usize| {
        let result = fft.forward(&stream, &numbers.slice(..len), &mut output);
        result.expect_err("no whole matrix").to_string()
    };
    assert_eq!(error(64), "the last matrix is not whole");
    assert_eq!(
        error(3 * 64 * 64),
        "expected a workspace of at least 12288 elements, found 8192"
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
