//! Messages between threads: right in every order of warps with a fence, reported without one.

use lanewise::checks::{self, Checking, FindingKind};
use lanewise_patterns::{Setup, run};
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees, variant};
use tests::count::count;
use tests::expect;
use tests::report;
use tests::sizes::cases;

const ORDERED: [&str; 5] = [
    "block_barrier",
    "fence_block",
    "fence_device",
    "fence_system",
    "last_block_reduce",
];

#[test]
fn what_is_ordered_agrees_with_the_cpu_at_every_edge() {
    for name in ORDERED {
        // Off a letter, off a block. Spinning takes time on a simulator: no large ones.
        for size in [0, 1, 31, 32, 33, 257] {
            assert_agrees(name, Setup::new(size, 1));
        }
    }
}

proptest! {
    #![proptest_config(cases(4))]

    #[test]
    fn what_is_ordered_agrees_with_the_cpu(size in 0usize..600, seed: u64, block in 1u32..=1024) {
        for name in ORDERED {
            let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
            prop_assert_eq!(agrees(name, setup), Ok(()));
        }
    }
}

#[test]
fn messages_arrive_in_every_order_of_warps() {
    let Some(device) = tests::simulator("orders of warps", "a GPU has one of its own") else {
        return;
    };
    for seed in 0..16 {
        let _checked = Checking::race().seed(seed).start();
        for name in ORDERED {
            let outcome = run::check(&device, variant(name), Setup::new(100, seed));
            let outcome = outcome.unwrap_or_else(|error| panic!("{name}, seed {seed}: {error:#}"));
            outcome.unwrap_or_else(|mismatch| panic!("{name}, seed {seed}: {mismatch}"));
        }
    }
}

/// Warps stop before each access to memory, and loads may read old values if the memory
/// model allows that.
#[test]
fn messages_arrive_whatever_is_read_late() {
    let Some(device) = tests::simulator("explored schedules", "a GPU has one of its own") else {
        return;
    };
    for (seed, schedule) in ["random", "random,weak", "pct,weak", "random,weak"]
        .into_iter()
        .enumerate()
    {
        let seed = seed as u64;
        let schedule = schedule.parse().expect("a schedule");
        let _explored = Checking::race().schedule(schedule).seed(seed).start();
        for name in ORDERED {
            let outcome = run::check(&device, variant(name), Setup::new(40, seed));
            let outcome = outcome.unwrap_or_else(|error| panic!("{name}, seed {seed}: {error:#}"));
            outcome.unwrap_or_else(|mismatch| panic!("{name}, seed {seed}: {mismatch}"));
        }
    }
}

#[test]
fn a_volatile_flag_without_fences_is_a_race_in_every_order() {
    let Some(device) = tests::simulator("races", "a GPU checks nothing") else {
        return;
    };
    for seed in 0..4 {
        let found = checks::of(
            &device,
            Checking::race().seed(seed),
            || -> anyhow::Result<()> {
                let mut case = (variant("volatile_flag").prepare)(&device, Setup::new(64, 1))?;
                case.launch(&device.stream()?)
            },
        );
        let ((), found) = found.expect("it runs");
        let found = found.expect("the simulator checks");
        assert!(!found.is_empty(), "seed {seed}");
        for finding in &found {
            assert_eq!(finding.kind, FindingKind::Race, "{finding:#?}");
        }
        if seed == 0 {
            // The exhibit of the book's page.
            let text = report::exhibit(&found[0].to_string());
            let path = concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/tests/chapters/shared/volatile_flag.txt"
            );
            expect::same(&text, include_str!("volatile_flag.txt"), path);
        }
    }
}

#[test]
fn the_last_block_may_be_launched_again() {
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let mut case =
        (variant("last_block_reduce").prepare)(&device, Setup::new(3000, 1)).expect("a case");
    for _ in 0..3 {
        case.launch(&stream).expect("a launch");
        case.check().expect("no fault").expect("the same sum");
    }
}

#[test]
fn a_block_waits_once_at_its_barrier() {
    let Some(counters) = count("block_barrier", Setup::new(1024, 1)) else {
        return;
    };
    // A barrier for each of 32 warps.
    assert_eq!(counters.barriers, 32);
}
