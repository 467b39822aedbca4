//! Every atomic: no update is lost, and exactly the races are found.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_edges};
use tests::sizes::cases;

use super::assert_races_are_found_in;

const KERNELS: [&str; 8] = [
    "atomic_i32",
    "atomic_u32",
    "atomic_i64",
    "atomic_u64",
    "atomic_inc_dec",
    "atomic_f32",
    "atomic_f64",
    "atomic_scopes",
];

#[test]
fn atomics_agree_with_the_cpu_at_every_edge() {
    assert_agree_at_edges(KERNELS);
}

#[test]
fn atomics_have_no_races_and_a_plain_increment_has() {
    let atomic = KERNELS.into_iter().chain(["incr_atomic", "my_atomic_add"]);
    assert_races_are_found_in("incr_racy", atomic);
}

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn atomics_agree_with_the_cpu(size in 0usize..2000, seed: u64, block in 1u32..=1024) {
        let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
        prop_assert_eq!(all_agree(KERNELS, setup), Ok(()));
    }
}
