//! The data of [`crate::kernels::maths`].

use anyhow::Result;
use lanewise::LaunchConfig;

use crate::kernels::{inputs, maths};
use crate::measure::{Checksum::Weighted, Outcome, Runner};

pub(super) fn gelu_tanh(run: &Runner) -> Result<Outcome> {
    let n = run.size(1 << 27);
    let x = run.uniform(n, 101, -3.0, 7.0)?;
    let mut y = run.zeros(n)?;
    let config = LaunchConfig::for_num_elems(n);
    let time = run.time(|| run.launch(maths::gelu_tanh, config, (&x, &mut y)))?;
    run.outcome(time, run.checksum(Weighted, &y)?, || {
        Ok(Weighted.of(x.to_vec()?.into_iter().map(|v| {
            let v = f64::from(v);
            0.5 * v * (1.0 + (0.797_884_560_8 * (v + 0.044715 * v * v * v)).tanh())
        })))
    })
}

pub(super) fn swiglu(run: &Runner) -> Result<Outcome> {
    let n = run.size(1 << 27);
    let (gate, up) = (
        run.uniform(n, 102, -3.0, 7.0)?,
        run.uniform(n, 103, -1.0, 3.0)?,
    );
    let mut out = run.zeros(n)?;
    let config = LaunchConfig::for_num_elems(n);
    let time = run.time(|| run.launch(maths::swiglu, config, (&gate, &up, &mut out)))?;
    run.outcome(time, run.checksum(Weighted, &out)?, || {
        let pairs = gate.to_vec()?.into_iter().zip(up.to_vec()?);
        Ok(Weighted.of(pairs.map(|(g, up)| {
            let g = f64::from(g);
            g / (1.0 + (-g).exp()) * f64::from(up)
        })))
    })
}

pub(super) fn exp_log_pow(run: &Runner) -> Result<Outcome> {
    let (n, power) = (run.size(1 << 27), 1.7f32);
    let x = run.uniform(n, 104, 0.125, 4.0)?;
    let mut y = run.zeros(n)?;
    let config = LaunchConfig::for_num_elems(n);
    let time = run.time(|| run.launch(maths::exp_log_pow, config, (&x, &mut y, power)))?;
    run.outcome(time, run.checksum(Weighted, &y)?, || {
        Ok(Weighted.of(x.to_vec()?.into_iter().map(|v| {
            let v = f64::from(v);
            (-v).exp() + v.ln_1p() * v.powf(f64::from(power))
        })))
    })
}

pub(super) fn black_scholes_f64(run: &Runner) -> Result<Outcome> {
    let n = run.size(1 << 25);
    let uniform = |seed: u32, low: f64, width: f64| -> Result<_> {
        let mut out = run.zeros::<f64>(n)?;
        run.make(inputs::fill_f64, (&mut out, seed, low, width))?;
        Ok(out)
    };
    let price = uniform(105, 5.0, 25.0)?;
    let strike = uniform(106, 1.0, 99.0)?;
    let years = uniform(107, 0.25, 9.75)?;
    let (mut call, mut put) = (run.zeros(n)?, run.zeros(n)?);
    let (rate, vol) = (0.02, 0.30);
    let config = LaunchConfig::for_num_elems(n);
    let time = run.time(|| {
        let outputs = (&mut call, &mut put);
        let arguments = (&price, &strike, &years, outputs.0, outputs.1, rate, vol);
        run.launch(maths::black_scholes_f64, config, arguments)
    })?;
    let checksum = run.checksum(Weighted, &call)? + run.checksum(Weighted, &put)?;
    run.outcome(time, checksum, || {
        let (price, strike, years) = (price.to_vec()?, strike.to_vec()?, years.to_vec()?);
        let prices = (0..n).map(|i| {
            let (s, k, t) = (price[i], strike[i], years[i]);
            let sd = vol * t.sqrt();
            let d1 = ((s / k).ln() + (rate + 0.5 * vol * vol) * t) / sd;
            let normal = |d: f64| 0.5 * libm::erfc(-d / std::f64::consts::SQRT_2);
            let (n1, n2) = (normal(d1), normal(d1 - sd));
            let discounted = k * (-rate * t).exp();
            (s * n1 - discounted * n2) + (discounted * (1.0 - n2) - s * (1.0 - n1))
        });
        Ok(Weighted.of(prices))
    })
}

pub(super) fn special_mix(run: &Runner) -> Result<Outcome> {
    let n = run.size(1 << 26);
    let (a, b) = (
        run.uniform(n, 110, -2.0, 6.0)?,
        run.uniform(n, 111, -1.0, 4.0)?,
    );
    let mut out = run.zeros(n)?;
    let config = LaunchConfig::for_num_elems(n);
    let time = run.time(|| run.launch(maths::special_mix, config, (&a, &b, &mut out)))?;
    run.outcome(time, run.checksum(Weighted, &out)?, || {
        let pairs = a.to_vec()?.into_iter().zip(b.to_vec()?);
        Ok(Weighted.of(pairs.map(|(p, q)| {
            let (p, q) = (f64::from(p), f64::from(q));
            let cdf = 0.5 * (1.0 + libm::erf(p / std::f64::consts::SQRT_2));
            cdf + q.tanh() * p.cbrt() + p.hypot(q)
        })))
    })
}
