//! Every atomic: no update is lost, exactly the races are found, and how many atomics are left when
//! they are aggregated.

use lanewise::checks::{self, Checking, FindingKind};
use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees, variant};
use tests::count::count;
use tests::sizes::{EDGES, blocks, cases};

const BUILT_IN: [&str; 8] = [
    "atomic_i32",
    "atomic_u32",
    "atomic_i64",
    "atomic_u64",
    "atomic_inc_dec",
    "atomic_f32",
    "atomic_f64",
    "atomic_scopes",
];

const AGGREGATED: [&str; 3] = ["atomic_per_thread", "atomic_per_warp", "atomic_per_block"];

#[test]
fn atomics_agree_with_the_cpu_at_every_edge() {
    for name in BUILT_IN
        .into_iter()
        .chain(AGGREGATED)
        .chain(["check_threshold_atomic"])
    {
        for size in EDGES {
            assert_agrees(name, Setup::new(size, 1));
        }
    }
}

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn built_in_atomics_agree_with_the_cpu(size in 0usize..2000, seed: u64, block in 1u32..=1024) {
        for name in BUILT_IN {
            let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
            prop_assert_eq!(agrees(name, setup), Ok(()));
        }
    }

    #[test]
    fn aggregated_atomics_agree_with_the_cpu(size in 0usize..5000, seed: u64, block in blocks()) {
        for name in AGGREGATED {
            let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
            prop_assert_eq!(agrees(name, setup), Ok(()));
        }
    }

    /// With the threshold at the top hardly any element is above it: none, one, or a few.
    #[test]
    fn one_element_above_the_threshold_is_found(size in 0usize..3000, seed: u64, by in 2020u32..2048) {
        let setup = Setup { by: Some(by), ..Setup::new(size, seed) };
        prop_assert_eq!(agrees("check_threshold_atomic", setup), Ok(()));
    }
}

#[test]
fn atomics_fall_by_the_lanes_of_a_warp_and_by_the_threads_of_a_block() {
    let (size, block) = (1 << 12, 128);
    for (name, threads) in AGGREGATED.into_iter().zip([1, 32, 128]) {
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

#[test]
fn the_race_check_finds_the_racy_ones_and_no_other() {
    let Some(device) = tests::simulator("races", "a GPU checks nothing") else {
        return;
    };
    let found = |name: &str| {
        let found = checks::of(&device, Checking::race(), || -> anyhow::Result<()> {
            let mut case = (variant(name).prepare)(&device, Setup::new(256, 1))?;
            case.launch(&device.stream()?)
        });
        let ((), found) = found.expect("it runs");
        let found = found.expect("the simulator checks");
        found.iter().map(|finding| finding.kind).collect::<Vec<_>>()
    };
    for name in ["incr_racy", "check_threshold"] {
        let found = found(name);
        assert!(!found.is_empty(), "{name}");
        assert!(
            found.iter().all(|kind| *kind == FindingKind::Race),
            "{name}: {found:?}"
        );
    }
    let atomic = ["incr_atomic", "my_atomic_add", "check_threshold_atomic"];
    for name in BUILT_IN.into_iter().chain(AGGREGATED).chain(atomic) {
        assert_eq!(found(name), [], "{name}");
    }
}
