//! Boxes that the tensor memory accelerator moves.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agree_at_matrix_edges, assert_agrees};
use tests::sizes::{cases, matrix};

#[test]
fn tma_copy_agrees_with_the_cpu_at_every_edge() {
    assert_agree_at_matrix_edges(["tma_copy"]);
    // More boxes than blocks, so that each place is used many times.
    assert_agrees("tma_copy", Setup::new(1000, 1));
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn tma_copy_agrees_with_the_cpu(columns in 1usize..300, rows in 1usize..200, seed: u64) {
        prop_assert_eq!(agrees("tma_copy", matrix(columns, rows, seed)), Ok(()));
    }
}
