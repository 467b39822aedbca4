//! One vector sum at each level of parallelism: the same result, and the number of lanes of a warp
//! that work on it.

use lanewise_patterns::Setup;
use lanewise_patterns::levels::gang_worker_vector::{BLOCK, GANGS};
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::count::count;
use tests::sizes::{EDGES, blocks, cases};

/// Each kernel with the lanes at work in a warp, and how many times each element is loaded.
const KERNELS: [(&str, u64, u64); 4] = [
    ("gang_redundant", 1, GANGS as u64),
    ("gang_partitioned", 1, 1),
    ("worker_partitioned", 1, 1),
    ("vector_partitioned", 32, 1),
];

#[test]
fn sums_agree_with_the_cpu_at_every_edge() {
    for (variant, ..) in KERNELS {
        for size in EDGES {
            assert_agrees(variant, Setup::new(size, 1));
        }
    }
}

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn sums_agree_with_the_cpu(size in 0usize..3000, seed: u64, block in blocks()) {
        for (variant, ..) in KERNELS {
            let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }
}

#[test]
fn one_lane_works_in_a_warp_until_the_vector_is_partitioned() {
    let size = u64::from(GANGS * BLOCK);
    for (variant, lanes, times) in KERNELS {
        let Some(counters) = count(variant, Setup::new(size as usize, 1)) else {
            return;
        };
        let loads = counters.global_loads;
        assert_eq!(loads.bytes, 4 * 2 * size * times, "{variant}");
        assert_eq!(loads.requests * lanes, 2 * size * times, "{variant}");
        assert_eq!(
            counters.global_stores.requests * lanes,
            size * times,
            "{variant}"
        );
    }
}
