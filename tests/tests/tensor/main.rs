//! Tensors: boxes that the tensor memory accelerator moves.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::sizes::{MATRIX_EDGES, cases};

#[test]
fn tma_copy_agrees_with_the_cpu_at_every_edge() {
    for (columns, rows) in MATRIX_EDGES {
        let setup = Setup {
            rows: Some(rows),
            ..Setup::new(columns, 1)
        };
        assert_agrees("tma_copy", setup);
    }
    // More boxes than blocks, so that each place is used many times.
    assert_agrees("tma_copy", Setup::new(1000, 1));
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn tma_copy_agrees_with_the_cpu(columns in 1usize..300, rows in 1usize..200, seed: u64) {
        let setup = Setup { rows: Some(rows), ..Setup::new(columns, seed) };
        prop_assert_eq!(agrees("tma_copy", setup), Ok(()));
    }
}
