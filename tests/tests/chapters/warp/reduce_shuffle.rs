//! A reduction whose steps within a warp are shuffles.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agree_at_edges, assert_agrees};
use tests::count::count;
use tests::sizes::{blocks, cases, lengths};

#[test]
fn reduce_shfl_agrees_with_the_cpu_at_every_edge() {
    assert_agree_at_edges(["reduce_shfl"]);
    assert_agrees("reduce_shfl", Setup::new((1 << 20) + 5, 1));
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn reduce_shfl_agrees_with_the_cpu(size in lengths(), seed: u64, block in blocks()) {
        let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
        prop_assert_eq!(agrees("reduce_shfl", setup), Ok(()));
    }
}

#[test]
fn the_warp_stage_of_reduce_shfl_touches_no_shared_memory() {
    let (blocks, warps) = (16, 8);
    let Some(counters) = count("reduce_shfl", Setup::new(blocks * warps * 32, 1)) else {
        return;
    };
    // What is left is one store by each warp and one load by the first warp of each block.
    assert_eq!(
        counters.shared_stores.requests,
        (blocks * warps) as u64,
        "{counters:#?}"
    );
    assert_eq!(
        counters.shared_loads.requests, blocks as u64,
        "{counters:#?}"
    );
}
