//! The derivative: its halo, and the cost of its coefficients.

use gpu::shared::stencil::{BLOCK, RADIUS};
use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::count::count;
use tests::ptx;
use tests::sizes::{EDGES, cases, lengths};

const KERNELS: [&str; 3] = ["stencil_constant", "stencil_readonly", "stencil_ldg"];

#[test]
fn stencils_agree_with_the_cpu_at_every_edge() {
    for variant in KERNELS {
        // Around a block's end, where the right halo is there in part.
        for size in EDGES.into_iter().chain(BLOCK - RADIUS..=BLOCK + RADIUS) {
            assert_agrees(variant, Setup::new(size, 1));
        }
    }
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn stencils_agree_with_the_cpu(size in lengths(), seed: u64) {
        for variant in KERNELS {
            prop_assert_eq!(agrees(variant, Setup::new(size, seed)), Ok(()));
        }
    }
}

#[test]
fn constants_are_loaded_from_one_address_for_all_lanes() {
    for (target, text) in ptx::embedded() {
        let kernel = ptx::kernel(text, "stencil_constant");
        let loads: Vec<&str> = ptx::instructions(kernel)
            .filter(|line| line.starts_with("ld.const"))
            .collect();
        assert!(!loads.is_empty(), "{target}: {kernel}");
        // An address that is a symbol's is the same in every thread.
        let is_of_a_symbol = |line: &&str| line.contains("[STENCIL");
        assert!(loads.iter().all(is_of_a_symbol), "{target}: {loads:?}");
        for variant in ["stencil_readonly", "stencil_ldg"] {
            assert_eq!(
                ptx::count(ptx::kernel(text, variant), "ld.const"),
                0,
                "{target}"
            );
        }
    }
}

#[test]
fn from_global_memory_each_coefficient_is_a_load_of_each_warp() {
    let blocks = 4;
    let (warps, size) = (blocks * BLOCK / 32, blocks * BLOCK);
    // A load of each warp, and one of each block for both halos.
    let samples = warps + blocks;
    for (variant, coefficients) in KERNELS.into_iter().zip([0, RADIUS, RADIUS]) {
        let Some(counters) = count(variant, Setup::new(size, 1)) else {
            return;
        };
        let expected = samples + coefficients * warps;
        assert_eq!(counters.global_loads.requests, expected as u64, "{variant}");
        // 32 neighbours, whatever the offset, are in 32 banks.
        assert_eq!(counters.shared_loads.conflicts, 0, "{variant}");
    }
}
