//! The matrix product of BLAS.

use anyhow::Result;
use gpu::algorithms::gemm::{
    THREADS, TILE, TILE_F64, gemm_register_tiled, gemm_register_tiled_f64,
};
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, Stream};

use super::precision::{Precision, numbers};
use super::{AlgorithmError, Floats, area, at_least, dot, side};
use crate::{Case, Pattern, Setup, Size, Variant, Work, nvidia};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "gemm",
    chapter: "algorithms",
    summary: "alpha A B + beta C with tiles in shared memory and in registers: 64 products for 16 loads",
    source: "Professional CUDA C Programming, chapter 8",
    size: Size {
        of: "rows and columns",
        is_square: true,
        default: 128,
        bench: Some(4096),
    },
    variants: &[
        Variant::new("gemm_register_tiled", prepare::<f32>).beside(beside::<f32>),
        Variant::new("gemm_register_tiled_f64", prepare::<f64>).beside(beside::<f64>),
    ],
};

/// The precisions of products.
pub trait Multiplies: Precision {
    /// Rows and columns of a block's tile.
    #[doc(hidden)]
    const TILE: usize;

    #[doc(hidden)]
    fn launch(
        stream: &Stream,
        config: LaunchConfig,
        arguments: Arguments<'_, Self>,
    ) -> Result<(), LaunchError>;
}

/// Both factors, the product, shape and factors.
type Arguments<'a, T> = (
    &'a DeviceBuffer<T>,
    &'a DeviceBuffer<T>,
    &'a mut DeviceBuffer<T>,
    [u32; 4],
    [T; 2],
);

macro_rules! multiplies {
    ($($real:ident $tile:ident $kernel:ident;)*) => {
        $(
            impl Multiplies for $real {
                const TILE: usize = $tile;

                fn launch(
                    stream: &Stream,
                    config: LaunchConfig,
                    arguments: Arguments<'_, Self>,
                ) -> Result<(), LaunchError> {
                    stream.launch($kernel, config, arguments)
                }
            }
        )*
    };
}

multiplies! {
    f32 TILE gemm_register_tiled;
    f64 TILE_F64 gemm_register_tiled_f64;
}

/// Queues `C = alpha A B + beta C`, where `A` is `m` by `k`, `B` is `k` by `n` and `C` is `m` by
/// `n`, all in row-major order. If `beta` is 0, the old contents of `C` are ignored.
///
/// # Errors
/// [`AlgorithmError::Length`] if a buffer is shorter than its shape; the error of the launch.
pub fn gemm<T: Multiplies>(
    stream: &Stream,
    factors: [T; 2],
    shape: [usize; 3],
    ab: [&DeviceBuffer<T>; 2],
    c: &mut DeviceBuffer<T>,
) -> Result<(), AlgorithmError> {
    gemm_batched(stream, factors, shape, ab, c, 1)
}

/// Queues `batch` products of one shape at once. The matrices follow one after another
/// in each buffer.
///
/// # Errors
/// As [`gemm`].
pub fn gemm_batched<T: Multiplies>(
    stream: &Stream,
    factors: [T; 2],
    [m, n, k]: [usize; 3],
    [a, b]: [&DeviceBuffer<T>; 2],
    c: &mut DeviceBuffer<T>,
    batch: usize,
) -> Result<(), AlgorithmError> {
    let all = |what, rows, columns| area(what, area(what, rows, columns)?, batch);
    at_least("A", a.len(), all("A", m, k)?)?;
    at_least("B", b.len(), all("B", k, n)?)?;
    at_least("C", c.len(), all("C", m, n)?)?;
    let shape = [
        side("m", m)?,
        side("n", n)?,
        side("k", k)?,
        side("the number of products", batch)?,
    ];
    let tiles = LaunchConfig::cover_2d((n, m), (T::TILE as u32, T::TILE as u32)).grid;
    // The grid has as many blocks along z as it may have, and the kernel loops over the rest.
    let grid = (tiles.x, tiles.y, batch.clamp(1, 65535) as u32);
    let config = LaunchConfig::new(grid, THREADS as u32);
    T::launch(stream, config, (a, b, c, shape, factors))?;
    Ok(())
}

/// `alpha` and `beta` of the case.
const FACTORS: [f64; 2] = [1.5, -0.5];

/// Makes both factors and the old product.
fn matrices<T: Precision>(setup: Setup, [m, n, k]: [usize; 3]) -> [Vec<T>; 3] {
    [
        numbers(m * k, setup.seed),
        numbers(k * n, setup.seed.wrapping_add(1)),
        numbers(m * n, setup.seed.wrapping_add(2)),
    ]
}

/// Prepares the same product by cuBLAS.
fn beside<T: Precision + nvidia::Number>(
    device: &Device,
    setup: Setup,
) -> Result<Box<dyn nvidia::Job>> {
    let (m, n, k) = setup.product()?;
    let [a, b, c] = matrices::<T>(setup, [m, n, k]);
    nvidia::gemm(device, FACTORS.map(T::rounded), [m, n, k], [&a, &b, &c])
}

fn prepare<T: Multiplies>(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let (m, n, k) = setup.product()?;
    let [a, b, start] = matrices::<T>(setup, [m, n, k]);
    let expected = || products([&a, &b, &start], [m, n, k], FACTORS);
    let expected = setup.expected(expected);

    let a = DeviceBuffer::from_slice(device, &a)?;
    let b = DeviceBuffer::from_slice(device, &b)?;
    let mut c = DeviceBuffer::zeroed(device, m * n)?;
    c.copy_from_slice(&start)?;
    let work = Work::Flops(2 * (m * n * k) as u64);
    let factors = FACTORS.map(T::rounded);
    Ok(Floats::boxed(c, expected, work, move |stream, c| {
        Ok(gemm(stream, factors, [m, n, k], [&a, &b], c)?)
    }))
}

// On the CPU.

/// Returns the value and the tolerance of each element. For a large product only every 61st row is
/// computed, and the others may have any value.
pub fn products<T: Precision>(
    [a, b, c]: [&[T]; 3],
    [m, n, k]: [usize; 3],
    [alpha, beta]: [f64; 2],
) -> Vec<(f64, f64)> {
    let step = if m * n * k > 1 << 24 { 61 } else { 1 };
    let element = |y: usize, x: usize| {
        if !y.is_multiple_of(step) {
            return (0.0, f64::INFINITY);
        }
        let (sum, tolerance) = dot((0..k).map(|e| (a[y * k + e], b[e * n + x])));
        let value = alpha * sum + beta * c[y * n + x].into();
        (value, 2.0 * tolerance + 4.0 * T::UNIT)
    };
    let places = (0..m).flat_map(|y| (0..n).map(move |x| (y, x)));
    places.map(|(y, x)| element(y, x)).collect()
}
