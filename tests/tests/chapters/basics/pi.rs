//! Strips under a curve: their area is pi.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::sizes::cases;

#[test]
fn pi_is_pi_to_five_places_and_no_strips_have_no_area() {
    for strips in [0, 1, 2, 1000, 65_537, 1 << 20] {
        assert_agrees("pi_partial", Setup::new(strips, 0));
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn pi_is_pi_to_five_places_in_every_shape(strips in 1000usize..100_000, block in 1u32..=1024) {
        let setup = Setup { block: Some(block), ..Setup::new(strips, 0) };
        prop_assert_eq!(agrees("pi_partial", setup), Ok(()));
    }
}
