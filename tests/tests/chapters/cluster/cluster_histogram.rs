//! A histogram whose bins are in the shared memory of a cluster.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_edges, assert_agrees};
use tests::sizes::{blocks, cases, lengths};

const KERNELS: [&str; 4] = [
    "cluster_histogram_1",
    "cluster_histogram_2",
    "cluster_histogram_4",
    "cluster_histogram_8",
];

#[test]
fn histograms_agree_with_the_cpu_at_every_edge() {
    assert_agree_at_edges(KERNELS);
    assert_agrees("cluster_histogram_8", Setup::new((1 << 18) + 5, 1));
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn histograms_of_any_number_of_bins_agree_with_the_cpu(
        size in lengths(), seed: u64, block in blocks(), bins in prop_oneof![0u32..20, 20u32..5000],
    ) {
        let setup = Setup { block: Some(block), by: Some(bins), ..Setup::new(size, seed) };
        prop_assert_eq!(all_agree(KERNELS, setup), Ok(()));
    }
}
