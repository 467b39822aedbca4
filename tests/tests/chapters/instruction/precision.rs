//! Single and double precision: the same instructions, twice the bytes.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_edges};
use tests::count::count;
use tests::ptx;
use tests::sizes::cases;

const KERNELS: [&str; 2] = ["busy_f32", "busy_f64"];

#[test]
fn both_precisions_agree_with_the_cpu_at_every_edge() {
    assert_agree_at_edges(KERNELS);
}

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn both_precisions_agree_with_the_cpu(size in 0usize..3000, seed: u64, block in 1u32..=1024) {
        let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
        prop_assert_eq!(all_agree(KERNELS, setup), Ok(()));
    }
}

#[test]
fn double_precision_takes_the_same_instructions_and_twice_the_bytes() {
    for (target, text) in ptx::embedded() {
        let [single, double] = KERNELS.map(|kernel| ptx::kernel(text, kernel));
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
