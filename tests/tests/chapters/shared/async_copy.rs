//! Asynchronous copies: the same answer as a plain copy, and the instructions that make them.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::ptx;
use tests::sizes::{EDGES, cases, lengths};

const KERNELS: [&str; 3] = [
    "copy_async_barrier",
    "copy_async_pipeline_2",
    "copy_async_pipeline_3",
];

#[test]
fn asynchronous_copies_agree_with_the_cpu_at_every_edge() {
    for variant in KERNELS {
        for size in EDGES {
            assert_agrees(variant, Setup::new(size, 1));
            // One block, which goes through its places several times.
            let setup = Setup {
                by: Some(1),
                ..Setup::new(size, 2)
            };
            assert_agrees(variant, setup);
        }
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn asynchronous_copies_agree_with_the_cpu(size in lengths(), seed: u64, grid in 1u32..9) {
        for variant in KERNELS {
            let setup = Setup { by: Some(grid), ..Setup::new(size, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }
}

#[test]
fn bytes_go_past_the_registers() {
    for (target, text) in ptx::embedded() {
        for kernel in KERNELS {
            let kernel = ptx::kernel(text, kernel);
            assert!(
                kernel.contains("cp.async.ca.shared.global"),
                "{target}: {kernel}"
            );
            assert_eq!(ptx::count(kernel, "ld.global"), 0, "{target}: {kernel}");
        }
    }
}
