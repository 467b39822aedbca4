//! Systems of equations, compared with the CPU and with `nalgebra`.

use lanewise::Backend;
use lanewise_patterns::Setup;
use lanewise_patterns::algorithms::precision::Precision;
use lanewise_patterns::algorithms::solver::{Solves, solve, solve_batched};
use nalgebra::{DMatrix, RealField};
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agrees};
use tests::sizes::cases;

use super::{Bench, assert_close, numbers};

const KERNELS: [&str; 2] = ["gauss_jordan", "gauss_jordan_f64"];

#[test]
fn equations_agree_with_the_cpu_at_every_edge() {
    for variant in KERNELS {
        for size in [0, 1, 2, 7, 33] {
            assert_agrees(variant, Setup::new(size, 1));
        }
    }
}

proptest! {
    #![proptest_config(cases(5))]

    #[test]
    fn equations_are_solved(size in 0usize..40, seed: u64) {
        prop_assert_eq!(all_agree(KERNELS, Setup::new(size, seed)), Ok(()));
    }
}

/// Systems of one size at once, each against nalgebra's LU decomposition.
fn equations<T: Solves + RealField>() {
    let bench = Bench::new();
    for (size, sides, systems) in [(1, 1, 3), (5, 2, 4), (40, 3, 2), (3, 1, 0)] {
        // Heavy on a diagonal, so that all are far from singular.
        let mut matrices = numbers::<T>(size * size * systems, 1);
        for row in 0..size * systems {
            matrices[row * size + (row + 1) % size] += <T as Precision>::rounded(size as f64);
        }
        let right = numbers::<T>(size * sides * systems, 2);
        let found = solve_batched(&bench.device, size, systems, &matrices, &right)
            .expect("they are regular");
        assert_eq!(found.len(), right.len());
        for i in 0..systems {
            let matrix = &matrices[i * size * size..][..size * size];
            let of_system = i * size * sides..(i + 1) * size * sides;
            let right = DMatrix::from_row_slice(size, sides, &right[of_system.clone()]);
            let matrix = DMatrix::from_row_slice(size, size, matrix);
            let expected = matrix.lu().solve(&right).expect("it is regular");
            assert_close(&found[of_system], expected.transpose().iter(), "solve");
        }
    }
}

#[test]
fn batches_of_equations_are_solved_as_nalgebra_does() {
    equations::<f32>();
    equations::<f64>();
}

/// The catalog's size, on a GPU. A simulator would take minutes.
#[test]
fn a_thousand_equations_are_solved() {
    let device = tests::device();
    let size = match device.backend() {
        Backend::Cuda => 1024,
        Backend::Sim => 128,
    };
    let mut matrix = vec![0.0f32; size * size];
    let mut right = vec![0.0f32; size];
    let value = |column: usize| (column % 7) as f32 - 3.0;
    for row in 0..size {
        // Rows are swapped on the way: the large element is not on the diagonal.
        let large = (row + size / 2) % size;
        for (column, factor) in [
            (large, 8.0),
            ((large + 1) % size, 1.0),
            ((large + 5) % size, -2.0),
        ] {
            matrix[row * size + column] = factor;
            right[row] += factor * value(column);
        }
    }
    let solved = solve(&device, size, &matrix, &right).expect("it is regular");
    for (column, found) in solved.into_iter().enumerate() {
        assert!((found - value(column)).abs() < 1e-4, "{column}: {found}");
    }
}

#[test]
fn a_singular_matrix_is_an_error_with_the_column() {
    let device = tests::device();
    let error = |matrix: &[f32], right: &[f32]| {
        let solved = solve(&device, 3, matrix, right);
        solved.expect_err("it can't be solved").to_string()
    };
    // The third column is the sum of the others; a column of zeros; a matrix of zeros.
    let of_sums = error(&[1.0, 2.0, 3.0, 4.0, 5.0, 9.0, 7.0, 1.0, 8.0], &[1.0; 3]);
    assert!(
        of_sums.contains("singular: column 2 has no pivot"),
        "{of_sums}"
    );
    let of_zeros = error(&[1.0, 0.0, 3.0, 4.0, 0.0, 9.0, 7.0, 0.0, 8.0], &[1.0; 3]);
    assert!(
        of_zeros.contains("singular: column 1 has no pivot"),
        "{of_zeros}"
    );
    let empty = error(&[0.0; 9], &[1.0; 3]);
    assert!(empty.contains("singular: column 0 has no pivot"), "{empty}");
    let not_square = error(&[1.0; 8], &[1.0; 3]);
    assert_eq!(
        not_square,
        "the matrix has 8 elements, and the shape says 9"
    );
    let uneven = error(&[1.0; 9], &[1.0; 4]);
    assert!(uneven.contains("right-hand side"), "{uneven}");
    assert_eq!(
        solve(&device, 1, &[2.0f32], &[1.0, 3.0]).expect("it is regular"),
        [0.5, 1.5]
    );
    // Of three systems the second: the others are solved, and it is named.
    let matrices = [
        1.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 4.0, 0.0, 1.0, 1.0, 0.0f64,
    ];
    let solved = solve_batched(&device, 2, 3, &matrices, &[1.0; 6]);
    let of_several = solved.expect_err("it can't be solved").to_string();
    assert!(
        of_several.starts_with("matrix 1 (of 3, from 0) is singular: column 1 has no pivot"),
        "{of_several}"
    );
}
