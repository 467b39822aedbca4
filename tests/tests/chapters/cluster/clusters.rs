//! Blocks that run together and share their shared memory.

use gpu::cluster::clusters::{cluster_ids, cluster_sync_sum};
use lanewise::{DeviceBuffer, LaunchConfig, LaunchError};
use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_edges, assert_agrees};
use tests::count::count;
use tests::device;
use tests::sizes::{blocks, cases, lengths};

const KERNELS: [&str; 5] = [
    "cluster_ids_1",
    "cluster_ids_2",
    "cluster_ids_4",
    "cluster_ids_8",
    "cluster_sync_sum",
];

#[test]
fn clusters_agree_with_the_cpu_at_every_edge() {
    assert_agree_at_edges(KERNELS);
    assert_agrees("cluster_sync_sum", Setup::new((1 << 18) + 5, 1));
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn clusters_agree_with_the_cpu(size in lengths(), seed: u64, block in blocks()) {
        let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
        prop_assert_eq!(all_agree(KERNELS, setup), Ok(()));
    }
}

#[test]
fn a_cluster_stores_one_sum_where_its_blocks_would_store_four() {
    // 64 blocks of 256.
    let Some(counters) = count("cluster_sync_sum", Setup::new(1 << 14, 1)) else {
        return;
    };
    assert_eq!(counters.global_stores.requests, 16, "{counters:#?}");
}

/// Returns the error of the driver, or of the library, for a launch of `cluster_ids` in this shape.
fn refusal(config: LaunchConfig) -> String {
    let device = device();
    let stream = device.stream().expect("a stream");
    let mut ids = DeviceBuffer::from_slice(&device, &[[0; 4]; 64]).expect("a buffer");
    let refused = stream.launch(cluster_ids, config, (&mut ids,));
    refused.expect_err("no such cluster").to_string()
}

#[test]
fn a_cluster_that_cannot_be_is_refused_with_what_to_do() {
    let config = LaunchConfig::new(6, 32);
    let odd = refusal(config.with_cluster(4));
    assert_eq!(
        odd,
        "cannot launch `cluster_ids` with grid (6, 1, 1), block (32, 1, 1), clusters of (4, 1, 1): clusters of (4, 1, 1) blocks in a \
         grid of (6, 1, 1); the grid must be made of whole clusters; round it up, and let the kernel check bounds"
    );
    // More than the 16 that another test may have let the kernel have by now.
    let large = refusal(LaunchConfig::new(34, 32).with_cluster(17));
    assert!(
        large.contains("blocks a cluster at most") && large.contains("; use smaller ones"),
        "{large}"
    );
}

#[test]
fn a_kernel_with_a_cluster_takes_no_other() {
    let device = device();
    let stream = device.stream().expect("a stream");
    let input = DeviceBuffer::from_slice(&device, &[1; 512]).expect("a buffer");
    let mut sums = DeviceBuffer::zeroed(&device, 2).expect("a buffer");
    let mut launch = |config| {
        let sums = sums.matrix_mut(1);
        stream.launch(cluster_sync_sum, config, (&input, sums))
    };
    let config = LaunchConfig::new(8, 32);
    let refused = launch(config.with_cluster(2)).expect_err("the kernel's clusters have 4 blocks");
    let wanted = matches!(
        refused,
        LaunchError::Cluster {
            wanted: [4, 1, 1],
            ..
        }
    );
    assert!(wanted, "{refused}");
    launch(config.with_cluster(4)).expect("its own size may be said again");
    assert_eq!(sums.to_vec().expect("no fault").iter().sum::<i32>(), 512);
}

#[test]
fn large_clusters_run_once_they_are_allowed() {
    let device = device();
    let stream = device.stream().expect("a stream");
    let config = LaunchConfig::new(16, 32).with_cluster(16);
    device
        .allow_large_clusters(cluster_ids)
        .expect("the H200 has them");
    assert!(
        device
            .max_active_clusters(cluster_ids, config)
            .expect("an answer")
            > 0
    );
    let mut ids = DeviceBuffer::from_slice(&device, &[[0; 4]; 512]).expect("a buffer");
    stream
        .launch(cluster_ids, config, (&mut ids,))
        .expect("16 blocks are a cluster");
    let expected = lanewise_patterns::cluster::clusters::positions(512, 32, 16);
    assert_eq!(ids.to_vec().expect("no fault"), expected);
}
