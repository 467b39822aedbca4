//! A matrix and three mappings of its elements to threads.

use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_matrix_edges, assert_agrees};
use tests::sizes::{MATRIX_EDGES, cases, matrix};

const KERNELS: [&str; 4] = [
    "mat_add_2d_2d",
    "mat_add_1d_1d",
    "mat_add_2d_1d",
    "mat_add_managed",
];

#[test]
fn matrix_addition_agrees_with_the_cpu_at_every_edge() {
    assert_agree_at_matrix_edges(KERNELS);
    for (columns, rows) in MATRIX_EDGES {
        assert_agrees(
            "mat_add_one_block",
            matrix(columns.min(32), rows.min(32), 1),
        );
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn every_mapping_of_a_matrix_agrees_with_the_cpu(columns in 0usize..150, rows in 0usize..150, seed: u64) {
        prop_assert_eq!(all_agree(KERNELS, matrix(columns, rows, seed)), Ok(()));
    }
}
