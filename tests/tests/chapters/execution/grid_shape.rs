//! One kernel in ten shapes of blocks.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_matrix_edges};
use tests::count::count;
use tests::sizes::{cases, matrix};

use super::figure;

/// `sum_matrix` in ten shapes.
const SHAPES: [&str; 10] = [
    "sum_matrix_32x32",
    "sum_matrix_32x16",
    "sum_matrix_16x32",
    "sum_matrix_16x16",
    "sum_matrix_64x2",
    "sum_matrix_128x2",
    "sum_matrix_256x2",
    "sum_matrix_8x8",
    "sum_matrix_4x8",
    "sum_matrix_33x3",
];

#[test]
fn every_shape_of_block_adds_every_matrix() {
    assert_agree_at_matrix_edges(SHAPES);
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn every_shape_of_block_adds_random_matrices(columns in 0usize..200, rows in 0usize..90, seed: u64) {
        prop_assert_eq!(all_agree(SHAPES, matrix(columns, rows, seed)), Ok(()));
    }
}

#[test]
fn the_shape_alone_changes_warps_and_occupancy() {
    let setup = Setup::new(256, 1);
    let properties = tests::device().properties().clone();
    if properties.max_blocks_per_multiprocessor != 32
        || properties.max_threads_per_multiprocessor != 2048
    {
        println!(
            "skipped on {}: the figures are those of 32 blocks and 64 warps",
            properties.name
        );
        return;
    }
    // 65536 elements in whole warps are 2048 of them; blocks of 33 x 3 are 4 warps each, 8 across
    // and 86 down.
    assert_eq!(figure("sum_matrix_32x16", setup, "warps"), 2048.0);
    assert_eq!(figure("sum_matrix_4x8", setup, "warps"), 2048.0);
    assert_eq!(figure("sum_matrix_33x3", setup, "warps"), 8.0 * 86.0 * 4.0);
    // 32 blocks of one warp fill half of the 64 places, blocks of two or more all of them.
    assert_eq!(figure("sum_matrix_4x8", setup, "occupancy, %"), 50.0);
    assert_eq!(figure("sum_matrix_8x8", setup, "occupancy, %"), 100.0);
    assert_eq!(figure("sum_matrix_32x16", setup, "occupancy, %"), 100.0);
}

#[test]
fn a_row_of_a_block_that_is_no_whole_sector_costs_sectors() {
    let setup = Setup::new(256, 1);
    let loads = |variant| count(variant, setup).map(|counters| counters.global_loads);
    let (Some(wide), Some(narrow)) = (loads("sum_matrix_32x16"), loads("sum_matrix_4x8")) else {
        return;
    };
    assert_eq!(
        wide.sectors_per_request(),
        4.0,
        "one row of 128 bytes: {wide:?}"
    );
    assert_eq!(
        narrow.sectors_per_request(),
        8.0,
        "8 rows of half a sector: {narrow:?}"
    );
}
