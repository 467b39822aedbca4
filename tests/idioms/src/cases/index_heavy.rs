//! The data of [`crate::kernels::index_heavy`].

use anyhow::Result;
use lanewise::LaunchConfig;

use crate::kernels::index_heavy as kernels;
use crate::kernels::inputs;
use crate::measure::{Checksum::Squares, Checksum::Weighted, Outcome, Runner};

pub(super) fn gather_rows(run: &Runner) -> Result<Outcome> {
    let (ids_len, vocab, dim) = (run.size(400_000), run.size(100_000), 300);
    let table = run.uniform(vocab * dim, 121, 0.0, 1.0)?;
    let ids = run.below(ids_len, 122, vocab + 500)?;
    let mut out = run.zeros(ids_len * dim)?;
    let config = LaunchConfig::for_num_elems(out.len());
    let time = run.time(|| {
        let arguments = (&table, &ids, &mut out, vocab as u32, dim as u32);
        run.launch(kernels::gather_rows, config, arguments)
    })?;
    run.outcome(time, run.checksum(Weighted, &out)?, || {
        let (table, ids) = (table.to_vec()?, ids.to_vec()?);
        let rows = ids.into_iter().map(|id| table.chunks(dim).nth(id as usize));
        Ok(Weighted.of(rows.flat_map(|row| {
            let row = row.map_or_else(|| vec![0.0; dim], <[f32]>::to_vec);
            row.into_iter().map(f64::from)
        })))
    })
}

pub(super) fn scatter_guard(run: &Runner) -> Result<Outcome> {
    let n = run.size(1 << 25);
    let x = run.uniform(n, 123, 0.0, 1.0)?;
    let mut idx = run.zeros::<i32>(n)?;
    run.make(inputs::fill_scatter, (&mut idx, n as u32))?;
    // Of sizes that are no power of two, the factor may make equal indices: they are taken once.
    if !n.is_power_of_two() {
        let mut seen = vec![false; n];
        let mut host = idx.to_vec()?;
        for i in &mut host {
            if *i >= 0 && std::mem::replace(&mut seen[*i as usize], true) {
                *i = -1;
            }
        }
        idx = run.upload(&host)?;
    }
    let mut out = run.zeros(n)?;
    let config = LaunchConfig::for_num_elems(n);
    let time = run.time(|| run.launch(kernels::scatter_guard, config, (&x, &idx, &mut out)))?;
    run.outcome(time, run.checksum(Weighted, &out)?, || {
        let mut expected = vec![0.0; n];
        for (x, i) in x.to_vec()?.into_iter().zip(idx.to_vec()?) {
            if let Ok(i) = usize::try_from(i) {
                expected[i] = f64::from(x);
            }
        }
        Ok(Weighted.of(expected))
    })
}

pub(super) fn stencil_2d_5pt(run: &Runner) -> Result<Outcome> {
    let (nx, ny, alpha) = (run.size(12_000), run.size(11_000), 0.1);
    let input = run.uniform(nx * ny, 125, 0.0, 1.0)?;
    let mut out = run.zeros(nx * ny)?;
    let config = LaunchConfig::cover_2d((nx, ny), (32, 8));
    let time = run.time(|| {
        let arguments = (&input, out.matrix_mut(nx), alpha);
        run.launch(kernels::stencil_2d_5pt, config, arguments)
    })?;
    let checksum = run.checksum(Weighted, &out)? + run.checksum(Squares, &out)?;
    run.outcome(time, checksum, || {
        let input = input.to_vec()?;
        let out: Vec<f64> = (0..nx * ny)
            .map(|i| {
                let (x, y, at) = (i % nx, i / nx, |i: usize| f64::from(input[i]));
                if x == 0 || x == nx - 1 || y == 0 || y == ny - 1 {
                    return at(i);
                }
                let lap = at(i - 1) + at(i + 1) + at(i - nx) + at(i + nx) - 4.0 * at(i);
                at(i) + f64::from(alpha) * lap
            })
            .collect();
        Ok(Weighted.of(out.iter().copied()) + Squares.of(out))
    })
}

pub(super) fn conv2d_5x5(run: &Runner) -> Result<Outcome> {
    let (w, h) = (run.size(8200), run.size(8100));
    let input = run.uniform(w * h, 127, 0.0, 1.0)?;
    let mut out = run.zeros(w * h)?;
    let weights: [f32; 25] = std::array::from_fn(|k| inputs::uniform(k as u32, 128, 0.0, 0.08));
    run.set_weights(weights)?;
    let config = LaunchConfig::cover_2d((w, h), (32, 8));
    let time = run.time(|| {
        let arguments = (&input, out.matrix_mut(w));
        run.launch(kernels::conv2d_5x5, config, arguments)
    })?;
    run.outcome(time, run.checksum(Weighted, &out)?, || {
        let input = input.to_vec()?;
        Ok(Weighted.of((0..w * h).map(|i| {
            let (x, y) = ((i % w) as isize, (i / w) as isize);
            let mut acc = 0.0;
            for (k, weight) in weights.iter().enumerate() {
                let (xx, yy) = (x + k as isize % 5 - 2, y + k as isize / 5 - 2);
                if (0..w as isize).contains(&xx) && (0..h as isize).contains(&yy) {
                    acc += f64::from(*weight) * f64::from(input[yy as usize * w + xx as usize]);
                }
            }
            acc
        })))
    })
}
