//! Softmax of rows: each rung against the CPU, and what it changes.

use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_matrix_edges, assert_agrees};
use tests::count::count;
use tests::sizes::{cases, matrix};

const KERNELS: [&str; 4] = [
    "softmax_thread",
    "softmax_warp",
    "softmax_block",
    "softmax_online",
];

#[test]
fn rows_agree_with_the_cpu_at_every_edge() {
    assert_agree_at_matrix_edges(KERNELS);
    for variant in KERNELS {
        assert_agrees(variant, matrix(1030, 3, 1));
    }
}

proptest! {
    #![proptest_config(cases(4))]

    #[test]
    fn rows_agree_with_the_cpu(columns in 0usize..700, rows in 0usize..40, seed: u64) {
        prop_assert_eq!(all_agree(KERNELS, matrix(columns, rows, seed)), Ok(()));
    }
}

#[test]
fn a_softmax_in_two_passes_loads_two_thirds() {
    let of = |variant| count(variant, matrix(1024, 32, 1));
    let [Some(thread), Some(block), Some(online)] = [
        of("softmax_thread"),
        of("softmax_block"),
        of("softmax_online"),
    ] else {
        return;
    };
    assert_eq!(thread.global_loads.sectors_per_request(), 32.0);
    assert_eq!(block.global_loads.sectors_per_request(), 4.0);
    assert_eq!(
        3 * online.global_loads.sectors,
        2 * block.global_loads.sectors
    );
}
