//! Branches that part the lanes of a warp, and branches that do not.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_edges};
use tests::count::count;
use tests::sizes::{blocks, cases, lengths};

use super::COUNTED;

const KERNELS: [&str; 4] = [
    "diverge_by_thread",
    "diverge_by_warp",
    "diverge_predicated",
    "diverge_both_arms",
];

#[test]
fn divergent_branches_agree_with_the_cpu_at_every_edge() {
    assert_agree_at_edges(KERNELS);
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn divergent_branches_agree_with_the_cpu(size in lengths(), block in blocks()) {
        let setup = Setup { block: Some(block), ..Setup::new(size, 0) };
        prop_assert_eq!(all_agree(KERNELS, setup), Ok(()));
    }
}

#[test]
fn branches_diverge_by_thread_and_not_by_warp_nor_as_a_select_nor_done_by_all() {
    let setup = Setup::new(COUNTED, 1);
    let Some(by_thread) = count("diverge_by_thread", setup) else {
        return;
    };
    assert!(by_thread.ptx_branch_efficiency() < 1.0, "{by_thread:#?}");
    for variant in ["diverge_by_warp", "diverge_predicated", "diverge_both_arms"] {
        let Some(counters) = count(variant, setup) else {
            return;
        };
        assert_eq!(
            counters.ptx_branches_divergent, 0,
            "{variant}: {counters:#?}"
        );
    }
    // By warp there are branches too. Without any, the efficiency would be 1 as well.
    let Some(by_warp) = count("diverge_by_warp", setup) else {
        return;
    };
    assert_eq!(by_warp.ptx_branch_efficiency(), 1.0, "{by_warp:#?}");
    assert!(by_warp.ptx_branches_uniform > 0, "{by_warp:#?}");
}
