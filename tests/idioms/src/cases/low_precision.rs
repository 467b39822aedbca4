//! The data of [`crate::kernels::low_precision`].

use anyhow::Result;
use lanewise::{DeviceBuffer, LaunchConfig};
use lanewise_std::half::{Bf16, F16, F16x2};

use crate::kernels::inputs;
use crate::kernels::low_precision::{self as kernels, AdamW};
use crate::kernels::reductions::BLOCK;
use crate::measure::{Checksum::Weighted, Outcome, Runner, Step};

use super::reductions::by_block;

pub(super) fn axpy_half2(run: &Runner) -> Result<Outcome> {
    let (n, a) = (run.size(1 << 27), 1.5f32);
    let uniform = |seed: u32| -> Result<DeviceBuffer<F16x2>> {
        let mut out = run.zeros::<F16x2>(n)?;
        run.make(inputs::fill_f16x2, (&mut out, seed, 0.0, 1.0))?;
        Ok(out)
    };
    let (x, y) = (uniform(351)?, uniform(352)?);
    let mut out = run.zeros::<F16x2>(n)?;
    let config = LaunchConfig::for_num_elems(n);
    let time = run.time(|| run.launch(kernels::axpy_half2, config, (&x, &y, &mut out, a)))?;
    run.outcome(time, run.checksum(Weighted, &out)?, || {
        let pairs = x.to_vec()?.into_iter().zip(y.to_vec()?);
        let both = |pair: F16x2| {
            [pair.to_bits() as u16, (pair.to_bits() >> 16) as u16].map(F16::from_bits)
        };
        let sums = pairs.flat_map(|(x, y)| {
            let (x, y) = (both(x), both(y));
            [0, 1].map(|k| {
                let sum = a.mul_add(x[k].to_f32(), y[k].to_f32());
                f64::from(F16::from_f32(sum).to_f32())
            })
        });
        Ok(Weighted.of(sums))
    })
}

pub(super) fn bf16_row_sum(run: &Runner) -> Result<Outcome> {
    let (rows, cols) = (run.size(65_536), run.size(8000));
    let mut x = run.zeros::<Bf16>(rows * cols)?;
    run.make(inputs::fill_bf16, (&mut x, 353, -0.5, 1.5))?;
    let mut out = run.zeros::<f32>(rows)?;
    let config = LaunchConfig::new(rows as u32, BLOCK as u32);
    let time =
        run.time(|| run.launch(kernels::bf16_row_sum, config, (&x, &mut out, cols as u32)))?;
    run.outcome(time, run.checksum(Weighted, &out)?, || {
        let x = x.to_vec()?;
        let sum = |row: &[Bf16]| row.iter().map(|x| f64::from(x.to_f32())).sum();
        Ok(Weighted.of(x.chunks(cols).map(sum)))
    })
}

pub(super) fn float4_scale(run: &Runner) -> Result<Outcome> {
    let (n, a) = (run.multiple(1 << 27, 4) + 3, 1.25);
    let x = run.uniform(n, 354, 0.0, 1.0)?;
    let mut y = run.zeros::<f32>(n)?;
    let config = LaunchConfig::for_num_elems(n / 4 + 1);
    let time = run.time(|| run.launch(kernels::float4_scale, config, (&x, &mut y, a)))?;
    run.outcome(time, run.checksum(Weighted, &y)?, || {
        Ok(Weighted.of(x.to_vec()?.into_iter().map(|x| f64::from(a * x))))
    })
}

pub(super) fn dot_i8_dp4a(run: &Runner) -> Result<Outcome> {
    let (n, blocks) = (run.size(1 << 27), run.blocks(1056));
    let words = |seed: u32| -> Result<DeviceBuffer<[i8; 4]>> {
        let mut out = run.zeros::<[i8; 4]>(n)?;
        run.make(inputs::fill_bytes, (&mut out, seed))?;
        Ok(out)
    };
    let (a, b) = (words(355)?, words(356)?);
    let mut partial = run.zeros::<i32>(blocks as usize)?;
    let config = LaunchConfig::new(blocks, BLOCK as u32);
    let time = run.time(|| run.launch(kernels::dot_i8_dp4a, config, (&a, &b, &mut partial)))?;
    run.outcome(time, run.checksum::<i32>(Weighted, &partial)?, || {
        let (a, b) = (a.to_vec()?, b.to_vec()?);
        let dot = |k: usize| -> i32 {
            a[k].iter()
                .zip(b[k])
                .map(|(a, b)| i32::from(*a) * i32::from(b))
                .sum()
        };
        let dots: Vec<i32> = (0..n).map(dot).collect();
        let parts = by_block(&dots, blocks as usize);
        let sums = parts
            .iter()
            .map(|part| part.iter().map(|(_, x)| f64::from(*x)).sum());
        Ok(Weighted.of(sums))
    })
}

pub(super) fn adamw_step(run: &Runner) -> Result<Outcome> {
    let n = run.size(1 << 26);
    let with = AdamW {
        lr: 1e-3,
        beta1: 0.9,
        beta2: 0.999,
        eps: 1e-8,
        decay: 0.01,
        correct1: 0.1,
        correct2: 0.01,
    };
    let grad = run.uniform(n, 358, -0.5, 1.5)?;
    let mut param = run.zeros::<f32>(n)?;
    let (mut m, mut v) = (run.zeros::<f32>(n)?, run.zeros::<f32>(n)?);
    let mut param16 = run.zeros::<Bf16>(n)?;
    let config = LaunchConfig::for_num_elems(n);
    let time = run.time_steps(|step| match step {
        Step::Restore => {
            run.make(inputs::fill_f32, (&mut param, 359, -0.5, 2.0))?;
            run.make(inputs::fill_f32, (&mut m, 360, -0.25, 1.0))?;
            run.make(inputs::fill_f32, (&mut v, 361, 0.0, 1.0))
        }
        Step::Launch => {
            let state = (&mut param, &mut m, &mut v, &mut param16);
            let arguments = (state.0, &grad, state.1, state.2, state.3, with);
            run.launch(kernels::adamw_step, config, arguments)
        }
    })?;
    let checksum = run.checksum(Weighted, &param)?
        + run.checksum(Weighted, &m)?
        + run.checksum(Weighted, &v)?
        + run.checksum(Weighted, &param16)?;
    run.outcome(time, checksum, || {
        let steps = (0..n as u32).map(|i| {
            let g = inputs::uniform(i, 358, -0.5, 1.5);
            let mut p = inputs::uniform(i, 359, -0.5, 2.0);
            let m = with.beta1 * inputs::uniform(i, 360, -0.25, 1.0) + (1.0 - with.beta1) * g;
            let v = with.beta2 * inputs::uniform(i, 361, 0.0, 1.0) + (1.0 - with.beta2) * g * g;
            let (m_hat, v_hat) = (m / with.correct1, v / with.correct2);
            p -= with.lr * (m_hat / (v_hat.sqrt() + with.eps) + with.decay * p);
            [p, m, v, Bf16::from_f32(p).to_f32()]
                .into_iter()
                .map(f64::from)
                .sum()
        });
        Ok(Weighted.of(steps))
    })
}
