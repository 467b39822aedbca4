//! Fourier transforms at full size.

use std::f64::consts::TAU;

use anyhow::{Result, ensure};
use lanewise::DeviceBuffer;
use lanewise_algorithms::{Fft, Transformed};
use lanewise_records::Unit;

use super::{Measured, Runner};

/// Transforms of as many elements as have a quarter of the other jobs' words, or one of them. The
/// first and the last are compared with the CPU's. So many are under way at once, or
/// all.
pub(super) fn transform<C: Transformed>(
    run: &Runner,
    length: usize,
    batch: Option<usize>,
) -> Result<Measured>
where
    C::Part: Into<f64>,
{
    let len = (run.len * 2 / size_of::<C>()).max(length);
    let part = |word: u32| f64::from(word) / f64::from(u32::MAX) - 0.5;
    let words = run.words();
    let number = |i: usize| C::nearest([2 * i, 2 * i + 1].map(|i| part(words[i % words.len()])));
    let numbers: Vec<C> = (0..len).map(number).collect();
    let input = run.upload(&numbers)?;
    let mut output = DeviceBuffer::<C>::uninit(&run.device, len)?;
    let mut fft = Fft::new(&run.device, length, batch.unwrap_or(len / length))?;
    let times = run.time(|| Ok(fft.forward(&run.stream, &input, &mut output)?))?;
    let parts = |number: C| number.into().map(Into::<f64>::into);
    for start in [0, len - length] {
        let of: Vec<[f64; 2]> = numbers[start..][..length]
            .iter()
            .copied()
            .map(parts)
            .collect();
        let found = output.view(start..start + length).to_vec()?;
        // Numbers of magnitude 0.4 add up to about the root of their count; each pass rounds.
        let unit = if size_of::<C>() == 8 {
            f32::EPSILON.into()
        } else {
            f64::EPSILON
        };
        let tolerance = 2.0 * unit * (length as f64).sqrt() * (length as f64).log2();
        for (k, (expected, found)) in on_the_cpu(&of).iter().zip(found).enumerate() {
            for (expected, found) in expected.iter().zip(parts(found)) {
                ensure!(
                    (expected - found).abs() <= tolerance,
                    "result {k} of the one at {start}: {found}, not {expected}"
                );
            }
        }
    }
    Ok(Measured::of(times, 2 * len * size_of::<C>(), Unit::Bytes)?.at(length))
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
