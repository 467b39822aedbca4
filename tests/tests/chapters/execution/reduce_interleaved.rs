//! Sums of pairs that are half a block apart.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_edges, assert_agrees};
use tests::count::count;
use tests::sizes::{cases, lengths};

use super::COUNTED;

const KERNELS: [&str; 1] = ["reduce_interleaved"];

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
