//! The position of blocks in their cluster, for several cluster sizes, and a sum that the blocks of
//! a cluster compute together.

use anyhow::{Result, ensure};
use gpu::cluster::clusters::{SUM_CLUSTER, cluster_ids, cluster_sync_sum};
use lanewise::{Device, DeviceBuffer, LaunchConfig};

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "clusters",
    chapter: "cluster",
    summary: "ranks and sizes; a sum of which the blocks of a cluster hold the parts",
    source: "CUDA C++ Programming Guide, Thread Block Clusters",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 16,
        bench: None,
    },
    variants: &[
        Variant::new("cluster_ids_1", |device, setup| ids(device, setup, 1)).runs("cluster_ids"),
        Variant::new("cluster_ids_2", |device, setup| ids(device, setup, 2)).runs("cluster_ids"),
        Variant::new("cluster_ids_4", |device, setup| ids(device, setup, 4)).runs("cluster_ids"),
        Variant::new("cluster_ids_8", |device, setup| ids(device, setup, 8)).runs("cluster_ids"),
        Variant::new("cluster_sync_sum", sum),
    ],
};

/// Returns a launch that covers `n` elements in whole clusters of `cluster` blocks.
pub(super) fn in_clusters(n: usize, setup: Setup, cluster: u32) -> LaunchConfig {
    let block = setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK);
    let blocks = LaunchConfig::cover_1d(n, block).grid.x;
    let blocks = blocks.checked_next_multiple_of(cluster).unwrap_or(u32::MAX);
    LaunchConfig::new(blocks, block)
}

fn ids(device: &Device, setup: Setup, cluster: u32) -> Result<Box<dyn Case>> {
    let n = setup.elements()?;
    let config = in_clusters(n, setup, cluster).with_cluster(cluster);
    let expected = positions(n, config.block.x, cluster);

    let output = DeviceBuffer::from_slice(device, &vec![[u32::MAX; 4]; n])?;
    Ok(Filling::boxed(
        [output],
        [expected],
        Work::Bytes(16 * n as u64),
        move |stream, [output]| Ok(stream.launch(cluster_ids, config, (output,))?),
    ))
}

fn sum(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let n = setup.elements()?;
    // The kernel has its cluster size as an attribute, so the launch need not give it.
    let config = in_clusters(n, setup, SUM_CLUSTER);
    let block = config.block.x;
    ensure!(
        block.is_multiple_of(32),
        "a block of {block} threads has a warp with lanes missing: use a multiple of 32"
    );
    let numbers = input::integers(n, setup.seed);
    let clusters = (config.grid.x / SUM_CLUSTER) as usize;
    let mut expected = crate::execution::recursive_reduce_cpu::block_sums(
        &numbers,
        (block * SUM_CLUSTER) as usize,
    );
    expected.resize(clusters, 0);

    let numbers = DeviceBuffer::from_slice(device, &numbers)?;
    let sums = DeviceBuffer::zeroed(device, clusters)?;
    Ok(Filling::boxed(
        [sums],
        [expected],
        Work::Bytes(4 * n as u64),
        move |stream, [sums]| {
            Ok(stream.launch(cluster_sync_sum, config, (&numbers, sums.matrix_mut(1)))?)
        },
    ))
}

// On the CPU: where the threads are, one after another.

/// Returns `[cluster, rank of the block in it, blocks in it, rank of the thread in it]` for each
/// of `n` threads.
pub fn positions(n: usize, block: u32, cluster: u32) -> Vec<[u32; 4]> {
    let (block, cluster) = (block as usize, cluster as usize);
    let position = |i: usize| {
        [
            i / block / cluster,
            i / block % cluster,
            cluster,
            i % (block * cluster),
        ]
        .map(|value| value as u32)
    };
    (0..n).map(position).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_counted_block_after_block() {
        let positions = positions(9, 2, 2);
        assert_eq!(positions[0], [0, 0, 2, 0]);
        assert_eq!(positions[3], [0, 1, 2, 3]);
        assert_eq!(positions[8], [2, 0, 2, 0]);
    }
}
