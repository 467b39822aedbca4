//! Tensors: boxes that the tensor memory accelerator moves, and products of them.

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

/// Through the pattern: a product of a tile and a bit, of less than a tile, and of many tiles;
/// nothing along one side.
#[test]
fn gemm_bf16_agrees_with_the_cpu() {
    for (m, n, k) in [
        (129, 257, 65),
        (7, 5, 3),
        (300, 530, 130),
        (0, 4, 4),
        (4, 4, 0),
    ] {
        let setup = Setup {
            rows: Some(m),
            inner: Some(k),
            ..Setup::new(n, 3)
        };
        assert_agrees("gemm_bf16", setup);
    }
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn tma_copy_agrees_with_the_cpu(columns in 1usize..300, rows in 1usize..200, seed: u64) {
        let setup = Setup { rows: Some(rows), ..Setup::new(columns, seed) };
        prop_assert_eq!(agrees("tma_copy", setup), Ok(()));
    }
}
