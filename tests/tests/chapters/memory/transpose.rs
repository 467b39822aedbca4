//! Which side of the transpose is coalesced.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::ptx;
use tests::sizes::{MATRIX_EDGES, cases};

use super::assert_sectors;

const KERNELS: [&str; 8] = [
    "copy_row",
    "copy_col",
    "transpose_naive_row",
    "transpose_naive_col",
    "transpose_unroll4_row",
    "transpose_unroll4_col",
    "transpose_diagonal_row",
    "transpose_diagonal_col",
];

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
fn accesses_are_coalesced_or_strided_as_the_names_say() {
    // Blocks 32 wide: a warp is one row of its block.
    let setup = Setup {
        block: Some(32),
        ..Setup::new(128, 1)
    };
    for (variant, loads, stores) in [
        ("copy_row", 4.0, 4.0),
        ("copy_col", 32.0, 32.0),
        ("transpose_naive_row", 4.0, 32.0),
        ("transpose_naive_col", 32.0, 4.0),
        ("transpose_unroll4_row", 4.0, 32.0),
        ("transpose_unroll4_col", 32.0, 4.0),
        ("transpose_diagonal_row", 4.0, 32.0),
        ("transpose_diagonal_col", 32.0, 4.0),
    ] {
        assert_sectors(variant, setup, loads, stores);
    }
}

#[test]
fn a_thin_block_loads_columns_in_fewer_sectors() {
    // A warp of a block 8 wide is four rows of 8: of the input, 4 neighbours in each of 8 rows; of
    // the output, 4 runs of 8 floats, which are a sector each.
    for (width, loads) in [(32, 32.0), (16, 16.0), (8, 8.0)] {
        let setup = Setup {
            block: Some(width),
            ..Setup::new(128, 1)
        };
        assert_sectors("transpose_naive_col", setup, loads, 4.0);
    }
}

#[test]
fn unrolled_transposes_load_four_elements_before_they_store_one() {
    for (target, text) in ptx::embedded() {
        for variant in ["transpose_unroll4_row", "transpose_unroll4_col"] {
            let kernel = ptx::kernel(text, variant);
            let accesses: Vec<&str> = ptx::instructions(kernel)
                .filter_map(|line| line.split_once(".global").map(|(opcode, _)| opcode))
                .filter(|opcode| ["ld", "st"].contains(opcode))
                .collect();
            // Beside this way through the kernel there is one for threads with fewer
            // than four elements.
            let four = ["ld", "ld", "ld", "ld", "st", "st", "st", "st"];
            assert!(
                accesses.windows(8).any(|eight| eight == four),
                "{target}: {accesses:?}\n{kernel}"
            );
        }
    }
}
