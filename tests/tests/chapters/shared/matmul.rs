//! Products of matrices by tiles that are used many times.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::count::count;
use tests::sizes::{MATRIX_EDGES, cases, matrix};

/// Each product with the width of its tile; without tiles every element is loaded for itself.
const KERNELS: [(&str, usize); 3] = [
    ("matmul_naive", 1),
    ("matmul_shared_16", 16),
    ("matmul_shared_32", 32),
];

/// A product whose inner dimension is not that of its rows or columns.
fn product(columns: usize, rows: usize, inner: usize, seed: u64) -> Setup {
    Setup {
        inner: Some(inner),
        ..matrix(columns, rows, seed)
    }
}

#[test]
fn matmul_agrees_with_the_cpu_at_every_edge() {
    for (variant, _) in KERNELS {
        for (columns, rows) in MATRIX_EDGES {
            for inner in [0, 1, 31, 33] {
                assert_agrees(variant, product(columns, rows, inner, 1));
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn matmul_agrees_with_the_cpu(columns in 0usize..80, rows in 0usize..80, inner in 0usize..80, seed: u64) {
        for (variant, _) in KERNELS {
            prop_assert_eq!(agrees(variant, product(columns, rows, inner, seed)), Ok(()));
        }
    }
}

#[test]
fn global_loads_of_matmul_fall_by_the_width_of_the_tile() {
    let n: usize = 64;
    for (variant, tile) in KERNELS {
        let Some(counters) = count(variant, Setup::new(n, 1)) else {
            return;
        };
        // Without tiles each of the n^2 threads loads a row and a column: 2 n loads, 32
        // threads a request.
        let untiled = n * n * 2 * n / 32;
        assert_eq!(
            counters.global_loads.requests,
            (untiled / tile) as u64,
            "{variant}: {counters:#?}"
        );
    }
}

#[test]
fn matmul_reads_its_tiles_without_bank_conflicts() {
    for (variant, _) in KERNELS {
        let Some(counters) = count(variant, Setup::new(64, 1)) else {
            return;
        };
        assert_eq!(
            counters.shared_loads.conflicts, 0,
            "{variant}: {counters:#?}"
        );
    }
}
