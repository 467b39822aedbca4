//! The last warp without barriers, and loops without a count.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_edges, assert_agrees};
use tests::count::count;
use tests::sizes::{blocks, cases, lengths};

use super::COUNTED;

/// Those compiled for one block each, beside those that take any.
const KERNELS: [&str; 7] = [
    "reduce_unroll_warps8",
    "reduce_complete_unroll_warps8",
    "reduce_complete_unroll_1024",
    "reduce_complete_unroll_512",
    "reduce_complete_unroll_256",
    "reduce_complete_unroll_128",
    "reduce_complete_unroll_64",
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
    fn reductions_agree_with_the_cpu(size in lengths(), seed: u64, block in blocks()) {
        // Those compiled for one block keep to it.
        let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
        prop_assert_eq!(all_agree(KERNELS, setup), Ok(()));
    }
}

#[test]
fn finishing_in_one_warp_takes_fewer_barriers_and_complete_unrolling_fewer_instructions() {
    let setup = Setup {
        block: Some(256),
        ..Setup::new(COUNTED, 1)
    };
    let (Some(rounds), Some(warps)) = (
        count("reduce_unrolling8", setup),
        count("reduce_unroll_warps8", setup),
    ) else {
        return;
    };
    assert!(warps.barriers < rounds.barriers, "{warps:#?}\n{rounds:#?}");
    let Some(complete) = count("reduce_complete_unroll_256", setup) else {
        return;
    };
    assert!(
        complete.ptx_instructions < warps.ptx_instructions,
        "{complete:#?}\n{warps:#?}"
    );
}
