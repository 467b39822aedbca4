//! One element a thread, with mathematical functions.

use lanewise_macros::kernel;
use lanewise_std::math::Float;
use lanewise_std::{DisjointSlice, thread};

/// The activation GELU, by its approximation with a hyperbolic tangent.
#[kernel]
#[launch_contract(dims = 1)]
pub fn gelu_tanh(x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(y) = y.get_mut(&i) {
        let v = x[i.get()];
        let inner = 0.797_884_6 * (v + 0.044715 * v * v * v);
        *y = 0.5 * v * (1.0 + inner.tanh());
    }
}

/// The activation SwiGLU: `gate`, times its own logistic function, times `up`.
#[kernel]
#[launch_contract(dims = 1)]
pub fn swiglu(gate: &[f32], up: &[f32], mut out: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(&i) {
        let g = gate[i.get()];
        let sigmoid = 1.0 / (1.0 + (-g).exp());
        *out = g * sigmoid * up[i.get()];
    }
}

/// `exp(-v) + ln(1 + v) v^power` of each element.
#[kernel]
#[launch_contract(dims = 1)]
pub fn exp_log_pow(x: &[f32], mut y: DisjointSlice<f32>, power: f32) {
    let i = thread::index_1d();
    if let Some(y) = y.get_mut(&i) {
        let v = x[i.get()];
        *y = (-v).exp() + (1.0 + v).ln() * v.powf(power);
    }
}

/// Prices of European options by the formula of Black and Scholes.
#[kernel]
#[launch_contract(dims = 1)]
pub fn black_scholes_f64(
    price: &[f64],
    strike: &[f64],
    years: &[f64],
    mut call: DisjointSlice<f64>,
    mut put: DisjointSlice<f64>,
    rate: f64,
    vol: f64,
) {
    let i = thread::index_1d();
    let (Some(call), Some(put)) = (call.get_mut(&i), put.get_mut(&i)) else {
        return;
    };
    let (s, k, t) = (price[i.get()], strike[i.get()], years[i.get()]);
    let sd = vol * t.sqrt();
    let d1 = ((s / k).ln() + (rate + 0.5 * vol * vol) * t) / sd;
    let d2 = d1 - sd;
    let normal = |d: f64| 0.5 * (-d * core::f64::consts::FRAC_1_SQRT_2).erfc();
    let (n1, n2) = (normal(d1), normal(d2));
    let discounted = k * (-rate * t).exp();
    *call = s * n1 - discounted * n2;
    *put = discounted * (1.0 - n2) - s * (1.0 - n1);
}

/// `0.5 (1 + erf(p / sqrt 2)) + tanh(q) cbrt(p) + hypot(p, q)`.
#[kernel]
#[launch_contract(dims = 1)]
pub fn special_mix(a: &[f32], b: &[f32], mut out: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(&i) {
        let (p, q) = (a[i.get()], b[i.get()]);
        let cdf = 0.5 * (1.0 + (p * core::f32::consts::FRAC_1_SQRT_2).erf());
        *out = cdf + q.tanh() * p.cbrt() + p.hypot(q);
    }
}
