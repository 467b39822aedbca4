//! Fourier transforms at full size.

use std::f64::consts::TAU;

use anyhow::{Result, ensure};
use lanewise::{DeviceBuffer, Pod};
use lanewise_algorithms::{Fft, Fft2d, RealFft, Transformed};
use lanewise_records::Unit;

use super::{Measured, Runner};

/// Returns numbers from -0.5 to 0.5, as many as are asked for.
fn parts(run: &Runner, len: usize) -> Vec<f64> {
    let words = run.words();
    let part = |i: usize| f64::from(words[i % words.len()]) / f64::from(u32::MAX) - 0.5;
    (0..len).map(part).collect()
}

/// Compares results with the CPU's, sums of `length` numbers of magnitude 0.4. They add up to about
/// the root of their count, and each pass rounds.
fn compare<C: Transformed<Part: Into<f64>>>(
    found: impl IntoIterator<Item = C>,
    expected: &[[f64; 2]],
    length: usize,
) -> Result<()> {
    let unit = if size_of::<C>() == 8 {
        f32::EPSILON.into()
    } else {
        f64::EPSILON
    };
    let tolerance = 2.0 * unit * (length as f64).sqrt() * (length as f64).log2();
    for (k, (expected, found)) in expected.iter().zip(found).enumerate() {
        let found: [f64; 2] = found.into().map(Into::into);
        for (expected, found) in expected.iter().zip(found) {
            ensure!(
                (expected - found).abs() <= tolerance,
                "result {k}: {found}, not {expected}"
            );
        }
    }
    Ok(())
}

/// Transforms of as many elements as have a quarter of the other jobs' words, or one of them. The
/// first and the last are compared with the CPU's. So many are under way at once, or
/// all.
pub(super) fn transform<C: Transformed<Part: Into<f64>>>(
    run: &Runner,
    length: usize,
    batch: Option<usize>,
) -> Result<Measured> {
    let len = (run.len * 2 / size_of::<C>()).max(length);
    let parts = parts(run, 2 * len);
    let numbers = parts.as_chunks().0;
    let upload: Vec<C> = numbers.iter().copied().map(C::nearest).collect();
    let input = run.upload(&upload)?;
    let mut output = DeviceBuffer::<C>::uninit(&run.device, len)?;
    let mut fft = Fft::new(&run.device, length, batch.unwrap_or(len / length))?;
    let times = run.time(|| Ok(fft.forward(&run.stream, &input, &mut output)?))?;
    for start in [0, len - length] {
        let expected = on_the_cpu(&numbers[start..][..length]);
        compare(
            output.slice(start..start + length).to_vec()?,
            &expected,
            length,
        )?;
    }
    Ok(Measured::of(times, 2 * len * size_of::<C>(), Unit::Bytes)?.at(length))
}

/// Transforms of twice as many reals, or the way back, which is compared with the reals.
pub(super) fn of_reals<C: Transformed<Part: Into<f64> + Pod>>(
    run: &Runner,
    length: usize,
    is_inverse: bool,
) -> Result<Measured> {
    let len = (run.len * 4 / size_of::<C>()).max(length);
    let (count, half) = (len / length, length / 2 + 1);
    let parts = parts(run, len);
    let real = |part: &f64| {
        let [re, _] = C::nearest([*part, 0.0]).into();
        re
    };
    let input = run.upload(&parts.iter().map(real).collect::<Vec<C::Part>>())?;
    let mut output = DeviceBuffer::<C>::uninit(&run.device, count * half)?;
    let mut back = DeviceBuffer::<C::Part>::uninit(&run.device, len)?;
    let mut fft = RealFft::new(&run.device, length, count)?;
    fft.forward(&run.stream, &input, &mut output)?;
    let times = if is_inverse {
        run.time(|| Ok(fft.inverse(&run.stream, &output, &mut back)?))?
    } else {
        run.time(|| Ok(fft.forward(&run.stream, &input, &mut output)?))?
    };
    for i in [0, count - 1] {
        let numbers: Vec<_> = parts[i * length..][..length]
            .iter()
            .map(|part| [*part, 0.0])
            .collect();
        if is_inverse {
            let found = back.slice(i * length..(i + 1) * length).to_vec()?;
            let found = found.into_iter().map(|part| C::nearest([part.into(), 0.0]));
            compare(found, &numbers, 16)?;
        } else {
            let found = output.slice(i * half..(i + 1) * half).to_vec()?;
            compare(found, &on_the_cpu(&numbers), length)?;
        }
    }
    let bytes = (len / 2 + count * half) * size_of::<C>();
    Ok(Measured::of(times, bytes, Unit::Bytes)?.at(length))
}

/// Transforms of square matrices. A few results of the first and the last are compared with sums of
/// all elements.
pub(super) fn of_matrices<C: Transformed<Part: Into<f64>>>(
    run: &Runner,
    side: usize,
) -> Result<Measured> {
    let of = side * side;
    let len = (run.len * 2 / size_of::<C>()).max(of);
    let parts = parts(run, 2 * len);
    let numbers = parts.as_chunks::<2>().0;
    let upload: Vec<C> = numbers.iter().copied().map(C::nearest).collect();
    let input = run.upload(&upload)?;
    let mut output = DeviceBuffer::<C>::uninit(&run.device, len)?;
    let mut fft = Fft2d::new(&run.device, [side, side], len / of)?;
    let times = run.time(|| Ok(fft.forward(&run.stream, &input, &mut output)?))?;
    let turn = |power: usize| (-TAU * power as f64 / side as f64).sin_cos();
    let turns: Vec<(f64, f64)> = (0..side).map(turn).collect();
    for start in [0, len - of] {
        for place in [0, 1, side / 3 * side + side / 5, of - 1] {
            let (row, column) = (place / side, place % side);
            let mut sum = [0.0, 0.0];
            // Row by row: a million numbers added to one sum would round more than the transform.
            for (i, numbers) in numbers[start..][..of].chunks(side).enumerate() {
                let mut of_row = [0.0, 0.0];
                for (j, [re, im]) in numbers.iter().enumerate() {
                    let (sine, cosine) = turns[(i * row + j * column) % side];
                    of_row[0] += re * cosine - im * sine;
                    of_row[1] += re * sine + im * cosine;
                }
                sum = [sum[0] + of_row[0], sum[1] + of_row[1]];
            }
            let found = output.slice(start + place..start + place + 1).to_vec()?;
            compare(found, &[sum], of)?;
        }
    }
    Ok(Measured::of(times, 2 * len * size_of::<C>(), Unit::Bytes)?.at(side))
}

/// Returns the transform, by those of the even and the odd elements.
fn on_the_cpu(x: &[[f64; 2]]) -> Vec<[f64; 2]> {
    if x.len() < 2 {
        return x.to_vec();
    }
    let half =
        |first: usize| on_the_cpu(&x.iter().skip(first).step_by(2).copied().collect::<Vec<_>>());
    let (even, odd) = (half(0), half(1));
    let turned = |k: usize| {
        let (sine, cosine) = (-TAU * k as f64 / x.len() as f64).sin_cos();
        let [re, im] = odd[k];
        [re * cosine - im * sine, re * sine + im * cosine]
    };
    let lower = (0..odd.len()).map(|k| [even[k][0] + turned(k)[0], even[k][1] + turned(k)[1]]);
    let upper = (0..odd.len()).map(|k| [even[k][0] - turned(k)[0], even[k][1] - turned(k)[1]]);
    lower.chain(upper).collect()
}
