//! Scans: each rung against the CPU, and what it changes.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_edges, assert_agrees};
use tests::count::count;
use tests::sizes::cases;

const KERNELS: [&str; 4] = [
    "scan_hillis_steele",
    "scan_blelloch",
    "scan_shuffle",
    "scan_tiles",
];

#[test]
fn scans_agree_with_the_cpu_at_every_edge() {
    assert_agree_at_edges(KERNELS);
    for variant in KERNELS {
        // The sums of the blocks have several blocks.
        assert_agrees(variant, Setup::new(66_001, 1));
    }
}

proptest! {
    #![proptest_config(cases(4))]

    #[test]
    fn scans_agree_with_the_cpu(size in 0usize..3000, seed: u64) {
        prop_assert_eq!(all_agree(KERNELS, Setup::new(size, seed)), Ok(()));
    }
}

/// Returns what is counted of a scan of 64 blocks.
#[track_caller]
fn of_scan(variant: &str) -> Option<lanewise::counters::Counters> {
    count(variant, Setup::new(1 << 14, 1))
}

#[test]
fn a_scan_by_a_tree_has_twice_the_barriers_and_one_by_shuffles_a_sixteenth() {
    let scans = [
        of_scan(KERNELS[0]),
        of_scan(KERNELS[1]),
        of_scan(KERNELS[2]),
    ];
    let [Some(steps), Some(tree), Some(shuffles)] = scans else {
        return;
    };
    let barriers = [steps, tree, shuffles].map(|counters| counters.barriers);
    // 64 blocks, and one for their sums; a `fill` has two barriers, but the first
    // of a kernel.
    assert_eq!(
        barriers,
        [65 * 8 * 17, 65 * 8 * 33, 65 * 8],
        "barriers of warps"
    );
}

#[test]
fn sums_first_store_the_array_once() {
    let (Some(after), Some(first)) = (of_scan("scan_shuffle"), of_scan("scan_tiles")) else {
        return;
    };
    let bytes = |sectors: u64| sectors * 32 / (4 << 14);
    assert_eq!(bytes(after.global_stores.sectors), 2);
    assert_eq!(bytes(first.global_stores.sectors), 1);
}
