//! Whether an element is above a threshold, by one flag that several threads may set.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agree_at_edges};
use tests::sizes::cases;

use super::assert_races_are_found_in;

#[test]
fn thresholds_agree_with_the_cpu_at_every_edge() {
    assert_agree_at_edges(["check_threshold_atomic"]);
}

#[test]
fn an_atomic_flag_has_no_race_and_a_plain_one_has() {
    assert_races_are_found_in("check_threshold", ["check_threshold_atomic"]);
}

proptest! {
    #![proptest_config(cases(6))]

    /// With the threshold at the top hardly any element is above it: none, one, or a few.
    #[test]
    fn one_element_above_the_threshold_is_found(size in 0usize..3000, seed: u64, by in 2020u32..2048) {
        let setup = Setup { by: Some(by), ..Setup::new(size, seed) };
        prop_assert_eq!(agrees("check_threshold_atomic", setup), Ok(()));
    }
}
