//! Stores from an offset on.

use gpu::memory::misaligned_write::{write_offset, write_offset_unroll2, write_offset_unroll4};
use lanewise::{Arguments, DeviceBuffer, Part};
use lanewise_patterns::Setup;
use lanewise_patterns::memory::misaligned_write::add_to;
use lanewise_std::kernel::SafeKernel;
use proptest::prelude::*;
use tests::agree::all_agree;
use tests::sizes::{blocks, cases, lengths};

use super::misaligned::{Sums, assert_agree, assert_same_sectors, expected, sums};
use super::{assert_sectors, by};

const KERNELS: [&str; 3] = [
    "write_offset",
    "write_offset_unroll2",
    "write_offset_unroll4",
];

#[test]
fn misaligned_writes_agree_with_the_cpu_at_every_edge() {
    assert_agree(KERNELS);
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn misaligned_writes_agree_with_the_cpu(size in lengths(), seed: u64, offset in 0u32..400, block in blocks()) {
        let setup = Setup { by: Some(offset), block: Some(block), ..Setup::new(size, seed) };
        prop_assert_eq!(all_agree(KERNELS, setup), Ok(()));
    }

    #[test]
    fn slices_of_any_lengths_are_not_overrun(a in 0usize..700, b in 0usize..700, c in 0usize..700, offset in 0u32..800) {
        for kernel in [writes(write_offset, 1), writes(write_offset_unroll2, 2), writes(write_offset_unroll4, 4)] {
            prop_assert_eq!(kernel([a, b, c], offset), expected(add_to, [a, b, c], offset));
        }
    }
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
        let mut c = c.slice_mut(c.len().min(offset as usize)..);
        stream.launch(kernel, config, (a, b, &mut c))
    })
}

#[test]
fn stores_touch_5_sectors_at_offset_11_and_4_at_0_and_128() {
    for variant in KERNELS {
        assert_sectors(variant, by(4096, 0), 4.0, 4.0);
        assert_sectors(variant, by(4096, 11), 4.0, 5.0);
        assert_sectors(variant, by(4096, 128), 4.0, 4.0);
    }
}

#[test]
fn unrolling_moves_the_same_sectors() {
    assert_same_sectors(KERNELS);
}
