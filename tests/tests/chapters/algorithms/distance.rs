//! The distance of two points.

use lanewise::{Device, DeviceBuffer};
use lanewise_patterns::Setup;
use lanewise_patterns::algorithms::distance::distance;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_edges};
use tests::sizes::{blocks, cases};

const KERNELS: [&str; 3] = ["distance_f32", "distance_f64", "distance_i32"];

#[test]
fn distances_agree_with_the_cpu_at_every_edge() {
    assert_agree_at_edges(KERNELS);
}

proptest! {
    #![proptest_config(cases(5))]

    #[test]
    fn distances_agree_with_the_cpu(size in 0usize..3000, seed: u64, block in blocks()) {
        let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
        prop_assert_eq!(all_agree(KERNELS, setup), Ok(()));
    }
}

/// Returns the distance of two points on a grid.
fn between(device: &Device, a: &[i32], b: &[i32]) -> f64 {
    let stream = device.stream().expect("a stream");
    let [a, b] = [a, b].map(|point| DeviceBuffer::from_slice(device, point).expect("a buffer"));
    distance(&stream, &a, &b).expect("it runs")
}

#[test]
fn a_difference_need_not_fit_and_lengths_must() {
    let device = tests::device();
    assert_eq!(between(&device, &[0, 3], &[4, 0]), 5.0);
    // The difference of these is no `i32`.
    assert_eq!(
        between(&device, &[i32::MIN], &[i32::MAX]),
        f64::from(u32::MAX)
    );
    let stream = device.stream().expect("a stream");
    let [a, b] = [6, 5].map(|n| DeviceBuffer::<f32>::zeroed(&device, n).expect("a buffer"));
    assert!(distance(&stream, &a, &b).is_err());
}
