//! Precision, functions, fused operations: right to the last place, or within their bounds.

use lanewise_patterns::Setup;
use lanewise_patterns::accuracy::{FunctionAccuracy, Inputs, measure};
use lanewise_patterns::instruction::fma::{neighbours, operands};
use lanewise_patterns::instruction::functions::{FUNCTIONS, Function};
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::count::count;
use tests::ptx;
use tests::sizes::{EDGES, cases};

const BUSY: [&str; 2] = ["busy_f32", "busy_f64"];

const FUSED: [&str; 7] = [
    "mul_add_contracted",
    "mul_add_separate",
    "mul_add_by_name",
    "mul_add_rn",
    "mul_add_rz",
    "mul_add_ru",
    "mul_add_rd",
];

/// The kernels of a function: standard and intrinsic.
fn kernels(function: &Function) -> [String; 2] {
    ["standard", "intrinsic"].map(|kind| format!("{}_{kind}", function.name))
}

#[test]
fn arithmetic_agrees_with_the_cpu_at_every_edge() {
    for variant in BUSY.into_iter().chain(FUSED) {
        for size in EDGES {
            assert_agrees(variant, Setup::new(size, 1));
        }
    }
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
    fn arithmetic_agrees_with_the_cpu(size in 0usize..3000, seed: u64, block in 1u32..=1024) {
        let functions = FUNCTIONS.iter().flat_map(kernels);
        for variant in BUSY.into_iter().chain(FUSED).map(str::to_owned).chain(functions) {
            let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
            prop_assert_eq!(agrees(&variant, setup), Ok(()));
        }
    }
}

#[test]
fn double_precision_takes_the_same_instructions_and_twice_the_bytes() {
    for (target, text) in ptx::embedded() {
        let [single, double] = BUSY.map(|kernel| ptx::kernel(text, kernel));
        assert!(!single.contains(".f64"), "{target}: {single}");
        assert!(ptx::count(single, "fma.rn.f32") > 0, "{target}: {single}");
        let fused = ["fma.rn.f32", "fma.rn.f64"];
        assert_eq!(
            ptx::count(single, fused[0]),
            ptx::count(double, fused[1]),
            "{target}"
        );
    }
    let (Some(single), Some(double)) = (
        count("busy_f32", Setup::new(1024, 1)),
        count("busy_f64", Setup::new(1024, 1)),
    ) else {
        return;
    };
    assert_eq!(double.global_loads.bytes, 2 * single.global_loads.bytes);
    assert_eq!(double.ptx_instructions, single.ptx_instructions);
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

#[test]
fn a_contracted_product_is_one_instruction_and_a_separate_one_two() {
    for (target, text) in ptx::embedded() {
        let fused = |kernel| ptx::count(ptx::kernel(text, kernel), "fma.");
        assert_eq!(FUSED.map(fused), [1, 0, 0, 1, 1, 1, 1], "{target}");
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
