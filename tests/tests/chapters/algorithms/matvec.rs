//! A matrix times a vector, a row a block and a row a warp.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_matrix_edges};
use tests::count::count;
use tests::sizes::{blocks, cases, matrix};

const KERNELS: [&str; 2] = ["matvec_block", "matvec_warp"];

#[test]
fn products_agree_with_the_cpu_at_every_edge() {
    assert_agree_at_matrix_edges(KERNELS);
}

proptest! {
    #![proptest_config(cases(5))]

    #[test]
    fn products_agree_with_the_cpu(columns in 0usize..150, rows in 0usize..150, seed: u64, block in blocks()) {
        let setup = Setup { block: Some(block), ..matrix(columns, rows, seed) };
        prop_assert_eq!(all_agree(KERNELS, setup), Ok(()));
    }
}

/// A block has 256 threads for 32 elements, and barriers; a warp has 32 and none.
#[test]
fn a_warp_is_enough_for_a_short_row_and_a_block_for_a_long_one() {
    let work = |columns: usize| {
        let counts = KERNELS.map(|name| count(name, matrix(columns, 64, 1)));
        let [Some(block), Some(warp)] = counts else {
            return None;
        };
        assert_eq!(warp.barriers, 0);
        Some(block.ptx_instructions as f64 / warp.ptx_instructions as f64)
    };
    let (Some(short), Some(long)) = (work(32), work(1 << 16)) else {
        return;
    };
    assert!(short > 3.0, "{short}");
    assert!(long < 2.2, "{long}");
}
