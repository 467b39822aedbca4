//! A sparse matrix times a vector, compared with the CPU and with `nalgebra`, for which it is a
//! matrix with many zeros.

use lanewise_patterns::Setup;
use lanewise_patterns::algorithms::precision::Precision;
use lanewise_patterns::algorithms::spmv::{CsrMatrix, Rows, Sums};
use nalgebra::{DMatrix, DVector, RealField};
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_edges};
use tests::count::count;
use tests::sizes::{blocks, cases};

use super::{Bench, assert_close, numbers};

const KERNELS: [&str; 5] = [
    "spmv_csr",
    "spmv_csr_warp",
    "spmv_uneven",
    "spmv_stencil",
    "spmv_stencil_f64",
];

#[test]
fn sparse_products_agree_with_the_cpu_at_every_edge() {
    assert_agree_at_edges(KERNELS);
}

proptest! {
    #![proptest_config(cases(5))]

    #[test]
    fn sparse_products_agree_with_the_cpu(size in 0usize..3000, seed: u64, block in blocks()) {
        let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
        prop_assert_eq!(all_agree(KERNELS, setup), Ok(()));
    }
}

#[test]
fn a_row_a_thread_loads_scattered_and_a_row_a_warp_side_by_side() {
    let sectors = |name| {
        Some(
            count(name, Setup::new(2048, 1))?
                .global_loads
                .sectors_per_request(),
        )
    };
    let (Some(thread), Some(warp)) = (sectors("spmv_csr"), sectors("spmv_csr_warp")) else {
        return;
    };
    assert!(thread > 1.5 * warp, "{thread} and {warp}");
}

fn sparse<T: Sums + RealField>() {
    let bench = Bench::new();
    let (rows, columns) = (67, 45);
    // Up to forty elements in a row, and some rows without one.
    let mut reference = DMatrix::from_element(rows, columns, <T as Precision>::rounded(0.0));
    let (mut starts, mut places, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..rows {
        let count = if row % 5 == 3 { 0 } else { row % 40 };
        for (column, value) in numbers::<T>(count, row as u64).into_iter().enumerate() {
            reference[(row, column)] = value;
            places.push(column as u32);
            values.push(value);
        }
        starts.push(values.len() as u32);
    }
    let matrix = CsrMatrix::new(&bench.device, [rows, columns], &starts, &places, &values)
        .expect("a matrix");
    let x = DVector::from_vec(numbers::<T>(columns, 7));
    let expected = &reference * &x;
    let on_device = bench.buffer(x.as_slice());
    let ways = [4, 8, 16, 32].map(Rows::Lanes);
    for by in ways.into_iter().chain([Rows::Thread]) {
        let mut y = bench.buffer(&vec![<T as Precision>::rounded(9.0); rows]);
        matrix
            .multiply_by(&bench.stream, &on_device, &mut y, (by, 64))
            .expect("a launch");
        let found = y.to_vec().expect("no fault");
        assert_close(&found, expected.iter(), &format!("{by:?}"));
    }
}

#[test]
fn sparse_products_are_those_of_nalgebra_in_every_way() {
    sparse::<f32>();
    sparse::<f64>();
}

#[test]
fn a_malformed_sparse_matrix_is_an_error_with_the_row() {
    let device = tests::device();
    let made = CsrMatrix::new(&device, [2, 2], &[0, 1, 2], &[0, 2], &[1.0, 1.0]);
    assert_eq!(
        made.expect_err("there is no column 2").to_string(),
        "row 1 has an element in column 2, and the matrix has 2 columns"
    );
}
