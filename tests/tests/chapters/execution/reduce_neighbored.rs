//! Sums of neighbouring pairs, and how their branches diverge.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_edges, assert_agrees};
use tests::count::count;
use tests::sizes::{cases, lengths};

use super::COUNTED;

const KERNELS: [&str; 2] = ["reduce_neighbored", "reduce_neighbored_less"];

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
