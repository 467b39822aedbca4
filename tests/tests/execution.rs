//! Chapter 2: divergence, the order of pairs, unrolling.

use patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::count::count;
use tests::sizes::{EDGES, cases, lengths};

const REDUCTIONS: [&str; 6] = [
    "reduce_neighbored",
    "reduce_neighbored_less",
    "reduce_interleaved",
    "reduce_unrolling2",
    "reduce_unrolling4",
    "reduce_unrolling8",
];

/// Whole blocks for every variant, so that counts can be compared exactly.
const COUNTED: usize = 1 << 15;

#[test]
fn reductions_agree_with_the_cpu_at_every_edge() {
    for variant in REDUCTIONS {
        for size in EDGES {
            assert_agrees(variant, Setup::new(size, 1));
        }
    }
}

#[test]
fn reductions_agree_with_the_cpu_on_a_large_vector() {
    for variant in REDUCTIONS {
        assert_agrees(variant, Setup::new((1 << 18) + 3, 1));
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn reductions_agree_with_the_cpu(size in lengths(), seed: u64, block in 1u32..=1024) {
        for variant in REDUCTIONS {
            let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }
}

#[test]
fn reduce_neighbored_less_runs_clearly_fewer_instructions_and_diverges_less() {
    let setup = Setup::new(COUNTED, 1);
    let (Some(scattered), Some(first)) = (
        count("reduce_neighbored", setup),
        count("reduce_neighbored_less", setup),
    ) else {
        return;
    };
    let counters = format!("neighbored {scattered:#?}\nless {first:#?}");
    assert!(
        first.ptx_instructions * 10 < scattered.ptx_instructions * 9,
        "not a tenth fewer: {counters}"
    );
    assert!(
        first.ptx_branch_efficiency() > scattered.ptx_branch_efficiency(),
        "{counters}"
    );
}

#[test]
fn reduce_interleaved_loads_better_than_neighbored_pairs() {
    let setup = Setup::new(COUNTED, 1);
    for neighbored in ["reduce_neighbored", "reduce_neighbored_less"] {
        let (Some(neighbored), Some(interleaved)) =
            (count(neighbored, setup), count("reduce_interleaved", setup))
        else {
            return;
        };
        let counters = format!("neighbored {neighbored:#?}\ninterleaved {interleaved:#?}");
        assert!(
            interleaved.global_loads.efficiency() > neighbored.global_loads.efficiency(),
            "{counters}"
        );
        assert!(
            interleaved.global_loads.sectors < neighbored.global_loads.sectors,
            "{counters}"
        );
    }
}

#[test]
fn unrolling_divides_store_requests_and_barriers_by_the_factor() {
    let setup = Setup::new(COUNTED, 1);
    let Some(by2) = count("reduce_unrolling2", setup) else {
        return;
    };
    let (Some(by4), Some(by8)) = (
        count("reduce_unrolling4", setup),
        count("reduce_unrolling8", setup),
    ) else {
        return;
    };
    // The same number of stores and barriers in each block, and half the blocks each time.
    let stores = [by2, by4, by8].map(|counters| counters.global_stores.requests);
    assert_eq!(
        stores,
        [stores[2] * 4, stores[2] * 2, stores[2]],
        "{by2:#?}\n{by4:#?}\n{by8:#?}"
    );
    let barriers = [by2, by4, by8].map(|counters| counters.barriers);
    assert_eq!(
        barriers,
        [barriers[2] * 4, barriers[2] * 2, barriers[2]],
        "{by2:#?}\n{by4:#?}\n{by8:#?}"
    );
}
