//! A product of matrices by register tiles, compared with the CPU and with `nalgebra`.

use lanewise::DeviceBuffer;
use lanewise_patterns::Setup;
use lanewise_patterns::algorithms::gemm::{Multiplies, gemm, gemm_batched};
use lanewise_patterns::algorithms::precision::Precision;
use nalgebra::{DMatrix, RealField};
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::ptx;
use tests::sizes::{cases, matrix};

use super::{Bench, assert_close, numbers, text};

const KERNELS: [&str; 2] = ["gemm_register_tiled", "gemm_register_tiled_f64"];

fn product(columns: usize, rows: usize, inner: usize, seed: u64) -> Setup {
    Setup {
        inner: Some(inner),
        ..matrix(columns, rows, seed)
    }
}

#[test]
fn products_agree_with_the_cpu_at_every_edge() {
    for (columns, rows, inner) in [
        (0, 3, 3),
        (1, 1, 0),
        (1, 1, 1),
        (129, 7, 9),
        (127, 130, 17),
        (132, 64, 24),
    ] {
        for variant in KERNELS {
            assert_agrees(variant, product(columns, rows, inner, 1));
        }
    }
}

proptest! {
    #![proptest_config(cases(5))]

    #[test]
    fn products_agree_with_the_cpu(columns in 0usize..150, rows in 0usize..150, inner in 0usize..40, seed: u64) {
        for variant in KERNELS {
            prop_assert_eq!(agrees(variant, product(columns, rows, inner, seed)), Ok(()));
        }
    }
}

/// Products of several pairs at once, inside a tile and over its edge, as nalgebra computes them.
fn batches<T: Multiplies + RealField>() {
    let bench = Bench::new();
    let [alpha, beta] = [1.5, -0.5].map(<T as Precision>::rounded);
    for (m, n, k, batch) in [(5, 7, 3, 3), (64, 64, 16, 2), (65, 130, 21, 2)] {
        let (a, b, c) = (
            numbers::<T>(m * k * batch, 1),
            numbers::<T>(k * n * batch, 2),
            numbers::<T>(m * n * batch, 3),
        );
        let mut found = bench.buffer(&c);
        let factors = [&bench.buffer(&a), &bench.buffer(&b)];
        gemm_batched(
            &bench.stream,
            [alpha, beta],
            [m, n, k],
            factors,
            &mut found,
            batch,
        )
        .expect("a launch");
        let found = found.to_vec().expect("no fault");
        for i in 0..batch {
            let a = DMatrix::from_row_slice(m, k, &a[i * m * k..][..m * k]);
            let b = DMatrix::from_row_slice(k, n, &b[i * k * n..][..k * n]);
            let mut c = DMatrix::from_row_slice(m, n, &c[i * m * n..][..m * n]);
            c.gemm(alpha, &a, &b, beta);
            // Rows of the one are columns of the other.
            let of_product = &found[i * m * n..][..m * n];
            assert_close(of_product, c.transpose().iter(), "gemm");
        }
    }
}

#[test]
fn batches_are_those_of_nalgebra() {
    batches::<f32>();
    batches::<f64>();
}

#[test]
fn the_register_tiles_are_in_registers_and_are_loaded_four_at_a_time() {
    for (target, text) in ptx::embedded() {
        let kernel = ptx::kernel(text, "gemm_register_tiled");
        assert!(!kernel.contains(".local"), "{target}: {kernel}");
        let (fused, loads) = (
            ptx::count(kernel, "fma.rn.f32"),
            ptx::count(kernel, "ld.shared"),
        );
        assert_eq!(loads, ptx::count(kernel, "ld.shared.v4"), "{target}");
        // 64 products for four loads of four.
        assert!(
            fused >= 16 * loads && loads > 0,
            "{target}: {fused} and {loads}"
        );
    }
}

#[test]
fn a_matrix_of_another_length_is_an_error() {
    let Bench { device, stream } = Bench::new();
    let buffer = |n: usize| DeviceBuffer::<f32>::zeroed(&device, n).expect("a buffer");
    let (factors, mut c) = ([&buffer(6), &buffer(5)], buffer(3));
    let product = gemm(&stream, [1.0, 0.0], [3, 1, 2], factors, &mut c);
    assert_eq!(text(product), "done");
    let product = gemm(&stream, [1.0, 0.0], [3, 3, 2], factors, &mut c);
    assert_eq!(text(product), "B has 5 elements, and the shape says 6");
}

/// If `beta` is 0, `c` may hold anything, also NaN.
#[test]
fn what_is_overwritten_is_not_read() {
    let bench = Bench::new();
    let ones = bench.buffer(&[1.0f32; 4]);
    let mut c = bench.buffer(&[f32::NAN; 4]);
    gemm(&bench.stream, [2.0, 0.0], [2, 2, 2], [&ones, &ones], &mut c).expect("a launch");
    assert_eq!(c.to_vec().expect("no fault"), [4.0; 4]);
}
