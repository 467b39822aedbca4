//! Several blocks of elements for each block of threads.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_edges, assert_agrees};
use tests::count::count;
use tests::sizes::{cases, lengths};

use super::{COUNTED, figure};

const KERNELS: [&str; 3] = [
    "reduce_unrolling2",
    "reduce_unrolling4",
    "reduce_unrolling8",
];

#[test]
fn reductions_agree_with_the_cpu_at_every_edge() {
    assert_agree_at_edges(KERNELS);
    for variant in KERNELS {
        assert_agrees(variant, Setup::new((1 << 18) + 3, 1));
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn reductions_agree_with_the_cpu(size in lengths(), seed: u64, block in 1u32..=1024) {
        let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
        prop_assert_eq!(all_agree(KERNELS, setup), Ok(()));
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
    let blocks = [
        "reduce_interleaved",
        "reduce_unrolling2",
        "reduce_unrolling4",
        "reduce_unrolling8",
    ]
    .map(|variant| figure(variant, setup, "blocks"));
    assert_eq!(blocks, [64.0, 32.0, 16.0, 8.0]);
}
