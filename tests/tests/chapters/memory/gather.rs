//! Reads from places that belong to other threads.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::sizes::{EDGES, blocks, cases, lengths};

use super::assert_sectors;

const KERNELS: [&str; 3] = ["gather_same", "gather_permuted", "gather_scattered"];

#[test]
fn gathers_agree_with_the_cpu_at_every_edge() {
    for variant in KERNELS {
        // 1031 elements: all scattered reads are of the first.
        for size in EDGES.into_iter().chain([1031]) {
            assert_agrees(variant, Setup::new(size, 1));
        }
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn gathers_agree_with_the_cpu(size in lengths(), seed: u64, block in blocks()) {
        for variant in KERNELS {
            prop_assert_eq!(agrees(variant, Setup { block: Some(block), ..Setup::new(size, seed) }), Ok(()));
        }
    }
}

#[test]
fn a_load_costs_the_sectors_it_touches_in_whatever_order() {
    assert_sectors("gather_same", Setup::new(4096, 1), 1.0, 4.0);
    assert_sectors("gather_permuted", Setup::new(4096, 1), 4.0, 4.0);
    assert_sectors("gather_scattered", Setup::new(4096, 1), 32.0, 4.0);
}
