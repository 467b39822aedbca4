//! Tiles that are written along rows or columns and read along rows or columns: which
//! bank conflicts result.

use lanewise_patterns::Setup;
use lanewise_sim::BankWidth;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::count::count;
use tests::kepler;
use tests::sizes::{EDGES, cases, lengths};

/// Wavefronts of a store and of a load: with today's banks of 4 bytes, and in the K40's mode
/// of 8 bytes.
type Wavefronts = (f64, f64);

const SQUARE: [(&str, Wavefronts, Wavefronts); 6] = [
    ("square_row_row", (1.0, 1.0), (1.0, 1.0)),
    ("square_col_col", (32.0, 32.0), (16.0, 16.0)),
    ("square_row_col", (1.0, 32.0), (1.0, 16.0)),
    ("square_row_col_dyn", (1.0, 32.0), (1.0, 16.0)),
    // Where two words share a bank, every second column has a pair of elements in one bank:
    // padding does not always help on Kepler.
    ("square_row_col_pad", (1.0, 1.0), (1.0, 1.5)),
    ("square_row_col_dyn_pad", (1.0, 1.0), (1.0, 1.5)),
];

const RECT: [(&str, Wavefronts, Wavefronts); 6] = [
    ("rect_row_row", (1.0, 1.0), (1.0, 1.0)),
    ("rect_col_col", (16.0, 16.0), (8.0, 8.0)),
    ("rect_row_col", (1.0, 16.0), (1.0, 8.0)),
    ("rect_row_col_dyn", (1.0, 16.0), (1.0, 8.0)),
    ("rect_row_col_pad", (1.0, 1.0), (1.0, 1.0)),
    ("rect_row_col_dyn_pad", (1.0, 1.0), (1.0, 1.0)),
];

#[test]
fn tiles_agree_with_the_cpu_at_every_edge() {
    for (variant, ..) in SQUARE.into_iter().chain(RECT) {
        for size in EDGES {
            assert_agrees(variant, Setup::new(size, 1));
        }
    }
}

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn tiles_agree_with_the_cpu(size in lengths(), padding in 0u32..=32) {
        for (variant, ..) in SQUARE.into_iter().chain(RECT) {
            let setup = Setup { by: Some(padding), ..Setup::new(size, 1) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }
}

#[test]
fn rows_are_in_all_banks_and_columns_in_one_unless_they_are_padded() {
    for (variant, expected, _) in SQUARE.into_iter().chain(RECT) {
        assert_wavefronts(variant, Setup::new(4096, 1), expected);
    }
}

#[test]
fn one_word_of_padding_leaves_two_columns_of_sixteen_in_each_others_way() {
    let by = |padding| Setup {
        by: Some(padding),
        ..Setup::new(4096, 1)
    };
    assert_wavefronts("rect_row_col_dyn_pad", by(0), (1.0, 16.0));
    assert_wavefronts("rect_row_col_dyn_pad", by(1), (1.0, 2.0));
    assert_wavefronts("rect_row_col_dyn_pad", by(2), (1.0, 1.0));
}

#[track_caller]
fn assert_wavefronts(variant: &str, setup: Setup, expected: Wavefronts) {
    let Some(counters) = count(variant, setup) else {
        return;
    };
    let (stores, loads) = (counters.shared_stores, counters.shared_loads);
    let seen = (
        stores.wavefronts_per_request(),
        loads.wavefronts_per_request(),
    );
    assert_eq!(seen, expected, "{variant} with {setup:?}");
}

#[test]
fn banks_of_8_bytes_halve_the_conflicts_of_a_kepler() {
    for (variant, _, expected) in SQUARE {
        let more: &[u8] = &[];
        assert_eq!(
            on_a_kepler(variant, [32, 32, 1], 4 * 32 * 33, more),
            expected,
            "{variant}"
        );
    }
    for (variant, _, expected) in RECT {
        let padding = 2u32.to_le_bytes();
        let more = if variant == "rect_row_col_dyn_pad" {
            &padding[..]
        } else {
            &[]
        };
        assert_eq!(
            on_a_kepler(variant, [32, 16, 1], 4 * 16 * 34, more),
            expected,
            "{variant}"
        );
    }
}

#[test]
fn one_word_of_padding_is_not_enough_on_a_kepler() {
    let padded = |padding: u32| {
        let bytes = 4 * 16 * (32 + padding);
        on_a_kepler(
            "rect_row_col_dyn_pad",
            [32, 16, 1],
            bytes,
            &padding.to_le_bytes(),
        )
    };
    assert_eq!(padded(0), (1.0, 8.0));
    assert_eq!(padded(1), (1.0, 2.0));
    assert_eq!(padded(2), (1.0, 1.0));
}

/// The wavefronts of a block on a K40 whose banks are 8 bytes wide.
fn on_a_kepler(variant: &str, threads: [u32; 3], bytes: u32, more: &[u8]) -> Wavefronts {
    let dynamic_shared = if variant.contains("dyn") { bytes } else { 0 };
    let block = kepler::Block {
        kernel: (kepler::kernel(variant), variant),
        threads,
        slices: 1,
        more,
        dynamic_shared,
        banks: BankWidth::Eight,
    };
    let counters = block.count();
    let (stores, loads) = (counters.shared_stores, counters.shared_loads);
    (
        stores.wavefronts_per_request(),
        loads.wavefronts_per_request(),
    )
}
