//! How many atomics are left when a warp or a block adds first.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_edges};
use tests::count::count;
use tests::sizes::{blocks, cases};

const KERNELS: [&str; 3] = ["atomic_per_thread", "atomic_per_warp", "atomic_per_block"];

#[test]
fn aggregated_atomics_agree_with_the_cpu_at_every_edge() {
    assert_agree_at_edges(KERNELS);
}

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn aggregated_atomics_agree_with_the_cpu(size in 0usize..5000, seed: u64, block in blocks()) {
        let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
        prop_assert_eq!(all_agree(KERNELS, setup), Ok(()));
    }
}

#[test]
fn atomics_fall_by_the_lanes_of_a_warp_and_by_the_threads_of_a_block() {
    let (size, block) = (1 << 12, 128);
    for (name, threads) in KERNELS.into_iter().zip([1, 32, 128]) {
        let setup = Setup {
            block: Some(block),
            ..Setup::new(size, 1)
        };
        let Some(counters) = count(name, setup) else {
            return;
        };
        assert_eq!(
            counters.global_atomics.bytes / 4,
            size as u64 / threads,
            "{name}"
        );
    }
}
