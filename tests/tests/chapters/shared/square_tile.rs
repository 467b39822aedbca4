//! A square tile that is written along rows or columns and read along rows or columns: which bank
//! conflicts result.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_edges};
use tests::sizes::{cases, lengths};

use super::{Wavefronts, assert_wavefronts, on_a_kepler};

const KERNELS: [(&str, Wavefronts, Wavefronts); 6] = [
    ("square_row_row", (1.0, 1.0), (1.0, 1.0)),
    ("square_col_col", (32.0, 32.0), (16.0, 16.0)),
    ("square_row_col", (1.0, 32.0), (1.0, 16.0)),
    ("square_row_col_dyn", (1.0, 32.0), (1.0, 16.0)),
    // Where two words share a bank, every second column has a pair of elements in one bank:
    // padding does not always help on Kepler.
    ("square_row_col_pad", (1.0, 1.0), (1.0, 1.5)),
    ("square_row_col_dyn_pad", (1.0, 1.0), (1.0, 1.5)),
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
fn banks_of_8_bytes_halve_the_conflicts_of_a_kepler() {
    for (variant, _, expected) in KERNELS {
        let seen = on_a_kepler(variant, [32, 32, 1], 4 * 32 * 33, &[]);
        assert_eq!(seen, expected, "{variant}");
    }
}
