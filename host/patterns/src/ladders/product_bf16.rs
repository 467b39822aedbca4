//! The product of matrices of `bf16`, from a thread for each element to the tensor cores.

use anyhow::Result;
use gpu::ladders::product_bf16::{
    MMA_TILE, TILE, product_bf16_mma, product_bf16_naive, product_bf16_shared,
};
use lanewise::{Arguments, Device, DeviceBuffer, LaunchConfig, Matrix, MatrixMut, Stream};
use lanewise_std::half::Bf16x2;
use lanewise_std::kernel::SafeKernel;
use lanewise_std::vector::UInt4;

use crate::algorithms::Floats;
use crate::tensor::gemm_bf16;
use crate::{Case, Pattern, Setup, Size, Variant, Work};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "product_bf16",
    chapter: "ladders",
    summary: "A B of bf16: a thread for each element, shared tiles, tensor cores by mma and by wgmma",
    source: "PTX ISA, Warp Level Matrix Multiply-Accumulate Instructions",
    size: Size {
        of: "rows and columns",
        is_square: true,
        default: 128,
        bench: Some(4096),
    },
    variants: &[
        Variant::new("product_bf16_naive", |device, setup| {
            prepare_tiles(device, setup, product_bf16_naive, 16)
        }),
        Variant::new("product_bf16_shared", |device, setup| {
            prepare_tiles(device, setup, product_bf16_shared, TILE as u32)
        }),
        Variant::new("product_bf16_mma", |device, setup| {
            let Factors {
                shape: [m, n, _],
                a,
                b,
                pairs,
                expected,
            } = Factors::new(device, setup)?;
            let grid = LaunchConfig::cover_2d((n, m), (MMA_TILE as u32, MMA_TILE as u32)).grid;
            let config = LaunchConfig::new(grid, (4, 32));
            fill(device, setup, expected, move |stream, c| {
                let words = [a.cast::<u32>(), b.cast::<u32>()];
                let (a, b) = (
                    words[0].as_vectors::<UInt4>()?,
                    words[1].as_vectors::<UInt4>()?,
                );
                let arguments = (a.matrix(pairs / 4), b.matrix(pairs / 4), c.matrix_mut(n));
                Ok(stream.launch(product_bf16_mma, config, arguments)?)
            })
        }),
        // The kernel of `gemm_bf16`, at the size of this ladder.
        Variant::on_the_host("product_bf16_wgmma", gemm_bf16::prepare).beside(gemm_bf16::beside),
    ],
};

/// Both factors on the device, in rows of pairs, and the CPU's product.
struct Factors {
    shape: [usize; 3],
    a: DeviceBuffer<Bf16x2>,
    b: DeviceBuffer<Bf16x2>,
    /// The pairs of a row, filled up by zeros to vectors of four. A row has at least one vector.
    pairs: usize,
    /// Values and tolerances.
    expected: Vec<(f64, f64)>,
}

impl Factors {
    fn new(device: &Device, setup: Setup) -> Result<Self> {
        let (shape, [a, b]) = gemm_bf16::factors(setup)?;
        let [m, n, k] = shape;
        let expected = setup.expected(|| products([&a, &b], shape));
        let pairs = 4 * k.div_ceil(8).max(1);
        let upload = |factor: &[f32], rows: usize| {
            let mut bits = gemm_bf16::bits(factor, k, 2 * pairs);
            bits.resize(rows * 2 * pairs, 0);
            let pair =
                |pair: &[u16; 2]| Bf16x2::from_bits(u32::from(pair[1]) << 16 | u32::from(pair[0]));
            let (both, _) = bits.as_chunks();
            DeviceBuffer::from_slice(device, &both.iter().map(pair).collect::<Vec<_>>())
        };
        let (a, b) = (upload(&a, m)?, upload(&b, n)?);
        Ok(Self {
            shape,
            a,
            b,
            pairs,
            expected,
        })
    }
}

/// Prepares a kernel with a thread for each element, in square blocks.
fn prepare_tiles<K: SafeKernel + 'static>(
    device: &Device,
    setup: Setup,
    kernel: K,
    side: u32,
) -> Result<Box<dyn Case>>
where
    for<'a> (Matrix<'a, Bf16x2>, Matrix<'a, Bf16x2>, MatrixMut<'a, f32>): Arguments<K::Params>,
{
    let Factors {
        shape: [m, n, _],
        a,
        b,
        pairs,
        expected,
    } = Factors::new(device, setup)?;
    let config = LaunchConfig::cover_2d((n, m), (side, side));
    fill(device, setup, expected, move |stream, c| {
        let arguments = (a.matrix(pairs), b.matrix(pairs), c.matrix_mut(n));
        Ok(stream.launch(kernel, config, arguments)?)
    })
}

/// Makes the case of a launch that fills the product.
fn fill(
    device: &Device,
    setup: Setup,
    expected: Vec<(f64, f64)>,
    mut launch: impl FnMut(&Stream, &mut DeviceBuffer<f32>) -> Result<()> + 'static,
) -> Result<Box<dyn Case>> {
    let (m, n, k) = setup.product()?;
    let c = DeviceBuffer::zeroed(device, m * n)?;
    let work = Work::Flops(2 * (m * n * k) as u64);
    Ok(Floats::boxed(c, expected, work, move |stream, c| {
        launch(stream, c)
    }))
}

// On the CPU.

/// Returns each element of the product, which is exact: the factors are few multiples of 1/4. For a
/// large product only every 61st row is computed, and the others may have any value.
pub fn products([a, b]: [&[f32]; 2], [m, n, k]: [usize; 3]) -> Vec<(f64, f64)> {
    let step = if m * n * k > 1 << 24 { 61 } else { 1 };
    let element = |y: usize, x: usize| {
        if !y.is_multiple_of(step) {
            return (0.0, f64::INFINITY);
        }
        let products = a[y * k..][..k]
            .iter()
            .zip(&b[x * k..][..k])
            .map(|(a, b)| a * b);
        (f64::from(products.sum::<f32>()), 0.0)
    };
    (0..m)
        .flat_map(|y| (0..n).map(move |x| element(y, x)))
        .collect()
}
