//! Softmax and norms of rows, beside a copy of as many bytes.

use anyhow::{Result, ensure};
use lanewise::DeviceBuffer;
use lanewise_algorithms::{
    NormBackward, RowElement, Term, cross_entropy, cross_entropy_backward, layer_norm, rms_norm,
    softmax, softmax_backward,
};
use lanewise_records::Unit;
use lanewise_std::half::Bf16;

use super::{Measured, Runner};

/// Returns this many numbers without a pattern, from -1 to 1 times `scale`.
fn numbers<E: RowElement>(count: usize, scale: f32) -> Vec<E> {
    (0..count)
        .map(|i| (i as u32).wrapping_mul(2_654_435_761) as i32 as f32 / 2_147_483_648.0)
        .map(|x| E::narrow(x * scale))
        .collect()
}

/// Returns the relative error of a result that was rounded once, and computed in `f32`.
fn precision<E: RowElement>() -> f64 {
    if size_of::<E>() == 2 { 5e-3 } else { 2e-5 }
}

/// Compares a row with what is expected. Where numbers less than `least` are expected, the error is
/// relative to that.
fn compare<E: RowElement>(
    row: usize,
    found: &[E],
    expected: impl Iterator<Item = f64>,
    least: f64,
) -> Result<()> {
    for (found, expected) in found.iter().zip(expected) {
        let off = (f64::from(found.widen()) - expected).abs();
        ensure!(
            off <= precision::<E>() * expected.abs().max(least),
            "row {row}: {}, not {expected}",
            found.widen()
        );
    }
    Ok(())
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

pub(super) fn forward<E: RowElement>(run: &Runner, columns: usize, what: u32) -> Result<Measured> {
    let rows = (run.len / columns).max(3);
    let host = numbers::<E>(rows * columns, 3.0);
    let input = run.upload(&host)?;
    let mut output = DeviceBuffer::<E>::uninit(&run.device, rows * columns)?;
    let gamma = run.upload(&vec![E::narrow(0.5); columns])?;
    let beta = run.upload(&vec![E::narrow(0.25); columns])?;
    let bytes = rows * columns * size_of::<E>();
    let (times, copy) = run.time_beside_copy(bytes, || {
        match what {
            0 => softmax(&run.stream, &input, columns as u32, &mut output)?,
            1 => layer_norm(&run.stream, &input, (&gamma, &beta), 1e-5, &mut output)?,
            _ => rms_norm(&run.stream, &input, &gamma, 1e-5, &mut output)?,
        }
        Ok(())
    })?;
    let found = output.to_vec()?;
    for row in [0, rows / 2, rows - 1] {
        let of = row * columns..(row + 1) * columns;
        let x: Vec<f64> = host[of.clone()].iter().map(|x| x.widen().into()).collect();
        let center = mean(x.iter().copied());
        let square = |from: f64| mean(x.iter().map(|x| (x - from).powi(2))) + 1e-5;
        let (deviation, root) = (square(center).sqrt(), square(0.0).sqrt());
        let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = x.iter().map(|x| (x - most).exp()).sum();
        let expected = x.iter().map(|x| match what {
            0 => (x - most).exp() / total,
            1 => (x - center) / deviation * 0.5 + 0.25,
            _ => x / root * 0.5,
        });
        compare(row, &found[of], expected, if what == 0 { 0.0 } else { 0.1 })?;
    }
    Ok(Measured {
        copy,
        ..Measured::of(times, 2 * bytes, Unit::Bytes)?
    })
}

/// Gradients of softmax, layer norm and RMS norm: two matrices are read, and one is written.
pub(super) fn backward<E: RowElement>(run: &Runner, columns: usize, what: u32) -> Result<Measured> {
    let rows = (run.len / columns).max(3);
    let mut x = numbers::<E>(rows * columns, 3.0);
    if what == 0 {
        // Like a softmax: about 1 together.
        for x in &mut x {
            *x = E::narrow(x.widen().abs() / columns as f32);
        }
    }
    let mut dy = x.clone();
    dy.rotate_left(columns / 2 + 1);
    let (x_there, dy_there) = (run.upload(&x)?, run.upload(&dy)?);
    let mut dx = DeviceBuffer::<E>::uninit(&run.device, rows * columns)?;
    let gamma = run.upload(&vec![E::narrow(0.5); columns])?;
    let mut of_gamma = DeviceBuffer::<E>::uninit(&run.device, columns)?;
    let mut of_beta = DeviceBuffer::<E>::uninit(&run.device, columns)?;
    let mut norm = NormBackward::new(&run.device, columns)?;
    let bytes = rows * columns * size_of::<E>();
    let (times, copy) = run.time_beside_copy(bytes / 2 * 3, || {
        let (stream, x, dy) = (&run.stream, &x_there, &dy_there);
        match what {
            0 => softmax_backward(stream, x, dy, columns as u32, &mut dx)?,
            1 => {
                let factors = (&mut of_gamma, &mut of_beta);
                norm.layer_norm(stream, x, dy, &gamma, 1e-5, &mut dx, factors)?;
            }
            _ => norm.rms_norm(stream, x, dy, &gamma, 1e-5, &mut dx, &mut of_gamma)?,
        }
        Ok(())
    })?;
    let found = dx.to_vec()?;
    // The sums for the first column's factors.
    let mut sums = [0.0; 2];
    for row in 0..rows {
        let of = row * columns..(row + 1) * columns;
        let [x, dy] =
            [&x, &dy].map(|matrix| matrix[of.clone()].iter().map(|x| f64::from(x.widen())));
        let (center, factor) = if what == 1 {
            let center = mean(x.clone());
            let variance = mean(x.clone().map(|x| (x - center).powi(2)));
            (center, 1.0 / (variance + 1e-5).sqrt())
        } else {
            (0.0, 1.0 / (mean(x.clone().map(|x| x * x)) + 1e-5).sqrt())
        };
        let (x_first, dy_first) = (x.clone().next(), dy.clone().next());
        sums[0] += dy_first.unwrap_or(0.0) * (x_first.unwrap_or(0.0) - center) * factor;
        sums[1] += dy_first.unwrap_or(0.0);
        if ![0, rows / 2, rows - 1].contains(&row) {
            continue;
        }
        let products: f64 = x.clone().zip(dy.clone()).map(|(x, dy)| x * dy).sum();
        let expected: Vec<f64> = if what == 0 {
            x.zip(dy).map(|(y, dy)| y * (dy - products)).collect()
        } else {
            let normal = x.map(|x| (x - center) * factor);
            let of_dy = if what == 1 { mean(dy.clone()) } else { 0.0 };
            let of_product = mean(normal.clone().zip(dy.clone()).map(|(x, dy)| x * dy));
            let pairs = normal.zip(dy);
            pairs
                .map(|(x, dy)| 0.5 * factor * (dy - of_dy - x * of_product))
                .collect()
        };
        let most = expected.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        compare(row, &found[of], expected.into_iter(), most * 0.1)?;
    }
    if what > 0 {
        compare(
            rows,
            &of_gamma.to_vec()?[..1],
            [sums[0]].into_iter(),
            (rows as f64).sqrt(),
        )?;
    }
    if what == 1 {
        compare(
            rows,
            &of_beta.to_vec()?[..1],
            [sums[1]].into_iter(),
            (rows as f64).sqrt(),
        )?;
    }
    Ok(Measured {
        copy,
        ..Measured::of(times, 3 * bytes, Unit::Bytes)?
    })
}

/// The columns of the vocabulary of GPT-2.
const VOCABULARY: usize = 50_257;

macro_rules! cross_entropies {
    ($($losses:ident, $both:ident: $ty:ident;)*) => {$(
        /// Losses, beside a copy that moves as many bytes as they read.
        pub(super) fn $losses(run: &Runner) -> Result<Measured> {
            let (rows, host, targets) = logits::<$ty>(run);
            let (logits, targets_there) = (run.upload(&host)?, run.upload(&targets)?);
            let mut losses = DeviceBuffer::<f32>::zeroed(&run.device, rows)?;
            let bytes = host.len() * size_of::<$ty>();
            let columns = VOCABULARY as u32;
            let (times, copy) = run.time_beside_copy(bytes / 2, || {
                Ok(cross_entropy(&run.stream, &logits, columns, &targets_there, &mut losses)?)
            })?;
            compare_losses(&host, &targets, &losses.to_vec()?)?;
            let measured = Measured::of(times, bytes, Unit::Bytes)?.at(host.len());
            Ok(Measured { copy, ..measured })
        }

        /// Losses and the gradient, beside a copy of as many bytes.
        pub(super) fn $both(run: &Runner) -> Result<Measured> {
            let (rows, host, targets) = logits::<$ty>(run);
            let (logits, targets_there) = (run.upload(&host)?, run.upload(&targets)?);
            let mut losses = DeviceBuffer::<f32>::zeroed(&run.device, rows)?;
            let mut gradient = DeviceBuffer::<$ty>::uninit(&run.device, host.len())?;
            let bytes = host.len() * size_of::<$ty>();
            let columns = VOCABULARY as u32;
            let (times, copy) = run.time_beside_copy(bytes, || {
                let (losses, gradient) = (&mut losses, &mut gradient);
                Ok(cross_entropy_backward(&run.stream, &logits, columns, &targets_there, 1.0, losses, gradient)?)
            })?;
            let total = compare_losses(&host, &targets, &losses.to_vec()?)?;
            let x = host[..VOCABULARY].iter().map(|x| f64::from(x.widen()));
            let target = targets[0] as usize;
            let expected = x.enumerate().map(|(i, x)| (x - total).exp() - f64::from(u8::from(i == target)));
            compare(0, &gradient.slice(..VOCABULARY).to_vec()?, expected, 1e-6)?;
            let measured = Measured::of(times, 2 * bytes, Unit::Bytes)?.at(host.len());
            Ok(Measured { copy, ..measured })
        }
    )*};
}
cross_entropies! {
    cross_entropy_f32, cross_entropy_backward_f32: f32;
    cross_entropy_bf16, cross_entropy_backward_bf16: Bf16;
}

/// Returns the number of rows, their logits and targets.
fn logits<E: RowElement>(run: &Runner) -> (usize, Vec<E>, Vec<u32>) {
    let rows = (run.len / VOCABULARY).max(2);
    let targets = (0..rows)
        .map(|row| (row * 7919 % VOCABULARY) as u32)
        .collect();
    (rows, numbers::<E>(rows * VOCABULARY, 9.0), targets)
}

/// Compares some losses; returns the logarithm of the first row's sum.
fn compare_losses<E: RowElement>(host: &[E], targets: &[u32], found: &[f32]) -> Result<f64> {
    let mut first = 0.0;
    for row in [targets.len() - 1, targets.len() / 2, 0] {
        let x = host[row * VOCABULARY..(row + 1) * VOCABULARY].iter();
        first = x.map(|x| f64::from(x.widen()).exp()).sum::<f64>().ln();
        let target = host[row * VOCABULARY + targets[row] as usize];
        let expected = first - f64::from(target.widen());
        compare(row, &found[row..=row], [expected].into_iter(), 0.1)?;
    }
    Ok(first)
}
