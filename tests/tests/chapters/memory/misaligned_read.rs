//! Loads from an offset on.

use gpu::memory::misaligned_read::{read_offset, read_offset_unroll2, read_offset_unroll4};
use lanewise::{Arguments, DeviceBuffer};
use lanewise_patterns::Setup;
use lanewise_patterns::memory::misaligned_read::add_from;
use lanewise_std::kernel::SafeKernel;
use proptest::prelude::*;
use tests::agree::all_agree;
use tests::sizes::{blocks, cases, lengths};

use super::misaligned::{Sums, assert_agree, assert_same_sectors, expected, sums};
use super::{assert_sectors, by};

const KERNELS: [&str; 3] = ["read_offset", "read_offset_unroll2", "read_offset_unroll4"];

#[test]
fn misaligned_reads_agree_with_the_cpu_at_every_edge() {
    assert_agree(KERNELS);
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn misaligned_reads_agree_with_the_cpu(size in lengths(), seed: u64, offset in 0u32..400, block in blocks()) {
        let setup = Setup { by: Some(offset), block: Some(block), ..Setup::new(size, seed) };
        prop_assert_eq!(all_agree(KERNELS, setup), Ok(()));
    }

    #[test]
    fn slices_of_any_lengths_are_not_overrun(a in 0usize..700, b in 0usize..700, c in 0usize..700, offset in 0u32..800) {
        for kernel in [reads(read_offset, 1), reads(read_offset_unroll2, 2), reads(read_offset_unroll4, 4)] {
            prop_assert_eq!(kernel([a, b, c], offset), expected(add_from, [a, b, c], offset));
        }
    }
}

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
        stream.launch(kernel, config, (a, b, c, offset))
    })
}

#[test]
fn loads_touch_5_sectors_at_offset_11_and_4_at_0_and_128() {
    for variant in KERNELS {
        assert_sectors(variant, by(4096, 0), 4.0, 4.0);
        assert_sectors(variant, by(4096, 11), 5.0, 4.0);
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
    assert_same_sectors(KERNELS);
}
