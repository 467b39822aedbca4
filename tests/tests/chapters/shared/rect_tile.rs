//! A tile of 32 by 16 that is written along rows or columns and read along rows or columns: which
//! bank conflicts result.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_edges};
use tests::sizes::{cases, lengths};

use super::{Wavefronts, assert_wavefronts, on_a_kepler};

const KERNELS: [(&str, Wavefronts, Wavefronts); 6] = [
    ("rect_row_row", (1.0, 1.0), (1.0, 1.0)),
    ("rect_col_col", (16.0, 16.0), (8.0, 8.0)),
    ("rect_row_col", (1.0, 16.0), (1.0, 8.0)),
    ("rect_row_col_dyn", (1.0, 16.0), (1.0, 8.0)),
    ("rect_row_col_pad", (1.0, 1.0), (1.0, 1.0)),
    ("rect_row_col_dyn_pad", (1.0, 1.0), (1.0, 1.0)),
];

/// The kernels' names.
fn kernels() -> impl Iterator<Item = &'static str> {
    KERNELS.into_iter().map(|(variant, ..)| variant)
}

#[test]
fn tiles_agree_with_the_cpu_at_every_edge() {
    assert_agree_at_edges(kernels());
}

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn tiles_agree_with_the_cpu(size in lengths(), padding in 0u32..=32) {
        let setup = Setup { by: Some(padding), ..Setup::new(size, 1) };
        prop_assert_eq!(all_agree(kernels(), setup), Ok(()));
    }
}

#[test]
fn rows_are_in_all_banks_and_columns_in_one_unless_they_are_padded() {
    for (variant, expected, _) in KERNELS {
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

#[test]
fn banks_of_8_bytes_halve_the_conflicts_of_a_kepler() {
    for (variant, _, expected) in KERNELS {
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
