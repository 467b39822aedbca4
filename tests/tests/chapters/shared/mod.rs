//! Chapter 4: shared memory. Tiles that transpose a matrix, and tiles that are used many times.

mod async_copy;
mod fences;
mod local;
mod reduce;
mod stencil;
mod tiles;
mod transpose;

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::count::count;
use tests::sizes::{MATRIX_EDGES, cases};

/// Each product with the width of its tile; without tiles every element is loaded for itself.
const PRODUCTS: [(&str, usize); 3] = [
    ("matmul_naive", 1),
    ("matmul_shared_16", 16),
    ("matmul_shared_32", 32),
];

#[test]
fn matmul_agrees_with_the_cpu_at_every_edge() {
    for (variant, _) in PRODUCTS {
        for (columns, rows) in MATRIX_EDGES {
            for inner in [0, 1, 31, 33] {
                assert_agrees(
                    variant,
                    Setup {
                        rows: Some(rows),
                        inner: Some(inner),
                        ..Setup::new(columns, 1)
                    },
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn matmul_agrees_with_the_cpu(columns in 0usize..80, rows in 0usize..80, inner in 0usize..80, seed: u64) {
        for (variant, _) in PRODUCTS {
            let setup = Setup { rows: Some(rows), inner: Some(inner), ..Setup::new(columns, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }
}

#[test]
fn global_loads_of_matmul_fall_by_the_width_of_the_tile() {
    let n: usize = 64;
    for (variant, tile) in PRODUCTS {
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
    for (variant, _) in PRODUCTS {
        let Some(counters) = count(variant, Setup::new(64, 1)) else {
            return;
        };
        assert_eq!(
            counters.shared_loads.conflicts, 0,
            "{variant}: {counters:#?}"
        );
    }
}
