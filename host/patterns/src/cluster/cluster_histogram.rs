//! A histogram whose bins are spread over the blocks of a cluster, for several sizes of cluster.

use anyhow::Result;
use gpu::cluster::cluster_histogram::cluster_histogram;
use lanewise::{Device, DeviceBuffer};

use super::clusters::in_clusters;
use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "cluster_histogram",
    chapter: "cluster",
    summary: "bins in the shared memory of 1, 2, 4 or 8 blocks at once",
    source: "CUDA C++ Programming Guide, Distributed Shared Memory",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 16,
        bench: Some(1 << 26),
    },
    variants: &[
        Variant::new("cluster_histogram_1", |d, s| prepare(d, s, 1)).runs("cluster_histogram"),
        Variant::new("cluster_histogram_2", |d, s| prepare(d, s, 2)).runs("cluster_histogram"),
        Variant::new("cluster_histogram_4", |d, s| prepare(d, s, 4)).runs("cluster_histogram"),
        Variant::new("cluster_histogram_8", |d, s| prepare(d, s, 8)).runs("cluster_histogram"),
    ],
};

/// The number of bins if the setup does not give one. It is not a multiple of the number of blocks
/// in a cluster.
const BINS: usize = 1001;

/// The number of blocks for each multiprocessor. The grid strides over the input.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 4;

fn prepare(device: &Device, setup: Setup, cluster: u32) -> Result<Box<dyn Case>> {
    let n = setup.elements()?;
    let bins = setup.by.map_or(BINS, |by| by as usize);
    // The values cover the bins, and some lie outside of them on either side.
    let wide = bins as i64 + bins as i64 / 4 + 2;
    let values: Vec<i32> = input::integers(n, setup.seed)
        .into_iter()
        .map(|value| (i64::from(value).rem_euclid(wide) - 1 - bins as i64 / 8) as i32)
        .collect();
    let expected = setup.expected(|| histogram(&values, bins));

    let most = device.properties().multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
    let mut config = in_clusters(n, setup, cluster).with_cluster(cluster);
    config.grid.x = config.grid.x.min(most / cluster * cluster).max(cluster);
    let each = bins.div_ceil(cluster as usize);
    let config = config.with_dynamic_shared(u32::try_from(4 * each)?);

    let values = DeviceBuffer::from_slice(device, &values)?;
    let counts = DeviceBuffer::zeroed(device, bins)?;
    Ok(Filling::boxed(
        [counts],
        [expected],
        Work::Bytes(4 * n as u64),
        move |stream, [counts]| Ok(stream.launch(cluster_histogram, config, (&values, counts))?),
    ))
}

// On the CPU: one value after another.

/// Counts how many of `values` are 0, 1, and so on. Values outside of the bins count in the first
/// or the last bin.
pub fn histogram(values: &[i32], bins: usize) -> Vec<u32> {
    let mut counts = vec![0; bins];
    if let Some(last) = bins.checked_sub(1) {
        for &value in values {
            counts[usize::try_from(value).unwrap_or(0).min(last)] += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_outside_is_counted_at_the_ends() {
        assert_eq!(histogram(&[-5, 0, 1, 2, 3, 4], 3), [2, 1, 3]);
        assert!(histogram(&[1], 0).is_empty());
    }
}
