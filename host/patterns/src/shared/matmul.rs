//! Matrix multiplication through tiles in shared memory.

use anyhow::Result;
use gpu::shared::matmul::{matmul_naive, matmul_shared};
use lanewise::testing::{self, Agreement, Expected, Mismatch};
use lanewise::{Arguments, Device, DeviceBuffer, LaunchConfig, Matrix, MatrixMut, Stream};
use lanewise_std::kernel::SafeKernel;

use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "matmul",
    chapter: "shared",
    summary: "each element is loaded once for a whole tile of results",
    source: "CUDA C++ Programming Guide, Shared Memory",
    size: Size {
        of: "rows and columns",
        is_square: true,
        default: 256,
        bench: Some(4096),
    },
    variants: &[
        Variant::new("matmul_naive", |device, setup| {
            Matmul::prepare(device, setup, matmul_naive, 16)
        }),
        Variant::new("matmul_shared_16", |device, setup| {
            Matmul::prepare(device, setup, matmul_shared::<16>, 16)
        }),
        Variant::new("matmul_shared_32", |device, setup| {
            Matmul::prepare(device, setup, matmul_shared::<32>, 32)
        }),
    ],
};

/// The number of multiplications above which the CPU checks only a sample. All of them
/// would take minutes.
const CHECK_ALL: usize = 1 << 26;

/// The number of elements in such a sample.
const SAMPLE: usize = 4096;

struct Matmul<K> {
    kernel: K,
    config: LaunchConfig,
    shape: (usize, usize, usize),
    host: (Vec<f32>, Vec<f32>),
    a: DeviceBuffer<f32>,
    b: DeviceBuffer<f32>,
    c: DeviceBuffer<f32>,
}

impl<K: SafeKernel> Matmul<K>
where
    for<'a> (Matrix<'a, f32>, Matrix<'a, f32>, MatrixMut<'a, f32>): Arguments<K::Params>,
{
    fn prepare(device: &Device, setup: Setup, kernel: K, block: u32) -> Result<Box<dyn Case>> {
        let (m, n, k) = setup.product()?;
        let (a, b) = (
            input::floats(m * k, setup.seed),
            input::floats(k * n, setup.seed ^ 1),
        );
        Ok(Box::new(Self {
            kernel,
            config: LaunchConfig::cover_2d((n, m), (block, block)),
            shape: (m, n, k),
            a: DeviceBuffer::from_slice(device, &a)?,
            b: DeviceBuffer::from_slice(device, &b)?,
            c: DeviceBuffer::zeroed(device, m * n)?,
            host: (a, b),
        }))
    }

    /// Returns the expected product, or the expected values of a sample of its elements.
    fn expected(&self) -> Vec<Expected> {
        let ((m, n, k), (a, b)) = (self.shape, &self.host);
        if m * n * k <= CHECK_ALL {
            return matmul(a, b, self.shape);
        }
        // Odd strides through a prime's multiples reach every row, column and tile position.
        let spread = |i: usize| (i * 7919) % (m * n);
        (0..SAMPLE)
            .map(spread)
            .map(|i| element(a, b, (n, k), (i / n, i % n)))
            .collect()
    }
}

impl<K: SafeKernel> Case for Matmul<K>
where
    for<'a> (Matrix<'a, f32>, Matrix<'a, f32>, MatrixMut<'a, f32>): Arguments<K::Params>,
{
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let Self {
            kernel,
            config,
            shape: (_, n, k),
            a,
            b,
            c,
            ..
        } = self;
        let arguments = (a.matrix(*k), b.matrix(*n), c.matrix_mut(*n));
        Ok(stream.launch(*kernel, *config, arguments)?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        Ok(testing::within(&self.c.to_vec()?, self.expected()))
    }

    fn work(&self) -> Work {
        let (m, n, k) = self.shape;
        Work::Flops(2 * m as u64 * n as u64 * k as u64)
    }
}

// On the CPU: in double precision, with a bound on what single precision may differ by.

/// Returns element (`row`, `column`) of the product of `a` (`m` x `k`) and `b` (`k` x `n`), both
/// row-major, with the error that a single-precision kernel may make.
///
/// The bound is as follows. A sum of `k` products, each fused or rounded once and added in any
/// order, has an error of at most `k u / (1 - k u)` times the sum of the products' magnitudes.
/// `u = 2^-24` is half a unit in the last place of an f32 (N. J. Higham, "Accuracy and Stability of
/// Numerical Algorithms", section 3.1). One `u` more is for the product's own rounding.
pub fn element(
    a: &[f32],
    b: &[f32],
    (n, k): (usize, usize),
    (row, column): (usize, usize),
) -> Expected {
    let (mut value, mut magnitude) = (0.0, 0.0);
    for i in 0..k {
        let product = f64::from(a[row * k + i]) * f64::from(b[i * n + column]);
        value += product;
        magnitude += product.abs();
    }
    let unit = (k + 1) as f64 * 2f64.powi(-24);
    Expected {
        index: row * n + column,
        value,
        tolerance: unit / (1.0 - unit) * magnitude,
    }
}

/// Returns every element of the `m` x `n` product.
pub fn matmul(a: &[f32], b: &[f32], (m, n, k): (usize, usize, usize)) -> Vec<Expected> {
    (0..m)
        .flat_map(|row| (0..n).map(move |column| element(a, b, (n, k), (row, column))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_product_is_the_textbooks() {
        let (a, b) = (
            [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            [7.0, 8.0, 9.0, 10.0, 11.0, 12.0],
        );
        let values: Vec<f64> = matmul(&a, &b, (2, 2, 3))
            .iter()
            .map(|expected| expected.value)
            .collect();
        assert_eq!(values, [58.0, 64.0, 139.0, 154.0]);
    }

    #[test]
    fn an_empty_inner_dimension_gives_exact_zeroes() {
        assert!(
            matmul(&[], &[], (2, 3, 0))
                .iter()
                .all(|expected| expected.value == 0.0 && expected.tolerance == 0.0)
        );
    }
}
