//! Products and sums, rounded once or twice, in each direction.

use lanewise_patterns::Setup;
use lanewise_patterns::instruction::fma::{neighbours, operands};
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_edges};
use tests::ptx;
use tests::sizes::cases;

const KERNELS: [&str; 7] = [
    "mul_add_contracted",
    "mul_add_separate",
    "mul_add_by_name",
    "mul_add_rn",
    "mul_add_rz",
    "mul_add_ru",
    "mul_add_rd",
];

#[test]
fn products_and_sums_agree_with_the_cpu_at_every_edge() {
    assert_agree_at_edges(KERNELS);
}

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn products_and_sums_agree_with_the_cpu(size in 0usize..3000, seed: u64, block in 1u32..=1024) {
        let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
        prop_assert_eq!(all_agree(KERNELS, setup), Ok(()));
    }
}

#[test]
fn a_contracted_product_is_one_instruction_and_a_separate_one_two() {
    for (target, text) in ptx::embedded() {
        let fused = |kernel| ptx::count(ptx::kernel(text, kernel), "fma.");
        assert_eq!(KERNELS.map(fused), [1, 0, 0, 1, 1, 1, 1], "{target}");
    }
}

/// Where the sum almost cancels the product, the ways of rounding have nothing in common.
#[test]
fn the_roundings_differ() {
    let [a, b, c] = operands(1000, 1);
    let (mut once_or_twice, mut direction) = (0, 0);
    for ((a, b), c) in a.into_iter().zip(b).zip(c) {
        once_or_twice += u32::from(a.mul_add(b, c) != a * b + c);
        let [down, up] = neighbours(a, b, c);
        direction += u32::from(down != up);
    }
    // Every second triple cancels; of the others, few are rounded differently.
    assert!((400..700).contains(&once_or_twice), "{once_or_twice}");
    // What is left of a cancelled product has few digits, and is exact; of the others
    // hardly one is.
    assert!(direction > 300, "{direction}");
}
