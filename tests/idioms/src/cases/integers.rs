//! The data of [`crate::kernels::integers`].

use anyhow::Result;
use lanewise::LaunchConfig;

use crate::kernels::{inputs, integers as kernels};
use crate::measure::{Checksum::Plain, Checksum::Weighted, Outcome, Runner, Step};

pub(super) fn pcg_fill(run: &Runner) -> Result<Outcome> {
    let (n, blocks, seed) = (run.size(1 << 28), run.blocks(4096), 42u64);
    let mut out = run.zeros(n)?;
    let config = LaunchConfig::new(blocks, 256);
    let time = run.time(|| run.launch(kernels::pcg_fill, config, (&mut out, seed)))?;
    run.outcome(time, run.checksum(Weighted, &out)?, || {
        let step = |state: u64| {
            let state = state.wrapping_mul(6_364_136_223_846_793_005);
            state.wrapping_add(1_442_695_040_888_963_407)
        };
        let threads = blocks as usize * 256;
        let mut states: Vec<_> = (0..threads as u64).map(|t| step(seed + t)).collect();
        Ok(Weighted.of((0..n).map(|i| {
            let state = &mut states[i % threads];
            let old = std::mem::replace(state, step(*state));
            let x = (((old >> 18) ^ old) >> 27) as u32;
            f64::from(x.rotate_right((old >> 59) as u32) >> 8) / 16_777_216.0
        })))
    })
}

pub(super) fn mandelbrot_u8(run: &Runner) -> Result<Outcome> {
    let (w, h, max_iter) = (run.size(6000), run.size(5000), 255u32);
    let mut out = run.zeros::<u8>(w * h)?;
    let config = LaunchConfig::cover_2d((w, h), (16, 16));
    let time = run.time(|| {
        run.launch(
            kernels::mandelbrot_u8,
            config,
            (out.matrix_mut(w), max_iter),
        )
    })?;
    run.outcome(time, run.checksum(Weighted, &out)?, || {
        Ok(Weighted.of((0..w * h).map(|i| {
            let cx = -2.25 + 3.0 * (i % w) as f32 / w as f32;
            let cy = -1.25 + 2.5 * (i / w) as f32 / h as f32;
            let (mut zx, mut zy, mut it) = (0.0f32, 0.0f32, 0);
            // With the roundings of the device, which fuses products with sums.
            while it < max_iter && zx.mul_add(zx, zy * zy) <= 4.0 {
                (zx, zy) = (zx.mul_add(zx, -(zy * zy)) + cx, (2.0 * zx).mul_add(zy, cy));
                it += 1;
            }
            f64::from(it)
        })))
    })
}

pub(super) fn stream_compact(run: &Runner) -> Result<Outcome> {
    let (n, threshold) = (run.size(1 << 27), 300);
    let x = run.below(n, 182, 1000)?;
    let (mut out, mut count) = (run.zeros::<i32>(n)?, run.zeros::<i32>(1)?);
    let config = LaunchConfig::for_num_elems(n);
    let time = run.time_steps(|step| match step {
        Step::Restore => Ok(count.fill_zero()?),
        Step::Launch => {
            let arguments = (&x, &mut out, &mut count, threshold);
            run.launch(kernels::stream_compact, config, arguments)
        }
    })?;
    let kept = count.to_vec()?[0];
    let sum = if kept == 0 {
        0.0
    } else {
        let kept = run.upload(&out.to_vec()?[..kept as usize])?;
        run.checksum::<i32>(Plain, &kept)?
    };
    run.outcome(time, sum + f64::from(kept), || {
        let kept = x.to_vec()?.into_iter().filter(|x| *x < threshold);
        Ok(kept.map(|x| f64::from(x) + 1.0).sum())
    })
}

pub(super) fn histogram_256(run: &Runner) -> Result<Outcome> {
    let (n, blocks) = (run.size(1 << 28), run.blocks(1056));
    let mut x = run.zeros::<u8>(n)?;
    run.make(inputs::fill_u8, (&mut x, 183))?;
    let mut hist = run.zeros::<u32>(256)?;
    let config = LaunchConfig::new(blocks, 256);
    let time = run.time_steps(|step| match step {
        Step::Restore => Ok(hist.fill_zero()?),
        Step::Launch => run.launch(kernels::histogram_256, config, (&x, &mut hist)),
    })?;
    run.outcome(time, run.checksum::<u32>(Weighted, &hist)?, || {
        let mut counts = [0.0; 256];
        for x in x.to_vec()? {
            counts[x as usize] += 1.0;
        }
        Ok(Weighted.of(counts))
    })
}
