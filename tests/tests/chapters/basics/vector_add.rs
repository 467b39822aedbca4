//! One element a thread, in one block and in many.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::sizes::{EDGES, cases, lengths};

#[test]
fn vector_addition_agrees_with_the_cpu_at_every_edge() {
    for size in EDGES {
        assert_agrees("vec_add", Setup::new(size, 1));
        assert_agrees("vec_add_one_block", Setup::new(size.min(1024), 1));
    }
}

#[test]
fn vec_add_agrees_with_the_cpu_on_a_large_vector() {
    assert_agrees("vec_add", Setup::new((1 << 20) + 1, 1));
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn vec_add_agrees_with_the_cpu(size in lengths(), seed: u64, block in 1u32..=1024) {
        let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
        prop_assert_eq!(agrees("vec_add", setup), Ok(()));
    }

    #[test]
    fn vec_add_one_block_agrees_with_the_cpu(size in 0usize..=1024, seed: u64) {
        prop_assert_eq!(agrees("vec_add_one_block", Setup::new(size, seed)), Ok(()));
    }
}
