//! A product of matrices, as BLAS has it.

use anyhow::Result;
use gpu::algorithms::gemm::{THREADS, TILE, gemm_register_tiled};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};

use super::{AlgorithmError, Floats, area, at_least, dot, side};
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "gemm",
    chapter: "algorithms",
    summary: "alpha A B + beta C with tiles in shared memory and in registers: 64 products for 16 loads",
    source: "CUDA study notes, chapter 8",
    size: Size {
        of: "rows and columns",
        default: 128,
        bench: Some(4096),
    },
    variants: &[Variant::new("gemm_register_tiled", prepare)],
};

/// `C = alpha A B + beta C`, where `A` is `m` by `k`, `B` is `k` by `n` and `C` is `m` by `n`, row after row. Where `beta` is 0, what is in `C` does not matter.
///
/// # Errors
/// [`AlgorithmError::Length`] when a buffer is shorter than the shape says; the launch's.
pub fn gemm(
    device: &Device,
    stream: &Stream,
    [alpha, beta]: [f32; 2],
    [m, n, k]: [usize; 3],
    [a, b]: [&DeviceBuffer<f32>; 2],
    c: &mut DeviceBuffer<f32>,
) -> Result<(), AlgorithmError> {
    at_least("A", a.len(), area("A", m, k)?)?;
    at_least("B", b.len(), area("B", k, n)?)?;
    at_least("C", c.len(), area("C", m, n)?)?;
    let shape = [side("m", m)?, side("n", n)?, side("k", k)?];
    let tiles = LaunchConfig::cover_2d((n, m), (TILE as u32, TILE as u32)).grid;
    let config = LaunchConfig::new(tiles, THREADS as u32);
    device.launch(
        stream,
        gemm_register_tiled,
        config,
        (a, b, c, shape, [alpha, beta]),
    )?;
    Ok(())
}

fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let (m, n, k) = setup.product()?;
    let (alpha, beta) = (1.5, -0.5);
    let (a, b, start) = (
        input::floats(m * k, setup.seed),
        input::floats(k * n, setup.seed.wrapping_add(1)),
        input::floats(m * n, setup.seed.wrapping_add(2)),
    );
    let expected = || products([&a, &b, &start], [m, n, k], [alpha, beta]);
    let expected = setup.expected(expected);

    let a = DeviceBuffer::from_slice(device, &a)?;
    let b = DeviceBuffer::from_slice(device, &b)?;
    let mut c = DeviceBuffer::zeroed(device, m * n)?;
    c.copy_from_slice(&start)?;
    let (device, work) = (device.clone(), Work::Flops(2 * (m * n * k) as u64));
    Ok(Floats::boxed(c, expected, work, move |stream, c| {
        Ok(gemm(
            &device,
            stream,
            [alpha, beta],
            [m, n, k],
            [&a, &b],
            c,
        )?)
    }))
}

// On the CPU.

/// Each element, and how far off it may be; of a large product, those of every 61st row, and anything for the others.
pub fn products(
    [a, b, c]: [&[f32]; 3],
    [m, n, k]: [usize; 3],
    [alpha, beta]: [f32; 2],
) -> Vec<(f64, f64)> {
    let step = if m * n * k > 1 << 24 { 61 } else { 1 };
    let element = |y: usize, x: usize| {
        if !y.is_multiple_of(step) {
            return (0.0, f64::INFINITY);
        }
        let (sum, tolerance) = dot((0..k).map(|e| (a[y * k + e], b[e * n + x])));
        let value = f64::from(alpha) * sum + f64::from(beta) * f64::from(c[y * n + x]);
        (value, 2.0 * tolerance + 1e-6)
    };
    let places = (0..m).flat_map(|y| (0..n).map(move |x| (y, x)));
    places.map(|(y, x)| element(y, x)).collect()
}
