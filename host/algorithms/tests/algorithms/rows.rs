//! Softmax, norms and their gradients against the CPU: rows of a block and of a cluster, of `f32`
//! and of `Bf16`, at addresses that are aligned to sixteen bytes and at others, under all checks.

use lanewise::checks::{self, Checking};
use lanewise::{Device, DeviceBuffer, MemoryError};
use lanewise_algorithms::{
    NormBackward, RowElement, cross_entropy, cross_entropy_backward, layer_norm, rms_norm, softmax,
    softmax_backward,
};
use lanewise_std::half::Bf16;

use crate::common::device;

/// The constant that a norm adds to a variance.
const EPSILON: f32 = 1e-5;

/// Numbers of rows and columns: those of 20,000 elements and more have a cluster.
const SHAPES: [(usize, usize); 9] = [
    (3, 1),
    (2, 8),
    (5, 7),
    (3, 1000),
    (2, 1001),
    (2, 8200),
    (1, 16_384),
    (5, 20_000),
    (1, 40_001),
];

/// Numbers from -`scale` to `scale` without a pattern, as elements have them.
fn numbers<E: RowElement>(count: usize, seed: u32, scale: f32) -> Vec<E> {
    let word = |i: u32| (i ^ seed).wrapping_mul(2_654_435_761).rotate_left(7);
    (0..count as u32)
        .map(|i| word(word(i)) as i32 as f32 / 2_147_483_648.0)
        .map(|x| E::narrow(x * scale))
        .collect()
}

/// A buffer that begins `skip` elements after an aligned address.
fn shifted<E: RowElement>(device: &Device, values: &[E], skip: usize) -> DeviceBuffer<E> {
    let mut all = vec![E::narrow(0.0); skip];
    all.extend_from_slice(values);
    DeviceBuffer::from_slice(device, &all).expect("a buffer")
}

fn zeros<E: RowElement>(device: &Device, len: usize) -> DeviceBuffer<E> {
    DeviceBuffer::from_slice(device, &vec![E::narrow(0.0); len]).expect("a buffer")
}

fn wide<E: RowElement>(values: &[E]) -> Vec<f64> {
    values.iter().map(|x| x.widen().into()).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Compares a row. An error is relative to an element, or to a part of the row's greatest: sums of
/// `f32` cancel out.
fn assert_close<E: RowElement>(found: &[E], expected: &[f64], part: f64, what: &str) {
    let relative = if size_of::<E>() == 2 { 4e-3 } else { 2e-5 };
    let most = expected.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    for (i, (found, expected)) in wide(found).iter().zip(expected).enumerate() {
        assert!(
            (found - expected).abs() <= relative * expected.abs().max(most * part),
            "{what}, element {i}: {found}, {expected}"
        );
    }
}

/// Mean of a row, and one over the root of its variance; around 0 for an RMS norm.
fn moments(x: &[f64], is_rms: bool) -> (f64, f64) {
    let center = if is_rms { 0.0 } else { mean(x) };
    let squares: Vec<f64> = x.iter().map(|x| (x - center).powi(2)).collect();
    (center, 1.0 / (mean(&squares) + f64::from(EPSILON)).sqrt())
}

fn forward<E: RowElement>((rows, columns): (usize, usize), skip: usize) {
    let (device, stream) = device();
    let (x, gamma, beta) = (
        numbers::<E>(rows * columns, 1, 5.0),
        numbers::<E>(columns, 2, 2.0),
        numbers::<E>(columns, 3, 2.0),
    );
    let all = shifted(&device, &x, skip);
    let input = all.slice(skip..);
    let factors = [&gamma, &beta].map(|values| shifted(&device, values, 0));
    let mut output = zeros::<E>(&device, rows * columns);
    let what = format!(
        "{} x {columns}, skipping {skip}",
        std::any::type_name::<E>()
    );
    let check = |output: &DeviceBuffer<E>, name: &str, of: &dyn Fn(&[f64]) -> Vec<f64>| {
        let found = output.to_vec().expect("results");
        for (x, found) in x.chunks(columns).zip(found.chunks(columns)) {
            assert_close(found, &of(&wide(x)), 1e-2, &format!("{name}, {what}"));
        }
    };
    softmax(&stream, &input, columns as u32, &mut output).expect("a softmax");
    check(&output, "softmax", &|x| {
        let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let powers: Vec<f64> = x.iter().map(|x| (x - most).exp()).collect();
        let total: f64 = powers.iter().sum();
        powers.iter().map(|power| power / total).collect()
    });
    layer_norm(
        &stream,
        &input,
        (&factors[0], &factors[1]),
        EPSILON,
        &mut output,
    )
    .expect("a norm");
    let (gamma, beta) = (wide(&gamma), wide(&beta));
    check(&output, "layer norm", &|x| {
        let (center, factor) = moments(x, false);
        let normal = |i: usize| (x[i] - center) * factor;
        (0..columns)
            .map(|i| normal(i) * gamma[i] + beta[i])
            .collect()
    });
    rms_norm(&stream, &input, &factors[0], EPSILON, &mut output).expect("a norm");
    check(&output, "RMS norm", &|x| {
        let (_, factor) = moments(x, true);
        (0..columns).map(|i| x[i] * factor * gamma[i]).collect()
    });
}

#[test]
fn rows_are_the_cpus() {
    for shape in SHAPES {
        for skip in [0, 1] {
            forward::<f32>(shape, skip);
            forward::<Bf16>(shape, skip);
        }
    }
}

fn backward<E: RowElement>((rows, columns): (usize, usize), skip: usize) {
    let (device, stream) = device();
    let (x, dy, gamma) = (
        numbers::<E>(rows * columns, 1, 2.0),
        numbers::<E>(rows * columns, 4, 1.0),
        numbers::<E>(columns, 2, 2.0),
    );
    let all = [&x, &dy].map(|values| shifted(&device, values, skip));
    let [x_there, dy_there] = [all[0].slice(skip..), all[1].slice(skip..)];
    let gamma_there = shifted(&device, &gamma, 0);
    let mut dx = zeros::<E>(&device, rows * columns);
    let mut of_factors = [zeros::<E>(&device, columns), zeros::<E>(&device, columns)];
    let what = format!(
        "{} x {columns}, skipping {skip}",
        std::any::type_name::<E>()
    );
    softmax_backward(&stream, &x_there, &dy_there, columns as u32, &mut dx).expect("a gradient");
    let found = dx.to_vec().expect("results");
    let (x, dy, gamma) = (wide(&x), wide(&dy), wide(&gamma));
    for row in 0..rows {
        let of = row * columns..(row + 1) * columns;
        let (y, dy) = (&x[of.clone()], &dy[of.clone()]);
        let sum: f64 = y.iter().zip(dy).map(|(y, dy)| y * dy).sum();
        let expected: Vec<f64> = y.iter().zip(dy).map(|(y, dy)| y * (dy - sum)).collect();
        assert_close(&found[of], &expected, 0.1, &format!("softmax, {what}"));
    }
    let mut norm = NormBackward::new(&device, columns).expect("a workspace");
    for is_rms in [false, true] {
        let (x_there, dy_there, [of_gamma, of_beta]) = (&x_there, &dy_there, &mut of_factors);
        if is_rms {
            norm.rms_norm(
                &stream,
                x_there,
                dy_there,
                &gamma_there,
                EPSILON,
                &mut dx,
                of_gamma,
            )
        } else {
            let factors = (of_gamma, of_beta);
            norm.layer_norm(
                &stream,
                x_there,
                dy_there,
                &gamma_there,
                EPSILON,
                &mut dx,
                factors,
            )
        }
        .expect("gradients");
        let found = dx.to_vec().expect("results");
        let mut sums = [vec![0.0; columns], vec![0.0; columns]];
        for row in 0..rows {
            let of = row * columns..(row + 1) * columns;
            let (x, dy) = (&x[of.clone()], &dy[of.clone()]);
            let (center, factor) = moments(x, is_rms);
            let normal: Vec<f64> = x.iter().map(|x| (x - center) * factor).collect();
            let of_normal: Vec<f64> = dy
                .iter()
                .zip(&gamma)
                .map(|(dy, gamma)| dy * gamma)
                .collect();
            let products: Vec<f64> = of_normal.iter().zip(&normal).map(|(g, x)| g * x).collect();
            let of_mean = if is_rms { 0.0 } else { mean(&of_normal) };
            let of_square = mean(&products);
            let expected: Vec<f64> = (0..columns)
                .map(|i| factor * (of_normal[i] - of_mean - normal[i] * of_square))
                .collect();
            // A row of one element has no gradient: what is found there is cancelled out.
            if columns > 1 {
                let what = format!("norm, RMS {is_rms}, {what}");
                assert_close(&found[of], &expected, 0.1, &what);
            }
            for i in 0..columns {
                sums[0][i] += dy[i] * normal[i];
                sums[1][i] += dy[i];
            }
        }
        for (of_factor, sums) in of_factors
            .iter()
            .zip(&sums)
            .take(if is_rms { 1 } else { 2 })
        {
            let found = of_factor.to_vec().expect("sums");
            assert_close(&found, sums, 0.1, &format!("sums, RMS {is_rms}, {what}"));
        }
    }
}

#[test]
fn gradients_of_rows_are_the_cpus() {
    for shape in SHAPES {
        for skip in [0, 1] {
            backward::<f32>(shape, skip);
            backward::<Bf16>(shape, skip);
        }
    }
}

#[test]
fn rings_are_right_under_all_checks() {
    let device = Device::open().expect("a device");
    for (schedule, seed) in [("plain", 1), ("random,weak", 2)] {
        let schedule = schedule.parse().expect("a schedule");
        let checking = Checking::all().schedule(schedule).seed(seed);
        let (_, findings) = checks::of(&device, checking, || {
            forward::<Bf16>((3, 16_392), 0);
            backward::<f32>((3, 16_388), 0);
            Ok::<_, MemoryError>(())
        })
        .expect("a run");
        let findings = findings.unwrap_or_default();
        assert!(findings.is_empty(), "seed {seed}: {findings:#?}");
    }
}

#[test]
fn blocks_with_several_rows_add_up_their_gradients() {
    // More rows than an H200 has blocks of this size.
    backward::<Bf16>((300, 8192), 0);
}

/// Returns the losses and the gradients of rows of logits on the CPU, for each row's target.
fn losses(logits: &[f64], columns: usize, targets: &[u32]) -> (Vec<f64>, Vec<f64>) {
    let (mut losses, mut gradient) = (vec![], vec![]);
    for (x, target) in logits.chunks(columns).zip(targets) {
        let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = x.iter().map(|x| (x - most).exp()).sum();
        let target = *target as usize;
        let is_there = f64::from(u8::from(target < columns));
        losses.push(x.get(target).map_or(0.0, |logit| total.ln() + most - logit));
        gradient.extend(x.iter().enumerate().map(|(i, x)| {
            let less = f64::from(u8::from(i == target));
            is_there * ((x - most).exp() / total - less) * 0.5
        }));
    }
    (losses, gradient)
}

macro_rules! cross_entropies {
    ($($ty:ident)*) => {$(
        for (rows, columns) in [(1, 2), (3, 7), (4, 1000), (5, 50_257)] {
            for skip in [0, 1, 3] {
                let (device, stream) = device();
                let x = numbers::<$ty>(rows * columns, 5, 9.0);
                let mut targets: Vec<u32> = (0..rows as u32).map(|i| i * 77 % columns as u32).collect();
                targets[rows - 1] = columns as u32 - 1;
                if rows > 3 {
                    targets[1] = u32::MAX; // left out
                }
                let all = shifted(&device, &x, skip);
                let logits = all.slice(skip..);
                let targets_there = DeviceBuffer::from_slice(&device, &targets).expect("targets");
                let mut found = DeviceBuffer::<f32>::zeroed(&device, rows).expect("losses");
                let (expected, of_logits) = losses(&wide(&x), columns, &targets);
                let what = format!("{rows} x {columns}, skipping {skip}");
                cross_entropy(&stream, &logits, columns as u32, &targets_there, &mut found).expect("losses");
                assert_close(&found.to_vec().unwrap(), &expected, 0.1, &what);
                let mut gradient = zeros::<$ty>(&device, rows * columns);
                found.fill_zero().expect("zeros");
                let columns = columns as u32;
                cross_entropy_backward(&stream, &logits, columns, &targets_there, 0.5, &mut found, &mut gradient)
                    .expect("a gradient");
                assert_close(&found.to_vec().unwrap(), &expected, 0.1, &what);
                assert_close(&gradient.to_vec().unwrap(), &of_logits, 1e-3, &what);
            }
        }
    )*};
}

#[test]
fn a_row_of_one_column_has_no_loss() {
    let (device, stream) = device();
    let logits = DeviceBuffer::from_slice(&device, &[7.0f32]).expect("logits");
    let targets = DeviceBuffer::from_slice(&device, &[0u32]).expect("targets");
    let mut losses = DeviceBuffer::<f32>::zeroed(&device, 1).expect("losses");
    cross_entropy(&stream, &logits, 1, &targets, &mut losses).expect("a loss");
    assert!(losses.to_vec().unwrap()[0].abs() < 1e-6);
}

#[test]
fn cross_entropies_are_the_cpus() {
    cross_entropies! { f32 Bf16 }
}

#[test]
fn factors_of_rows_need_not_be_aligned() {
    let (device, stream) = device();
    let (values, factors) = (numbers::<f32>(64, 1, 1.0), numbers::<f32>(33, 2, 1.0));
    let (input, factors_there) = (shifted(&device, &values, 0), shifted(&device, &factors, 0));
    let mut output = zeros::<f32>(&device, 64);
    rms_norm(
        &stream,
        &input,
        &factors_there.slice(1..),
        EPSILON,
        &mut output,
    )
    .expect("an RMS norm");
    let found = output.to_vec().unwrap();
    let factors = wide(&factors[1..]);
    for (x, found) in values.chunks(32).zip(found.chunks(32)) {
        let x = wide(x);
        let (_, factor) = moments(&x, true);
        let expected: Vec<f64> = (0..32).map(|i| x[i] * factor * factors[i]).collect();
        assert_close(found, &expected, 0.0, "an RMS norm");
    }
}

#[test]
fn a_workspace_for_shorter_rows_is_refused() {
    let (device, stream) = device();
    let mut norm = NormBackward::new(&device, 0).expect("a workspace");
    let (x, gamma) = (zeros::<f32>(&device, 4), zeros::<f32>(&device, 4));
    let [mut dx, mut sums] = [zeros::<f32>(&device, 4), zeros::<f32>(&device, 4)];
    let error = norm
        .rms_norm(&stream, &x, &x, &gamma, EPSILON, &mut dx, &mut sums)
        .expect_err("too short");
    assert_eq!(
        error.to_string(),
        "expected a workspace of at least 1 elements, found 0"
    );
}

#[test]
fn a_row_that_is_too_long_is_refused() {
    let (device, stream) = device();
    let (input, mut output) = (zeros::<f32>(&device, 4), zeros::<f32>(&device, 4));
    let error = softmax(&stream, &input, 131_073, &mut output).expect_err("too long");
    assert_eq!(
        error.to_string(),
        "expected at most 131072 columns, found 131073"
    );
}
