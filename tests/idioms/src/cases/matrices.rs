//! The data of [`crate::kernels::matrices`].

use anyhow::Result;
use lanewise::LaunchConfig;

use crate::kernels::matrices::{self as kernels, TILE, WIDE};
use crate::measure::{Checksum::Weighted, Outcome, Runner};

/// The product of matrices of `k` and of `n` columns, as `f64`.
pub(super) fn product(a: &[f32], b: &[f32], n: usize, k: usize) -> Vec<f64> {
    let rows = a.chunks(k).flat_map(|row| {
        (0..n).map(move |x| {
            (0..k)
                .map(|e| f64::from(row[e]) * f64::from(b[e * n + x]))
                .sum()
        })
    });
    rows.collect()
}

pub(super) fn matmul_tiled_32(run: &Runner) -> Result<Outcome> {
    let (m, n, k) = (run.size(2000), run.size(2050), run.size(1990));
    let (a, b) = (
        run.uniform(m * k, 161, -0.5, 1.5)?,
        run.uniform(k * n, 162, -0.5, 1.5)?,
    );
    let mut c = run.zeros(m * n)?;
    let config = LaunchConfig::cover_2d((n, m), (TILE as u32, TILE as u32));
    let time = run.time(|| {
        let arguments = (&a, &b, c.matrix_mut(n), m as u32, n as u32, k as u32);
        run.launch(kernels::matmul_tiled_32, config, arguments)
    })?;
    run.outcome(time, run.checksum(Weighted, &c)?, || {
        Ok(Weighted.of(product(&a.to_vec()?, &b.to_vec()?, n, k)))
    })
}

pub(super) fn matmul_regtile_64(run: &Runner) -> Result<Outcome> {
    let n = run.multiple(2560, WIDE);
    let (a, b) = (
        run.uniform(n * n, 163, -0.5, 1.5)?,
        run.uniform(n * n, 164, -0.5, 1.5)?,
    );
    let mut c = run.zeros(n * n)?;
    let tiles = (n / WIDE) as u32;
    let config = LaunchConfig::new((tiles, tiles), 256);
    let time = run.time(|| {
        let arguments = (&a, &b, &mut c, n as u32, n as u32);
        run.launch(kernels::matmul_regtile_64, config, arguments)
    })?;
    run.outcome(time, run.checksum(Weighted, &c)?, || {
        Ok(Weighted.of(product(&a.to_vec()?, &b.to_vec()?, n, n)))
    })
}

pub(super) fn transpose_padded(run: &Runner) -> Result<Outcome> {
    let (rows, cols) = (run.size(12_000), run.size(11_000));
    let input = run.uniform(rows * cols, 167, 0.0, 1.0)?;
    let mut out = run.zeros(rows * cols)?;
    let tiles = |side: usize| side.div_ceil(TILE) as u32;
    let config = LaunchConfig::new((tiles(cols), tiles(rows)), (TILE as u32, 8));
    let time = run.time(|| {
        let arguments = (&input, &mut out, rows as u32, cols as u32);
        run.launch(kernels::transpose_padded, config, arguments)
    })?;
    run.outcome(time, run.checksum(Weighted, &out)?, || {
        let input = input.to_vec()?;
        Ok(Weighted.of((0..rows * cols).map(|i| f64::from(input[i % rows * cols + i / rows]))))
    })
}

pub(super) fn gemv_warp(run: &Runner) -> Result<Outcome> {
    let (rows, cols) = (run.size(16_001), run.size(16_000));
    let a = run.uniform(rows * cols, 171, -0.5, 1.5)?;
    let x = run.uniform(cols, 172, -0.5, 1.5)?;
    let mut y = run.zeros(rows)?;
    let config = LaunchConfig::new(rows.div_ceil(8) as u32, 256);
    let time = run.time(|| {
        let arguments = (&a, &x, &mut y, rows as u32, cols as u32);
        run.launch(kernels::gemv_warp, config, arguments)
    })?;
    run.outcome(time, run.checksum(Weighted, &y)?, || {
        Ok(Weighted.of(product(&a.to_vec()?, &x.to_vec()?, 1, cols)))
    })
}
