//! Copies from an offset on, and of every `stride`-th element.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::count::count;
use tests::sizes::{EDGES, cases};

use super::{assert_sectors, by};

#[test]
fn offset_and_strided_copies_agree_with_the_cpu_at_every_edge() {
    for size in EDGES {
        for step in [0, 1, 2, 7, 32] {
            assert_agrees("offset_copy", by(size, step));
            assert_agrees("stride_copy", by(size, step));
        }
    }
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn offset_and_strided_copies_agree_with_the_cpu(size in 0usize..2500, seed: u64, step in 0u32..40, block in 1u32..=1024) {
        for variant in ["offset_copy", "stride_copy"] {
            let setup = Setup { by: Some(step), block: Some(block), ..Setup::new(size, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }
}

#[test]
fn a_stride_of_2_halves_the_efficiency_and_one_of_32_leaves_an_eighth() {
    for (stride, sectors, efficiency) in [(1, 4.0, 1.0), (2, 8.0, 0.5), (32, 32.0, 0.125)] {
        assert_sectors("stride_copy", by(1024, stride), sectors, sectors);
        let Some(counters) = count("stride_copy", by(1024, stride)) else {
            return;
        };
        assert_eq!(
            counters.global_loads.efficiency(),
            efficiency,
            "stride {stride}"
        );
        assert_eq!(
            counters.global_stores.efficiency(),
            efficiency,
            "stride {stride}"
        );
    }
}

#[test]
fn an_offset_costs_a_sector_and_a_stride_all_between() {
    for step in 0..=32u32 {
        let sectors = if step % 8 == 0 { 4.0 } else { 5.0 };
        assert_sectors("offset_copy", by(1024, step), sectors, sectors);
        if step == 0 {
            continue; // a stride of 0 copies nothing
        }
        // From 8 floats on, each lane is in a sector of its own. Below, the lanes fill what they
        // span: a warp starts a multiple of 32 * 4 bytes from the buffer's start, so the span
        // starts with a sector.
        let sectors = f64::from((4 * step).min(32));
        assert_sectors("stride_copy", by(1024, step), sectors, sectors);
    }
}
