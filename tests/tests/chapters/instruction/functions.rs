//! Functions, standard and intrinsic: right to the last place, or within their bounds.

use lanewise_patterns::Setup;
use lanewise_patterns::accuracy::{FunctionAccuracy, Inputs, measure};
use lanewise_patterns::instruction::functions::{FUNCTIONS, Function};
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agrees};
use tests::count::count;
use tests::sizes::cases;

/// The kernels of a function: standard and intrinsic.
fn kernels(function: &Function) -> [String; 2] {
    ["standard", "intrinsic"].map(|kind| format!("{}_{kind}", function.name))
}

#[test]
fn functions_agree_with_the_cpu_at_every_edge() {
    for variant in FUNCTIONS.iter().flat_map(kernels) {
        for size in [0, 1, 33, 257] {
            assert_agrees(&variant, Setup::new(size, 1));
        }
    }
}

/// Element 719 is near -44.36, where the rounding of `x * log2(e)` costs most: 54.1 units, of which
/// NVIDIA's bound allows 54.
#[test]
fn the_exponential_may_be_a_unit_beyond_its_documented_bound() {
    let setup = Setup::new(720, 3287376389881053560);
    assert_agrees("exp_intrinsic", setup);
}

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn functions_agree_with_the_cpu(size in 0usize..3000, seed: u64, block in 1u32..=1024) {
        let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
        prop_assert_eq!(all_agree(FUNCTIONS.iter().flat_map(kernels), setup), Ok(()));
    }
}

#[test]
fn an_intrinsic_takes_fewer_instructions() {
    for function in &FUNCTIONS {
        let [standard, intrinsic] =
            kernels(function).map(|kernel| count(&kernel, Setup::new(1024, 1)));
        let (Some(standard), Some(intrinsic)) = (standard, intrinsic) else {
            return;
        };
        let (standard, intrinsic) = (standard.ptx_instructions, intrinsic.ptx_instructions);
        match function.name {
            // One instruction each.
            "sqrt" | "div" => assert_eq!(intrinsic, standard, "{}", function.name),
            name => assert!(intrinsic < standard, "{name}: {intrinsic} and {standard}"),
        }
    }
}

/// Standard functions are within their bound over *all* inputs, of which this is a sample; an
/// intrinsic is not, outside of its range.
#[test]
fn standard_functions_are_accurate_everywhere() {
    let device = tests::device();
    for function in &FUNCTIONS {
        let [standard, intrinsic] =
            measure(&device, function, Inputs::Sample(13)).expect("it runs");
        let FunctionAccuracy { all, range } = standard;
        assert_eq!(
            (all.inputs, all.wrong),
            (1 << 13, 0),
            "{}: {all:?}",
            function.name
        );
        assert!(all.max <= function.units, "{}: {all:?}", function.name);
        assert!(range.inputs > 0 && range.inputs < all.inputs && range.max <= all.max);
        let approximate = intrinsic.all;
        // A root of 23 bits is rounded correctly more often than not: a sample may hold no other.
        let exceeds = approximate.max > all.max || approximate.wrong > 0;
        assert!(
            exceeds || function.name == "sqrt",
            "{}: {approximate:?}",
            function.name
        );
    }
}
