//! The data of [`crate::kernels::training`].

use anyhow::Result;
use lanewise::LaunchConfig;
use lanewise_std::vector::{Float2, Float4};

use crate::kernels::inputs;
use crate::kernels::low_precision::AdamW;
use crate::kernels::training as kernels;
use crate::measure::{Checksum::Squares, Checksum::Weighted, Outcome, Runner, Step};

/// The number of columns of the embeddings.
const COLS: usize = 768;
/// The number of heads, and the size of each.
const HEADS: (usize, usize) = (12, 64);

pub(super) fn embed_forward(run: &Runner) -> Result<Outcome> {
    let (count, len, words) = (run.size(131_072), run.size(1024), run.size(50_257));
    let tokens = run.below(count, 421, words)?;
    let of_token = run.uniform(words * COLS, 422, 0.0, 1.0)?;
    let of_position = run.uniform(len * COLS, 423, 0.0, 1.0)?;
    let mut out = run.zeros(count * COLS)?;
    let config = LaunchConfig::for_num_elems(out.len());
    let time = run.time(|| {
        let arguments = (
            &mut out,
            &tokens,
            &of_token,
            &of_position,
            len as u32,
            COLS as u32,
        );
        run.launch(kernels::embed_forward, config, arguments)
    })?;
    run.outcome(time, run.checksum(Weighted, &out)?, || {
        let (tokens, of_token) = (tokens.to_vec()?, of_token.to_vec()?);
        let of_position = of_position.to_vec()?;
        Ok(Weighted.of((0..count * COLS).map(|i| {
            let (at, c) = (i / COLS, i % COLS);
            let own = of_token[tokens[at] as usize * COLS + c];
            f64::from(own + of_position[at % len * COLS + c])
        })))
    })
}

pub(super) fn embed_backward(run: &Runner) -> Result<Outcome> {
    let (count, len, words) = (run.size(65_536), run.size(1024), run.size(50_257));
    let tokens = run.below(count, 424, words)?;
    let dout = run.uniform(count * COLS, 425, 0.0, 1.0)?;
    let (mut dtoken, mut dposition) = (
        run.zeros::<f32>(words * COLS)?,
        run.zeros::<f32>(len * COLS)?,
    );
    let config = LaunchConfig::for_num_elems(dout.len());
    let time = run.time_steps(|step| match step {
        Step::Restore => {
            dtoken.fill_zero()?;
            Ok(dposition.fill_zero()?)
        }
        Step::Launch => {
            let written = (&mut dtoken, &mut dposition);
            let arguments = (
                written.0,
                written.1,
                &dout,
                &tokens,
                len as u32,
                COLS as u32,
            );
            run.launch(kernels::embed_backward, config, arguments)
        }
    })?;
    let checksum = run.checksum(Weighted, &dtoken)? + run.checksum(Weighted, &dposition)?;
    run.outcome(time, checksum, || {
        let (mut of_token, mut of_position) = (vec![0.0; words * COLS], vec![0.0; len * COLS]);
        let (tokens, dout) = (tokens.to_vec()?, dout.to_vec()?);
        for (at, row) in dout.chunks(COLS).enumerate() {
            for (c, d) in row.iter().enumerate() {
                of_token[tokens[at] as usize * COLS + c] += f64::from(*d);
                of_position[at % len * COLS + c] += f64::from(*d);
            }
        }
        Ok(Weighted.of(of_token) + Weighted.of(of_position))
    })
}

pub(super) fn permute_heads(run: &Runner) -> Result<Outcome> {
    let (batch, len, (heads, size)) = (run.multiple(64, 2), run.size(1024), HEADS);
    let n = batch * len * heads * size;
    let input = run.uniform(3 * n, 426, 0.0, 1.0)?;
    let (mut q, mut k, mut v) = (run.zeros(n)?, run.zeros(n)?, run.zeros(n)?);
    let config = LaunchConfig::for_num_elems(n);
    let time = run.time(|| {
        let arguments = (&input, &mut q, &mut k, &mut v, len, heads, size);
        run.launch(kernels::permute_heads, config, arguments)
    })?;
    let checksum = run.checksum(Weighted, &q)?
        + 2.0 * run.checksum(Weighted, &k)?
        + 3.0 * run.checksum(Weighted, &v)?;
    run.outcome(time, checksum, || {
        let input = input.to_vec()?;
        Ok(Weighted.of((0..n).map(|i| {
            let (d, t) = (i % size, i / size % len);
            let (head, batch) = (i / (size * len) % heads, i / (size * len * heads));
            let part = |k: usize| {
                f64::from(input[(((batch * len + t) * 3 + k) * heads + head) * size + d])
            };
            part(0) + 2.0 * part(1) + 3.0 * part(2)
        })))
    })
}

pub(super) fn bias_gelu_forward(run: &Runner) -> Result<Outcome> {
    let (rows, cols) = (run.size(32_768), run.size(3072));
    let (x, residual) = (
        run.uniform(rows * cols, 427, -3.0, 6.0)?,
        run.uniform(rows * cols, 428, 0.0, 1.0)?,
    );
    let bias = run.uniform(cols, 429, -0.5, 1.0)?;
    let mut out = run.zeros(rows * cols)?;
    let config = LaunchConfig::for_num_elems(out.len());
    let time = run.time(|| {
        let arguments = (&mut out, &residual, &x, &bias, cols as u32);
        run.launch(kernels::bias_gelu_forward, config, arguments)
    })?;
    run.outcome(time, run.checksum(Weighted, &out)?, || {
        let (x, residual, bias) = (x.to_vec()?, residual.to_vec()?, bias.to_vec()?);
        Ok(Weighted.of((0..rows * cols).map(|i| {
            let v = f64::from(x[i] + bias[i % cols]);
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (v + 0.044_715 * v.powi(3));
            f64::from(residual[i]) + 0.5 * v * (1.0 + inner.tanh())
        })))
    })
}

pub(super) fn bias_gelu_backward(run: &Runner) -> Result<Outcome> {
    let (rows, cols) = (run.size(32_768), run.size(3072));
    let (x, dout) = (
        run.uniform(rows * cols, 430, -3.0, 6.0)?,
        run.uniform(rows * cols, 431, 0.0, 1.0)?,
    );
    let bias = run.uniform(cols, 432, -0.5, 1.0)?;
    let mut dx = run.zeros(rows * cols)?;
    let config = LaunchConfig::for_num_elems(dx.len());
    let time = run.time(|| {
        let arguments = (&mut dx, &dout, &x, &bias, cols as u32);
        run.launch(kernels::bias_gelu_backward, config, arguments)
    })?;
    run.outcome(time, run.checksum(Weighted, &dx)?, || {
        let (x, dout, bias) = (x.to_vec()?, dout.to_vec()?, bias.to_vec()?);
        Ok(Weighted.of((0..rows * cols).map(|i| {
            let v = f64::from(x[i] + bias[i % cols]);
            let scale = (2.0 / std::f64::consts::PI).sqrt();
            let tanh = (scale * (v + 0.044_715 * v.powi(3))).tanh();
            let slope = scale * (1.0 + 3.0 * 0.044_715 * v * v) * (1.0 - tanh * tanh);
            f64::from(dout[i]) * (0.5 * (1.0 + tanh) + 0.5 * v * slope)
        })))
    })
}

pub(super) fn rope(run: &Runner) -> Result<Outcome> {
    let (batch, len, (heads, size)) = (run.multiple(64, 2), run.size(1024), HEADS);
    let n = batch * len * heads * size;
    let mut x = run.zeros::<f32>(n)?;
    let config = LaunchConfig::for_num_elems(n / 2);
    let time = run.time_steps(|step| match step {
        Step::Restore => run.make(inputs::fill_f32, (&mut x, 433, 0.0, 1.0)),
        Step::Launch => {
            let mut pairs = x.as_vectors_mut::<Float2>()?;
            let arguments = (&mut pairs, len as u32, heads as u32, size as u32);
            run.launch(kernels::rope, config, arguments)
        }
    })?;
    run.outcome(time, run.checksum(Weighted, &x)?, || {
        Ok(Weighted.of((0..n / 2).flat_map(|i| {
            let (pair, t) = (i % (size / 2), i / (size / 2) / heads % len);
            let frequency = 10_000f64.powf(-2.0 * pair as f64 / size as f64);
            let (sin, cos) = (t as f64 * frequency).sin_cos();
            let x = |k: usize| f64::from(inputs::uniform((2 * i + k) as u32, 433, 0.0, 1.0));
            [x(0) * cos - x(1) * sin, x(0) * sin + x(1) * cos]
        })))
    })
}

pub(super) fn attention_scores(run: &Runner) -> Result<Outcome> {
    let (heads, len, size, scale) = (run.multiple(48, 2), run.size(512), HEADS.1, 0.125);
    let (q, k) = (
        run.uniform(heads * len * size, 434, 0.0, 1.0)?,
        run.uniform(heads * len * size, 435, 0.0, 1.0)?,
    );
    let mut scores = run.zeros(heads * len * len)?;
    let config = LaunchConfig::for_num_elems(scores.len());
    let time = run.time(|| {
        let arguments = (&q, &k, &mut scores, len as u32, size as u32, scale);
        run.launch(kernels::attention_scores, config, arguments)
    })?;
    run.outcome(time, run.checksum(Weighted, &scores)?, || {
        let (q, k) = (q.to_vec()?, k.to_vec()?);
        Ok(Weighted.of((0..heads * len * len).map(|i| {
            let (head, from, to) = (i / (len * len), i / len % len, i % len);
            if to > from {
                return -1e4;
            }
            let of = |x: &[f32], t: usize, d: usize| f64::from(x[(head * len + t) * size + d]);
            let product = |d: usize| of(&q, from, d) * of(&k, to, d);
            (0..size).map(product).sum::<f64>() * f64::from(scale)
        })))
    })
}

pub(super) fn bias_gradient(run: &Runner) -> Result<Outcome> {
    let (rows, cols) = (run.size(32_768), run.size(3072));
    let dout = run.uniform(rows * cols, 436, 0.0, 1.0)?;
    let mut dbias = run.zeros::<f32>(cols)?;
    let config = LaunchConfig::new((cols.div_ceil(32) as u32, 16), (32, 16));
    let time = run.time_steps(|step| match step {
        Step::Restore => Ok(dbias.fill_zero()?),
        Step::Launch => {
            let arguments = (&dout, &mut dbias, rows as u32, cols as u32);
            run.launch(kernels::bias_gradient, config, arguments)
        }
    })?;
    run.outcome(time, run.checksum(Weighted, &dbias)?, || {
        let dout = dout.to_vec()?;
        let column = |c: usize| {
            dout.iter()
                .skip(c)
                .step_by(cols)
                .map(|x| f64::from(*x))
                .sum()
        };
        Ok(Weighted.of((0..cols).map(column)))
    })
}

pub(super) fn adamw_float4(run: &Runner) -> Result<Outcome> {
    let n = run.multiple(1 << 26, 1028);
    let with = AdamW {
        lr: 1e-3,
        beta1: 0.9,
        beta2: 0.95,
        eps: 1e-8,
        decay: 0.1,
        correct1: 0.271,
        correct2: 0.142_625,
    };
    let grad = run.uniform(n, 437, -0.5, 1.5)?;
    let (mut param, mut m, mut v) = (
        run.zeros::<f32>(n)?,
        run.zeros::<f32>(n)?,
        run.zeros::<f32>(n)?,
    );
    let config = LaunchConfig::for_num_elems(n / 4);
    let time = run.time_steps(|step| match step {
        Step::Restore => {
            run.make(inputs::fill_f32, (&mut param, 438, -0.5, 2.0))?;
            run.make(inputs::fill_f32, (&mut m, 439, -0.25, 1.0))?;
            run.make(inputs::fill_f32, (&mut v, 440, 0.0, 1.0))
        }
        Step::Launch => {
            let grad = grad.as_vectors::<Float4>()?;
            let mut state = (
                param.as_vectors_mut::<Float4>()?,
                m.as_vectors_mut::<Float4>()?,
                v.as_vectors_mut::<Float4>()?,
            );
            let arguments = (&mut state.0, &grad, &mut state.1, &mut state.2, with);
            run.launch(kernels::adamw_float4, config, arguments)
        }
    })?;
    let checksum = run.checksum(Weighted, &param)?
        + run.checksum(Squares, &m)?
        + run.checksum(Weighted, &v)?;
    run.outcome(time, checksum, || {
        let (mut params, mut ms, mut vs) = (vec![], vec![], vec![]);
        for i in 0..n as u32 {
            let g = inputs::uniform(i, 437, -0.5, 1.5);
            let p = inputs::uniform(i, 438, -0.5, 2.0);
            let m = with.beta1 * inputs::uniform(i, 439, -0.25, 1.0) + (1.0 - with.beta1) * g;
            let v = with.beta2 * inputs::uniform(i, 440, 0.0, 1.0) + (1.0 - with.beta2) * g * g;
            let (m_hat, v_hat) = (m / with.correct1, v / with.correct2);
            let step = with.lr * (m_hat / (v_hat.sqrt() + with.eps) + with.decay * p);
            params.push(f64::from(p - step));
            ms.push(f64::from(m));
            vs.push(f64::from(v));
        }
        Ok(Weighted.of(params) + Squares.of(ms) + Weighted.of(vs))
    })
}
