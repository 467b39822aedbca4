//! Chapter 3: global memory. Which side of the transpose is coalesced.

use patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::count::count;
use tests::sizes::{MATRIX_EDGES, cases};

const KERNELS: [&str; 3] = ["copy_row", "transpose_naive_row", "transpose_naive_col"];

#[test]
fn transposes_agree_with_the_cpu_at_every_edge() {
    for variant in KERNELS {
        for (columns, rows) in MATRIX_EDGES {
            assert_agrees(
                variant,
                Setup {
                    rows: Some(rows),
                    ..Setup::new(columns, 1)
                },
            );
        }
    }
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn transposes_agree_with_the_cpu(
        columns in 0usize..200, rows in 0usize..200, seed: u64, width in prop::sample::select(vec![8, 16, 32, 64]),
    ) {
        for variant in KERNELS {
            let setup = Setup { rows: Some(rows), block: Some(width), ..Setup::new(columns, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }
}

#[test]
fn the_copy_is_coalesced_and_each_naive_transpose_strided_on_one_side() {
    // Blocks 32 wide: a warp is one row of its block.
    let setup = Setup {
        block: Some(32),
        ..Setup::new(128, 1)
    };
    for (variant, loads, stores) in [
        ("copy_row", 4.0, 4.0),
        ("transpose_naive_row", 4.0, 32.0),
        ("transpose_naive_col", 32.0, 4.0),
    ] {
        let Some(counters) = count(variant, setup) else {
            return;
        };
        let sectors = (
            counters.global_loads.sectors_per_request(),
            counters.global_stores.sectors_per_request(),
        );
        assert_eq!(sectors, (loads, stores), "{variant}: {counters:#?}");
    }
}
