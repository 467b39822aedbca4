//! Loads and stores from an offset on: what both have in common.

use lanewise::{DeviceBuffer, LaunchConfig, LaunchError, Stream};
use lanewise_patterns::input;
use tests::agree::assert_agrees;
use tests::count::count;
use tests::sizes::EDGES;

use super::by;

/// Asserts that variants agree with the CPU at every edge, with several offsets.
#[track_caller]
pub(super) fn assert_agree(variants: [&str; 3]) {
    for variant in variants {
        for size in EDGES {
            for offset in [0, 1, 11, 128] {
                assert_agrees(variant, by(size, offset));
            }
        }
    }
}

/// Asserts that unrolled kernels move the same sectors.
#[track_caller]
pub(super) fn assert_same_sectors(variants: [&str; 3]) {
    let counted = variants.map(|variant| count(variant, by(4096, 11)));
    let [Some(one), Some(two), Some(four)] = counted else {
        return;
    };
    for more in [two, four] {
        assert_eq!(more.global_loads, one.global_loads);
        assert_eq!(more.global_stores, one.global_stores);
    }
}

/// What a launch leaves in a slice of ones, from inputs and an output of these lengths.
pub(super) type Sums = Box<dyn Fn([usize; 3], u32) -> Vec<f32>>;

/// The buffers of a launch: both vectors and the output.
pub(super) type Buffers<'a> = (
    &'a DeviceBuffer<f32>,
    &'a DeviceBuffer<f32>,
    &'a mut DeviceBuffer<f32>,
);

/// Makes the buffers for a launch with `unroll` elements for each thread.
pub(super) fn sums(
    unroll: usize,
    launch: impl Fn(&Stream, LaunchConfig, Buffers<'_>, u32) -> Result<(), LaunchError> + 'static,
) -> Sums {
    Box::new(move |[a, b, c], offset| {
        let device = tests::device();
        let stream = device.stream().expect("a stream");
        let config = LaunchConfig::cover_1d(a.max(b).max(c).div_ceil(unroll), 64);
        let buffer = |data: &[f32]| DeviceBuffer::from_slice(&device, data).expect("a buffer");
        let (a, b) = (buffer(&input::floats(a, 1)), buffer(&input::floats(b, 2)));
        let mut c = buffer(&vec![1.0; c]);
        launch(&stream, config, (&a, &b, &mut c), offset).expect("a launch");
        c.to_vec().expect("no fault")
    })
}

/// The same from the CPU.
pub(super) fn expected(
    reference: fn(&[f32], &[f32], &mut [f32], usize),
    [a, b, c]: [usize; 3],
    offset: u32,
) -> Vec<f32> {
    let mut c = vec![1.0; c];
    reference(
        &input::floats(a, 1),
        &input::floats(b, 2),
        &mut c,
        offset as usize,
    );
    c
}
