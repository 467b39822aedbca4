//! The data of [`crate::kernels::reductions`].

use anyhow::Result;
use lanewise::LaunchConfig;

use crate::kernels::reductions::{self as kernels, BLOCK};
use crate::measure::{Checksum::Squares, Checksum::Weighted, Outcome, Runner};

/// The elements of each block in a grid-stride loop.
pub(super) fn by_block<T: Copy>(values: &[T], blocks: usize) -> Vec<Vec<(usize, T)>> {
    let mut parts = vec![Vec::new(); blocks];
    for (i, value) in values.iter().enumerate() {
        parts[i / BLOCK % blocks].push((i, *value));
    }
    parts
}

pub(super) fn sum_grid_stride(run: &Runner) -> Result<Outcome> {
    let (n, blocks) = (run.size(1 << 28), run.blocks(1056));
    let x = run.uniform(n, 141, 0.0, 1.0)?;
    let mut partial = run.zeros(blocks as usize)?;
    let config = LaunchConfig::new(blocks, BLOCK as u32);
    let time = run.time(|| run.launch(kernels::sum_grid_stride, config, (&x, &mut partial)))?;
    run.outcome(time, run.checksum(Weighted, &partial)?, || {
        let parts = by_block(&x.to_vec()?, blocks as usize);
        let sums = parts
            .iter()
            .map(|part| part.iter().map(|(_, x)| f64::from(*x)).sum());
        Ok(Weighted.of(sums))
    })
}

pub(super) fn max_argmax(run: &Runner) -> Result<Outcome> {
    let (n, blocks) = (run.size(1 << 28), run.blocks(1056));
    let x = run.uniform(n, 142, -1.0, 3.0)?;
    let (mut max, mut index) = (
        run.zeros::<f32>(blocks as usize)?,
        run.zeros(blocks as usize)?,
    );
    let config = LaunchConfig::new(blocks, BLOCK as u32);
    let time = run.time(|| run.launch(kernels::max_argmax, config, (&x, &mut max, &mut index)))?;
    let checksum = run.checksum(Weighted, &max)? + run.checksum::<i32>(Weighted, &index)?;
    run.outcome(time, checksum, || {
        let parts = by_block(&x.to_vec()?, blocks as usize);
        let best = |part: &Vec<(usize, f32)>| {
            let first = (usize::MAX, f32::NEG_INFINITY);
            part.iter()
                .fold(first, |best, it| if it.1 > best.1 { *it } else { best })
        };
        let best: Vec<_> = parts.iter().map(best).collect();
        let values = Weighted.of(best.iter().map(|it| f64::from(it.1)));
        Ok(values + Weighted.of(best.iter().map(|it| it.0 as f64)))
    })
}

pub(super) fn layer_norm_block(run: &Runner) -> Result<Outcome> {
    let (rows, cols, eps) = (run.size(32_768), run.size(4000), 1e-5);
    let x = run.uniform(rows * cols, 143, -1.0, 3.0)?;
    let (gamma, beta) = (
        run.uniform(cols, 144, 0.5, 1.0)?,
        run.uniform(cols, 145, 0.0, 1.0)?,
    );
    let mut y = run.zeros(rows * cols)?;
    let config = LaunchConfig::new(rows as u32, BLOCK as u32);
    let time = run.time(|| {
        let arguments = (&x, &gamma, &beta, y.matrix_mut(cols), eps);
        run.launch(kernels::layer_norm_block, config, arguments)
    })?;
    let checksum = run.checksum(Weighted, &y)? + run.checksum(Squares, &y)?;
    run.outcome(time, checksum, || {
        let (x, gamma, beta) = (x.to_vec()?, gamma.to_vec()?, beta.to_vec()?);
        let rows = x.chunks(cols).flat_map(|row| {
            let mean = row.iter().map(|x| f64::from(*x)).sum::<f64>() / cols as f64;
            let square = |x: &f32| (f64::from(*x) - mean).powi(2);
            let variance = row.iter().map(square).sum::<f64>() / cols as f64;
            let inv = 1.0 / (variance + f64::from(eps)).sqrt();
            let scaled = row
                .iter()
                .zip(&gamma)
                .zip(&beta)
                .map(move |((x, gamma), beta)| {
                    (f64::from(*x) - mean) * inv * f64::from(*gamma) + f64::from(*beta)
                });
            scaled.collect::<Vec<_>>()
        });
        let rows: Vec<f64> = rows.collect();
        Ok(Weighted.of(rows.iter().copied()) + Squares.of(rows))
    })
}

pub(super) fn rms_norm_warp(run: &Runner) -> Result<Outcome> {
    let (rows, cols, eps) = (run.size(130_001), run.size(1024), 1e-5);
    let x = run.uniform(rows * cols, 146, -1.0, 3.0)?;
    let gain = run.uniform(cols, 147, 0.5, 1.0)?;
    let mut y = run.zeros(rows * cols)?;
    let config = LaunchConfig::new(rows.div_ceil(BLOCK / 32) as u32, BLOCK as u32);
    let time = run.time(|| {
        let arguments = (&x, &gain, &mut y, rows as u32, cols as u32, eps);
        run.launch(kernels::rms_norm_warp, config, arguments)
    })?;
    run.outcome(time, run.checksum(Weighted, &y)?, || {
        let (x, gain) = (x.to_vec()?, gain.to_vec()?);
        Ok(Weighted.of(x.chunks(cols).flat_map(|row| {
            let square = row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / cols as f64;
            let inv = 1.0 / (square + f64::from(eps)).sqrt();
            let scaled = row.iter().zip(&gain);
            scaled
                .map(|(x, gain)| f64::from(*x) * inv * f64::from(*gain))
                .collect::<Vec<_>>()
        })))
    })
}

pub(super) fn softmax_block(run: &Runner) -> Result<Outcome> {
    let (rows, cols) = (run.size(32_768), run.size(4000));
    let x = run.uniform(rows * cols, 148, -4.0, 8.0)?;
    let mut y = run.zeros(rows * cols)?;
    let config = LaunchConfig::new(rows as u32, BLOCK as u32);
    let time = run.time(|| run.launch(kernels::softmax_block, config, (&x, y.matrix_mut(cols))))?;
    let squares = run.checksum(Squares, &y)?;
    let checksum = run.checksum(Weighted, &y)? + cols as f64 * squares;
    run.outcome(time, checksum, || {
        let x = x.to_vec()?;
        let rows = x.chunks(cols).flat_map(|row| {
            let biggest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let exp = |x: &f32| f64::from(x - biggest).exp();
            let sum: f64 = row.iter().map(exp).sum();
            row.iter().map(|x| exp(x) / sum).collect::<Vec<_>>()
        });
        let rows: Vec<f64> = rows.collect();
        Ok(Weighted.of(rows.iter().copied()) + cols as f64 * Squares.of(rows))
    })
}
