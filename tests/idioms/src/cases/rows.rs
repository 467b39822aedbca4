//! The data of [`crate::kernels::rows`].

use anyhow::Result;
use lanewise::LaunchConfig;
use lanewise_std::half::Bf16;

use crate::kernels::inputs;
use crate::kernels::rows::{self as kernels, EPS, WIDTH};
use crate::measure::{Checksum::Squares, Checksum::Weighted, Outcome, Runner, Step};

/// The mean of a row, and the reciprocal of its deviation.
fn figures(row: &[f32]) -> [f64; 2] {
    let mean = row.iter().map(|x| f64::from(*x)).sum::<f64>() / row.len() as f64;
    let square = |x: &f32| (f64::from(*x) - mean).powi(2);
    let variance = row.iter().map(square).sum::<f64>() / row.len() as f64;
    [mean, 1.0 / (variance + f64::from(EPS)).sqrt()]
}

/// Which of the kernels of layer norm's forward pass.
enum Forward {
    Warp,
    Block,
}

fn ln_forward(run: &Runner, rows: usize, cols: usize, which: Forward) -> Result<Outcome> {
    let x = run.uniform(rows * cols, 401, -1.0, 3.0)?;
    let (weight, bias) = (
        run.uniform(cols, 402, 0.5, 1.0)?,
        run.uniform(cols, 403, 0.0, 1.0)?,
    );
    let (mut y, mut means, mut scales) =
        (run.zeros(rows * cols)?, run.zeros(rows)?, run.zeros(rows)?);
    let time = run.time(|| {
        let written = (&mut y, &mut means, &mut scales);
        match which {
            Forward::Warp => run.launch(
                kernels::ln_forward_warp,
                LaunchConfig::cover_1d(rows * 32, 256),
                (
                    &x,
                    &weight,
                    &bias,
                    written.0,
                    written.1,
                    written.2,
                    rows as u32,
                    cols as u32,
                ),
            ),
            Forward::Block => run.launch(
                kernels::ln_forward_block,
                LaunchConfig::new(rows as u32, 256),
                (
                    &x,
                    &weight,
                    &bias,
                    written.0,
                    written.1,
                    written.2,
                    cols as u32,
                ),
            ),
        }
    })?;
    let of_rows = run.checksum(Weighted, &means)? + run.checksum(Weighted, &scales)?;
    let checksum = run.checksum(Weighted, &y)? + run.checksum(Squares, &y)? + of_rows;
    run.outcome(time, checksum, || {
        let (x, weight, bias) = (x.to_vec()?, weight.to_vec()?, bias.to_vec()?);
        let figures: Vec<_> = x.chunks(cols).map(figures).collect();
        let y: Vec<_> = (0..rows * cols)
            .map(|i| {
                let [mean, scale] = figures[i / cols];
                let norm = (f64::from(x[i]) - mean) * scale;
                norm * f64::from(weight[i % cols]) + f64::from(bias[i % cols])
            })
            .collect();
        let of_rows = |k: usize| Weighted.of(figures.iter().map(move |row| row[k]));
        Ok(Weighted.of(y.iter().copied()) + Squares.of(y) + of_rows(0) + of_rows(1))
    })
}

pub(super) fn ln_forward_warp(run: &Runner) -> Result<Outcome> {
    ln_forward(run, run.size(131_072), run.size(768), Forward::Warp)
}

pub(super) fn ln_forward_block(run: &Runner) -> Result<Outcome> {
    ln_forward(run, run.size(65_536), run.size(1600), Forward::Block)
}

pub(super) fn ln_backward(run: &Runner) -> Result<Outcome> {
    let rows = run.size(65_536);
    let n = rows * WIDTH;
    let (dy, x) = (
        run.uniform(n, 404, 0.0, 1.0)?,
        run.uniform(n, 405, -1.0, 3.0)?,
    );
    let weight = run.uniform(WIDTH, 406, 0.5, 1.0)?;
    let means = run.uniform(rows, 407, 0.25, 0.5)?;
    let scales = run.uniform(rows, 408, 1.0, 0.5)?;
    let (mut dx, mut dweight, mut dbias) = (
        run.zeros::<f32>(n)?,
        run.zeros::<f32>(WIDTH)?,
        run.zeros::<f32>(WIDTH)?,
    );
    let config = LaunchConfig::new(run.blocks(528), 256);
    let time = run.time_steps(|step| match step {
        Step::Restore => {
            dweight.fill_zero()?;
            Ok(dbias.fill_zero()?)
        }
        Step::Launch => {
            let read = (&dy, &x, &weight, &means, &scales);
            let written = (&mut dx, &mut dweight, &mut dbias);
            run.launch(
                kernels::ln_backward,
                config,
                (
                    read.0,
                    read.1,
                    read.2,
                    read.3,
                    read.4,
                    written.0,
                    written.1,
                    written.2,
                    rows as u32,
                ),
            )
        }
    })?;
    let checksum = run.checksum(Squares, &dx)?
        + run.checksum(Squares, &dweight)?
        + run.checksum(Weighted, &dbias)?;
    run.outcome(time, checksum, || {
        let (dy, x, weight) = (dy.to_vec()?, x.to_vec()?, weight.to_vec()?);
        let (means, scales) = (means.to_vec()?, scales.to_vec()?);
        let (mut dx, mut of_weight, mut of_bias) = (vec![], vec![0.0; WIDTH], vec![0.0; WIDTH]);
        for row in 0..rows {
            let scale = f64::from(scales[row]);
            let of = |c: usize| {
                let (dy, x) = (
                    f64::from(dy[row * WIDTH + c]),
                    f64::from(x[row * WIDTH + c]),
                );
                [
                    dy,
                    (x - f64::from(means[row])) * scale,
                    dy * f64::from(weight[c]),
                ]
            };
            let mean = |each: fn([f64; 3]) -> f64| {
                (0..WIDTH).map(|c| each(of(c))).sum::<f64>() / WIDTH as f64
            };
            let (of_norm, of_both) = (mean(|it| it[2]), mean(|it| it[1] * it[2]));
            for c in 0..WIDTH {
                let [dy, norm, dnorm] = of(c);
                of_bias[c] += dy;
                of_weight[c] += norm * dy;
                dx.push((dnorm - of_norm - norm * of_both) * scale);
            }
        }
        Ok(Squares.of(dx) + Squares.of(of_weight) + Weighted.of(of_bias))
    })
}

pub(super) fn softmax_causal(run: &Runner) -> Result<Outcome> {
    let (heads, len, scale) = (run.multiple(96, 3), run.multiple(1024, 64), 0.125);
    let rows = heads * len;
    let x = run.uniform(rows * len, 409, -40.0, 80.0)?;
    let mut y = run.zeros(rows * len)?;
    let config = LaunchConfig::cover_1d(rows * 32, 256);
    let time = run.time(|| {
        let arguments = (&x, &mut y, rows as u32, len as u32, scale);
        run.launch(kernels::softmax_causal, config, arguments)
    })?;
    let squares = run.checksum(Squares, &y)?;
    run.outcome(
        time,
        run.checksum(Weighted, &y)? + len as f64 * squares,
        || {
            let x = x.to_vec()?;
            let mut y = vec![];
            for (row, x) in x.chunks(len).enumerate() {
                let (counted, rest) = x.split_at(row % len + 1);
                let largest = counted.iter().copied().fold(f32::MIN, f32::max);
                let exp = |x: &f32| (f64::from(scale) * f64::from(x - largest)).exp();
                let sum: f64 = counted.iter().map(exp).sum();
                y.extend(counted.iter().map(|x| exp(x) / sum));
                y.extend(rest.iter().map(|_| 0.0));
            }
            Ok(Weighted.of(y.iter().copied()) + len as f64 * Squares.of(y))
        },
    )
}

pub(super) fn cross_entropy_bf16(run: &Runner) -> Result<Outcome> {
    let (rows, classes, weight) = (run.size(4096), run.size(50_257), 0.25);
    let targets = run.below(rows, 410, classes)?;
    let mut logits = run.zeros::<Bf16>(rows * classes)?;
    let mut losses = run.zeros::<f32>(rows)?;
    let config = LaunchConfig::new(rows as u32, 1024);
    let time = run.time_steps(|step| match step {
        Step::Restore => run.make(inputs::fill_bf16, (&mut logits, 411, -4.0, 8.0)),
        Step::Launch => {
            let arguments = (logits.matrix_mut(classes), &targets, &mut losses, weight);
            run.launch(kernels::cross_entropy_bf16, config, arguments)
        }
    })?;
    // The gradients of a row cancel.
    let checksum = run.checksum(Weighted, &losses)? + run.checksum(Squares, &logits)?;
    run.outcome(time, checksum, || {
        let (mut losses, mut gradients) = (vec![], vec![]);
        for (row, target) in targets.to_vec()?.into_iter().enumerate() {
            let exps: Vec<_> = (0..classes)
                .map(|c| {
                    let x = inputs::uniform((row * classes + c) as u32, 411, -4.0, 8.0);
                    f64::from(Bf16::from_f32(x).to_f32()).exp()
                })
                .collect();
            let sum: f64 = exps.iter().sum();
            losses.push(-(exps[target as usize] / sum).ln());
            gradients.extend(exps.iter().enumerate().map(|(c, exp)| {
                let d = exp / sum - f64::from(u8::from(c == target as usize));
                f64::from(Bf16::from_f32((d * f64::from(weight)) as f32).to_f32())
            }));
        }
        Ok(Weighted.of(losses) + Squares.of(gradients))
    })
}
