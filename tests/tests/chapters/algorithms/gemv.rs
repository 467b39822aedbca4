//! A matrix times a vector with any stride, compared with the CPU and with `nalgebra`.

use lanewise::DeviceBuffer;
use lanewise_patterns::Setup;
use lanewise_patterns::algorithms::gemv::{Multiplies, gemv, gemv_batched};
use lanewise_patterns::algorithms::precision::Precision;
use nalgebra::{DMatrix, DVector, RealField};
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_matrix_edges};
use tests::sizes::{blocks, cases, matrix};

use super::{Bench, assert_close, numbers, text};

const KERNELS: [&str; 2] = ["gemv", "gemv_f64"];

#[test]
fn products_agree_with_the_cpu_at_every_edge() {
    assert_agree_at_matrix_edges(KERNELS);
}

proptest! {
    #![proptest_config(cases(5))]

    #[test]
    fn products_agree_with_the_cpu(columns in 0usize..150, rows in 0usize..150, by in 0u32..5, seed: u64, block in blocks()) {
        let setup = Setup { block: Some(block), by: Some(by), ..matrix(columns, rows, seed) };
        prop_assert_eq!(all_agree(KERNELS, setup), Ok(()));
    }
}

/// Several matrices times vectors, as nalgebra computes them.
fn batches<T: Multiplies + RealField>() {
    let bench = Bench::new();
    let [alpha, beta] = [1.5, -0.5].map(<T as Precision>::rounded);
    for (m, k, batch) in [(5, 3, 3), (64, 16, 2), (65, 21, 2)] {
        let a = numbers::<T>(m * k * batch, 1);
        let (x, y) = (numbers::<T>(k * batch, 4), numbers::<T>(m * batch, 5));
        let mut found = bench.buffer(&y);
        let matrix = (&bench.buffer(&a), [m, k, k]);
        gemv_batched(
            &bench.stream,
            [alpha, beta],
            matrix,
            &bench.buffer(&x),
            &mut found,
            batch,
        )
        .expect("a launch");
        let found = found.to_vec().expect("no fault");
        for i in 0..batch {
            let a = DMatrix::from_row_slice(m, k, &a[i * m * k..][..m * k]);
            let x = DVector::from_row_slice(&x[i * k..][..k]);
            let mut y = DVector::from_row_slice(&y[i * m..][..m]);
            y.gemv(alpha, &a, &x, beta);
            assert_close(&found[i * m..][..m], y.iter(), "gemv");
        }
    }
}

#[test]
fn batches_are_those_of_nalgebra() {
    batches::<f32>();
    batches::<f64>();
}

#[test]
fn lengths_and_a_stride_that_do_not_fit_are_errors() {
    let Bench { device, stream } = Bench::new();
    let buffer = |n: usize| DeviceBuffer::<f32>::zeroed(&device, n).expect("a buffer");
    let mut y = buffer(3);
    let of = |a: usize, shape: [usize; 3], x: usize, y: &mut DeviceBuffer<f32>| {
        text(gemv(
            &stream,
            [1.0, 0.0],
            (&buffer(a), shape),
            &buffer(x),
            y,
        ))
    };
    assert_eq!(of(14, [3, 4, 5], 4, &mut y), "done");
    assert_eq!(
        of(13, [3, 4, 5], 4, &mut y),
        "the matrix has 13 elements, and the shape says 14"
    );
    assert_eq!(
        of(15, [3, 5, 4], 5, &mut y),
        "the stride of the rows has 4 elements, and the shape says 5"
    );
    assert_eq!(
        of(15, [3, 4, 5], 3, &mut y),
        "x has 3 elements, and the shape says 4"
    );
}

/// If `beta` is 0, `y` may hold anything, also NaN.
#[test]
fn what_is_overwritten_is_not_read() {
    let bench = Bench::new();
    let ones = bench.buffer(&[1.0f32; 4]);
    let mut y = bench.buffer(&[f32::NAN; 2]);
    gemv(&bench.stream, [2.0, 0.0], (&ones, [2, 2, 2]), &ones, &mut y).expect("a launch");
    assert_eq!(y.to_vec().expect("no fault"), [4.0, 4.0]);
}
