//! Shuffles against written tables, lane for lane, and in segments of every width.

use gpu::warp::shuffles::{
    shfl_broadcast, shfl_down, shfl_swap, shfl_up, shfl_wrap, shfl_xor, shfl_xor_array,
};
use lanewise::{DeviceBuffer, LaunchConfig};
use lanewise_patterns::Setup;
use lanewise_patterns::warp::shuffles::shuffled;
use lanewise_std::DisjointSlice;
use lanewise_std::kernel::SafeKernel;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::count::count;
use tests::device;
use tests::sizes::{EDGES, blocks, cases, lengths};

const KERNELS: [&str; 8] = [
    "shfl_broadcast",
    "shfl_up",
    "shfl_down",
    "shfl_wrap",
    "shfl_xor",
    "shfl_xor_array",
    "shfl_xor_int4",
    "shfl_swap",
];

#[test]
fn shuffles_agree_with_the_cpu_at_every_edge() {
    for variant in KERNELS {
        for size in EDGES {
            assert_agrees(variant, Setup::new(size, 1));
        }
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn shuffles_agree_with_the_cpu(size in lengths(), seed: u64, block in blocks(), by in 0u32..16) {
        for variant in KERNELS {
            let setup = Setup { by: Some(by), block: Some(block), ..Setup::new(size, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }
}

/// What a warp's lanes have after the kernel, which had their numbers.
fn warp<A, K>(kernel: K, by: A, width: u32) -> Vec<i32>
where
    A: lanewise::Argument<A> + Copy + 'static,
    K: SafeKernel<Params = (&'static [i32], DisjointSlice<'static, i32>, A, u32)>,
{
    let device = device();
    let stream = device.stream().expect("a stream");
    let lanes: Vec<i32> = (0..32).collect();
    let input = DeviceBuffer::from_slice(&device, &lanes).expect("a buffer");
    let mut output = DeviceBuffer::zeroed(&device, 32).expect("a buffer");
    let arguments = (&input, &mut output, by, width);
    stream
        .launch(kernel, LaunchConfig::new(1, 32), arguments)
        .expect("a launch");
    output.to_vec().expect("no fault")
}

#[test]
fn sixteen_lanes_have_what_the_notes_tables_say() {
    let first = |lanes: Vec<i32>| lanes[..16].to_vec();
    assert_eq!(first(warp(shfl_broadcast, 2u32, 16)), [2; 16]);
    assert_eq!(
        first(warp(shfl_up, 2u32, 16)),
        [0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]
    );
    assert_eq!(
        first(warp(shfl_down, 2u32, 16)),
        [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 14, 15]
    );
    assert_eq!(
        first(warp(shfl_wrap, -2i32, 16)),
        [14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]
    );
    assert_eq!(
        first(warp(shfl_wrap, 2i32, 16)),
        [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1]
    );
    assert_eq!(
        first(warp(shfl_xor, 1u32, 16)),
        [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14]
    );
}

#[test]
fn a_segment_of_any_width_is_a_small_warp() {
    let lanes: Vec<i32> = (0..32).collect();
    for width in [2, 4, 8, 16, 32] {
        let segments = |from: fn(usize) -> Option<usize>| shuffled(&lanes, width, from);
        let width = width as u32;
        assert_eq!(warp(shfl_broadcast, 1u32, width), segments(|_| Some(1)));
        assert_eq!(
            warp(shfl_up, 1u32, width),
            segments(|lane| lane.checked_sub(1))
        );
        assert_eq!(
            warp(shfl_down, 1u32, width),
            segments(|lane| Some(lane + 1))
        );
        assert_eq!(warp(shfl_xor, 1u32, width), segments(|lane| Some(lane ^ 1)));
    }
}

/// What four lanes have after the kernel, each of four values.
fn fours<K>(kernel: K) -> Vec<[i32; 4]>
where
    K: SafeKernel<
        Params = (
            &'static [[i32; 4]],
            DisjointSlice<'static, [i32; 4]>,
            u32,
            u32,
        ),
    >,
{
    let device = device();
    let stream = device.stream().expect("a stream");
    let values = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]];
    let input = DeviceBuffer::from_slice(&device, &values).expect("a buffer");
    let mut output = DeviceBuffer::from_slice(&device, &[[0; 4]; 4]).expect("a buffer");
    let arguments = (&input, &mut output, 1, 16);
    stream
        .launch(kernel, LaunchConfig::new(1, 32), arguments)
        .expect("a launch");
    output.to_vec().expect("no fault")
}

#[test]
fn lanes_exchange_all_their_values_or_one_each() {
    assert_eq!(
        fours(shfl_xor_array),
        [[4, 5, 6, 7], [0, 1, 2, 3], [12, 13, 14, 15], [8, 9, 10, 11]]
    );
    assert_eq!(
        fours(shfl_swap),
        [[7, 1, 2, 3], [4, 5, 6, 0], [15, 9, 10, 11], [12, 13, 14, 8]]
    );
}

#[test]
fn four_integers_aligned_as_one_are_one_load() {
    // Of 4096 integers, a thread each four. The host aligns arrays of four as `Int4`.
    let warps = 4096 / 4 / 32;
    for (variant, loads) in [("shfl_xor_array", 1), ("shfl_xor_int4", 1)] {
        let Some(counters) = count(variant, Setup::new(4096, 1)) else {
            return;
        };
        assert_eq!(counters.global_loads.requests, loads * warps, "{variant}");
        assert_eq!(counters.shared_loads.requests, 0, "{variant}");
    }
}
