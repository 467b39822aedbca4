//! A product of matrices of `bf16` by Hopper's matrix units.

use anyhow::Result;
use gpu_hopper::tensor::gemm_bf16::{
    COLUMNS, DEPTH, ROWS, SHARED_BYTES, THREADS, blocks, gemm_bf16,
};
use lanewise::tensor_map::{Swizzle, TensorMap, Tiles};
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};

use crate::{Case, Pattern, Setup, Size, Variant, Work, nvidia};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "gemm_bf16",
    chapter: "tensor",
    summary: "A B of bf16 by wgmma: tiles that the tensor memory accelerator brings, warps that do one thing each",
    source: "PTX ISA, Asynchronous Warpgroup Level Matrix Instructions; CUTLASS, Efficient GEMM in CUDA",
    size: Size {
        of: "rows and columns",
        is_square: true,
        default: 300,
        bench: Some(8192),
    },
    // The kernel is in its own module, for `sm_90a`.
    variants: &[Variant::on_the_host("gemm_bf16", prepare).beside(beside)],
};

/// The number of multiplications above which only every 61st row of the product is compared.
const LARGE: usize = 1 << 24;

/// Returns multiples of 1/4 from -4 to 4. `bf16` represents them exactly, and their products add up
/// in `f32` without rounding.
fn elements(count: usize, seed: u64) -> Vec<f32> {
    let element = |i: usize| {
        let mixed = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ seed.rotate_left(17));
        (mixed >> 40) as u32 % 33
    };
    (0..count).map(|i| element(i) as f32 / 4.0 - 4.0).collect()
}

/// Returns the bits of the elements as `bf16`. Rows of `columns` elements begin
/// `pitch` elements apart.
pub(crate) fn bits(elements: &[f32], columns: usize, pitch: usize) -> Vec<u16> {
    let mut all = vec![0; elements.len().checked_div(columns).unwrap_or(0) * pitch];
    for (i, element) in elements.iter().enumerate() {
        all[i / columns * pitch + i % columns] = (element.to_bits() >> 16) as u16;
    }
    all
}

/// Returns the left factor, and the transpose of the right factor. Both are row-major.
pub(crate) fn factors(setup: Setup) -> Result<([usize; 3], [Vec<f32>; 2])> {
    let (m, n, k) = setup.product()?;
    let seeds = [setup.seed, setup.seed.wrapping_add(1)];
    let factors = [elements(m * k, seeds[0]), elements(n * k, seeds[1])];
    Ok(([m, n, k], factors))
}

struct Gemm {
    shape: [usize; 3],
    /// The two factors, in rows of `pitch` elements.
    factors: [DeviceBuffer<u16>; 2],
    pitch: usize,
    product: DeviceBuffer<f32>,
    /// The distance between two rows that are compared.
    step: usize,
    expected: Vec<f32>,
}

pub(crate) fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let ([m, n, k], [a, b]) = factors(setup)?;
    // The hardware requires that rows begin at multiples of 16 bytes.
    let pitch = k.next_multiple_of(8);
    let step = if m * n * k > LARGE { 61 } else { 1 };
    let element = |i: usize, j: usize| -> f32 {
        let (row, column) = (&a[i * k..(i + 1) * k], &b[j * k..(j + 1) * k]);
        row.iter().zip(column).map(|(a, b)| a * b).sum()
    };
    let expected = || {
        let rows = (0..m).step_by(step);
        rows.flat_map(|i| (0..n).map(move |j| (i, j)))
            .map(|(i, j)| element(i, j))
            .collect()
    };
    let expected = setup.expected(expected);
    let upload = |factor: &[f32]| DeviceBuffer::from_slice(device, &bits(factor, k, pitch));
    let factors = [upload(&a)?, upload(&b)?];
    device.set_max_dynamic_shared(gemm_bf16, SHARED_BYTES)?;
    Ok(Box::new(Gemm {
        shape: [m, n, k],
        factors,
        pitch,
        product: DeviceBuffer::zeroed(device, m * n)?,
        step,
        expected,
    }))
}

impl Case for Gemm {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let [m, n, k] = self.shape;
        if m * n * k == 0 {
            return Ok(()); // no tensor map has an empty dimension, and no sum an element
        }
        let tiles = |rows: usize, of_tile: usize| {
            Tiles::new([k, rows], [DEPTH as u32, of_tile as u32])
                .strides(&[2 * self.pitch])
                .swizzle(Swizzle::B128)
        };
        let [a, b] = &self.factors;
        let (a, b) = (
            TensorMap::new(a, tiles(m, ROWS))?,
            TensorMap::new(b, tiles(n, COLUMNS))?,
        );
        let (m, n, k) = (u32::try_from(m)?, u32::try_from(n)?, u32::try_from(k)?);
        let config = LaunchConfig::new(blocks(m, n), THREADS).with_dynamic_shared(SHARED_BYTES);
        let arguments = (&a, &b, &mut self.product, m, n, k);
        Ok(stream.launch(gemm_bf16, config, arguments)?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let (got, n) = (self.product.to_vec()?, self.shape[1].max(1));
        let rows = got.chunks(n).step_by(self.step);
        let compared: Vec<f32> = rows.flatten().copied().collect();
        Ok(testing::equal(&compared, &self.expected))
    }

    fn work(&self) -> Work {
        let [m, n, k] = self.shape;
        Work::Flops(2 * (m * n * k) as u64)
    }
}

/// Returns the job that computes the product with cuBLAS.
pub(crate) fn beside(device: &Device, setup: Setup) -> Result<Box<dyn nvidia::Job>> {
    let ([m, n, k], [a, b]) = factors(setup)?;
    let [a, b] = [bits(&a, k, k), bits(&b, k, k)];
    nvidia::gemm_bf16(device, [m, n, k], [&a, &b])
}
