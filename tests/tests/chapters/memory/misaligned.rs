//! Loads and stores from an offset on.

use gpu::memory::misaligned_read::{read_offset, read_offset_unroll2, read_offset_unroll4};
use gpu::memory::misaligned_write::{write_offset, write_offset_unroll2, write_offset_unroll4};
use lanewise::{Arguments, DeviceBuffer, LaunchConfig, LaunchError, Part, Stream};
use lanewise_patterns::memory::misaligned_read as read;
use lanewise_patterns::memory::misaligned_write as write;
use lanewise_patterns::{Setup, input};
use lanewise_std::kernel::SafeKernel;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::sizes::{EDGES, blocks, cases, lengths};

use super::{assert_sectors, by};

const READS: [&str; 3] = ["read_offset", "read_offset_unroll2", "read_offset_unroll4"];
const WRITES: [&str; 3] = [
    "write_offset",
    "write_offset_unroll2",
    "write_offset_unroll4",
];

#[test]
fn misaligned_sums_agree_with_the_cpu_at_every_edge() {
    for variant in READS.into_iter().chain(WRITES) {
        for size in EDGES {
            for offset in [0, 1, 11, 128] {
                assert_agrees(variant, by(size, offset));
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn misaligned_sums_agree_with_the_cpu(size in lengths(), seed: u64, offset in 0u32..400, block in blocks()) {
        for variant in READS.into_iter().chain(WRITES) {
            let setup = Setup { by: Some(offset), block: Some(block), ..Setup::new(size, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }

    #[test]
    fn slices_of_any_lengths_are_not_overrun(a in 0usize..700, b in 0usize..700, c in 0usize..700, offset in 0u32..800) {
        for kernel in [reads(read_offset, 1), reads(read_offset_unroll2, 2), reads(read_offset_unroll4, 4)] {
            prop_assert_eq!(kernel([a, b, c], offset), expected(read::add_from, [a, b, c], offset));
        }
        for kernel in [writes(write_offset, 1), writes(write_offset_unroll2, 2), writes(write_offset_unroll4, 4)] {
            prop_assert_eq!(kernel([a, b, c], offset), expected(write::add_to, [a, b, c], offset));
        }
    }
}

/// What a launch leaves in a slice of ones, from inputs and an output of these lengths.
type Sums = Box<dyn Fn([usize; 3], u32) -> Vec<f32>>;

/// The buffers of a launch: both vectors and the output.
type Buffers<'a> = (
    &'a DeviceBuffer<f32>,
    &'a DeviceBuffer<f32>,
    &'a mut DeviceBuffer<f32>,
);

/// Launches a kernel that reads from the offset on.
fn reads<K: SafeKernel>(kernel: K, unroll: usize) -> Sums
where
    for<'a> (
        &'a DeviceBuffer<f32>,
        &'a DeviceBuffer<f32>,
        &'a mut DeviceBuffer<f32>,
        u32,
    ): Arguments<K::Params>,
{
    sums(unroll, move |stream, config, (a, b, c), offset| {
        tests::device().launch(stream, kernel, config, (a, b, c, offset))
    })
}

/// Launches a kernel that writes the part of the output that begins at the offset.
fn writes<K: SafeKernel>(kernel: K, unroll: usize) -> Sums
where
    for<'a> (
        &'a DeviceBuffer<f32>,
        &'a DeviceBuffer<f32>,
        &'a mut Part<'a, f32>,
    ): Arguments<K::Params>,
{
    sums(unroll, move |stream, config, (a, b, c), offset| {
        let mut c = c.part(c.len().min(offset as usize)..);
        tests::device().launch(stream, kernel, config, (a, b, &mut c))
    })
}

/// Makes the buffers for a launch with `unroll` elements for each thread.
fn sums(
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
fn expected(
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

#[test]
fn loads_touch_5_sectors_at_offset_11_and_4_at_0_and_128() {
    for variant in READS {
        assert_sectors(variant, by(4096, 0), 4.0, 4.0);
        assert_sectors(variant, by(4096, 11), 5.0, 4.0);
        assert_sectors(variant, by(4096, 128), 4.0, 4.0);
    }
}

#[test]
fn stores_touch_5_sectors_at_offset_11_and_4_at_0_and_128() {
    for variant in WRITES {
        assert_sectors(variant, by(4096, 0), 4.0, 4.0);
        assert_sectors(variant, by(4096, 11), 4.0, 5.0);
        assert_sectors(variant, by(4096, 128), 4.0, 4.0);
    }
}

#[test]
fn only_offsets_of_whole_sectors_are_free() {
    for offset in 0..=32 {
        let loads = if offset % 8 == 0 { 4.0 } else { 5.0 };
        assert_sectors("read_offset", by(1024, offset), loads, 4.0);
    }
}

#[test]
fn unrolling_moves_the_same_sectors() {
    for variants in [READS, WRITES] {
        let counted = variants.map(|variant| tests::count::count(variant, by(4096, 11)));
        let [Some(one), Some(two), Some(four)] = counted else {
            return;
        };
        for more in [two, four] {
            assert_eq!(more.global_loads, one.global_loads);
            assert_eq!(more.global_stores, one.global_stores);
        }
    }
}
