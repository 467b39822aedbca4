//! The data of [`crate::kernels::blocks`].

use anyhow::Result;
use lanewise::LaunchConfig;

use super::matrices::product;
use crate::kernels::blocks::{self as kernels, PIECE, SIDE};
use crate::kernels::inputs::{self, Number};
use crate::kernels::structures::Particle;
use crate::measure::{Checksum::Squares, Checksum::Weighted, Outcome, Runner, Step};

pub(super) fn matmul_128(run: &Runner) -> Result<Outcome> {
    let n = run.multiple(4096, SIDE);
    let (a, b) = (
        run.uniform(n * n, 451, -0.5, 1.5)?,
        run.uniform(n * n, 452, -0.5, 1.5)?,
    );
    let mut c = run.zeros(n * n)?;
    let tiles = (n / SIDE) as u32;
    let config = LaunchConfig::new((tiles, tiles), 256);
    let time = run.time(|| {
        let arguments = (&a, &b, &mut c, n as u32, n as u32);
        run.launch(kernels::matmul_128, config, arguments)
    })?;
    run.outcome(time, run.checksum(Weighted, &c)?, || {
        Ok(Weighted.of(product(&a.to_vec()?, &b.to_vec()?, n, n)))
    })
}

pub(super) fn stencil_3d_7pt(run: &Runner) -> Result<Outcome> {
    let (nx, ny, nz, alpha) = (run.size(500), run.size(510), run.size(520), 0.1f32);
    let input = run.uniform(nx * ny * nz, 453, 0.0, 1.0)?;
    let mut out = run.zeros(nx * ny * nz)?;
    let config = LaunchConfig::cover_3d((nx, ny, nz), (32, 4, 2));
    let time = run.time(|| {
        let arguments = (&input, &mut out, nx as u32, ny as u32, nz as u32, alpha);
        run.launch(kernels::stencil_3d_7pt, config, arguments)
    })?;
    let checksum = run.checksum(Weighted, &out)? + run.checksum(Squares, &out)?;
    run.outcome(time, checksum, || {
        let input = input.to_vec()?;
        let at = |i: usize| f64::from(input[i]);
        let out: Vec<_> = (0..nx * ny * nz)
            .map(|i| {
                let inside = |at: usize, size: usize| at > 0 && at < size - 1;
                let (x, y, z) = (i % nx, i / nx % ny, i / (nx * ny));
                if !(inside(x, nx) && inside(y, ny) && inside(z, nz)) {
                    return at(i);
                }
                let steps = [1, nx, nx * ny];
                let around: f64 = steps.map(|step| at(i - step) + at(i + step)).iter().sum();
                at(i) + f64::from(alpha) * (around - 6.0 * at(i))
            })
            .collect();
        Ok(Weighted.of(out.iter().copied()) + Squares.of(out))
    })
}

pub(super) fn scan_block(run: &Runner) -> Result<Outcome> {
    let n = run.size(1 << 27);
    let mut x = run.zeros::<u32>(n)?;
    run.make(inputs::fill_sorted, (&mut x, 0, 1, 454, 1000))?;
    let mut out = run.zeros::<u32>(n)?;
    let config = LaunchConfig::cover_1d(n, PIECE as u32);
    let time = run.time(|| run.launch(kernels::scan_block, config, (&x, &mut out)))?;
    run.outcome(time, run.checksum::<u32>(Weighted, &out)?, || {
        let x = x.to_vec()?;
        Ok(Weighted.of(x.chunks(PIECE).flat_map(|piece| {
            let add = |sum: &mut u32, x: &u32| {
                *sum += x;
                Some(f64::from(*sum))
            };
            piece.iter().scan(0, add).collect::<Vec<_>>()
        })))
    })
}

pub(super) fn bitonic_sort(run: &Runner) -> Result<Outcome> {
    let n = run.size(1 << 25);
    let mut keys = run.zeros::<u32>(n)?;
    let config = LaunchConfig::cover_1d(n, PIECE as u32);
    let time = run.time_steps(|step| match step {
        Step::Restore => run.make(inputs::fill_u32, (&mut keys, 455)),
        Step::Launch => run.launch(kernels::bitonic_sort, config, (&mut keys,)),
    })?;
    run.outcome(time, run.checksum::<u32>(Weighted, &keys)?, || {
        let mut keys: Vec<_> = (0..n as u32).map(|i| inputs::hash32(i, 455)).collect();
        keys.chunks_mut(PIECE).for_each(<[u32]>::sort_unstable);
        Ok(Weighted.of(keys.into_iter().map(f64::from)))
    })
}

pub(super) fn life_u8(run: &Runner) -> Result<Outcome> {
    let (w, h) = (run.size(16_000), run.size(12_000));
    let mut cells = run.zeros::<u8>(w * h)?;
    run.make(inputs::fill_small, (&mut cells, 456, 0, 2))?;
    let mut out = run.zeros::<u8>(w * h)?;
    let config = LaunchConfig::cover_2d((w, h), (32, 8));
    let time = run.time(|| run.launch(kernels::life_u8, config, (&cells, out.matrix_mut(w))))?;
    run.outcome(time, run.checksum::<u8>(Weighted, &out)?, || {
        let cells = cells.to_vec()?;
        Ok(Weighted.of((0..w * h).map(|i| {
            let near = [
                (-1, -1),
                (-1, 0),
                (-1, 1),
                (0, -1),
                (0, 1),
                (1, -1),
                (1, 0),
                (1, 1),
            ];
            let side =
                |at: usize, by: i64, size: usize| (at as i64 + by).rem_euclid(size as i64) as usize;
            let alive = near
                .iter()
                .map(|(dx, dy)| cells[side(i / w, *dy, h) * w + side(i % w, *dx, w)]);
            let alive = alive.sum::<u8>();
            f64::from(u8::from(alive == 3 || (cells[i] == 1 && alive == 2)))
        })))
    })
}

pub(super) fn string_search(run: &Runner) -> Result<Outcome> {
    let n = run.size(1 << 27);
    let mut text = run.zeros::<u8>(n)?;
    run.make(inputs::fill_small, (&mut text, 457, u32::from(b'a'), 4))?;
    let pattern = run.upload(b"abca")?;
    let mut found = run.zeros::<u8>(n)?;
    let config = LaunchConfig::for_num_elems(n);
    let time = run.time(|| {
        run.launch(
            kernels::string_search,
            config,
            (&text, &pattern, &mut found),
        )
    })?;
    run.outcome(time, run.checksum::<u8>(Weighted, &found)?, || {
        let text = text.to_vec()?;
        let begins = |i: usize| f64::from(u8::from(text[i..].starts_with(b"abca")));
        Ok(Weighted.of((0..n).map(begins)))
    })
}

pub(super) fn transpose_records(run: &Runner) -> Result<Outcome> {
    let (rows, cols) = (run.size(5000), run.size(4000));
    let mut input = run.zeros::<Particle>(rows * cols)?;
    run.make(inputs::fill_particles, (&mut input,))?;
    let mut out = run.zeros::<Particle>(rows * cols)?;
    let config = LaunchConfig::cover_2d((cols, rows), (32, 8));
    let time = run.time(|| {
        let arguments = (&input, &mut out, rows as u32, cols as u32);
        run.launch(kernels::transpose_records, config, arguments)
    })?;
    run.outcome(time, run.checksum(Weighted, &out)?, || {
        Ok(Weighted.of((0..rows * cols)
            .flat_map(|i| inputs::particle((i % rows * cols + i / rows) as u32).numbers())))
    })
}
