//! The recursion on the CPU.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agree_at_edges};
use tests::sizes::{cases, lengths};

#[test]
fn the_recursion_agrees_at_every_edge() {
    assert_agree_at_edges(["recursive_reduce_cpu"]);
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn the_recursion_agrees(size in lengths(), seed: u64) {
        prop_assert_eq!(agrees("recursive_reduce_cpu", Setup::new(size, seed)), Ok(()));
    }
}
