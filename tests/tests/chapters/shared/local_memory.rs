//! An array of each thread: in which memory it is.

use gpu::shared::local_memory::{BINS, local_array_dynamic, local_array_static};
use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::count::count;
use tests::ptx;
use tests::sizes::{EDGES, cases, lengths};

const KERNELS: [&str; 2] = ["local_array_dynamic", "local_array_static"];

#[test]
fn counts_agree_with_the_cpu_at_every_edge() {
    for variant in KERNELS {
        for size in EDGES {
            assert_agrees(variant, Setup::new(size, 1));
        }
    }
}

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn counts_agree_with_the_cpu(size in lengths(), seed: u64, block in 1u32..=256) {
        for variant in KERNELS {
            let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }
}

#[test]
fn an_array_is_in_local_memory_if_an_index_is_known_only_at_run_time() {
    for (target, text) in ptx::embedded() {
        let is_local = KERNELS.map(|variant| ptx::kernel(text, variant).contains(".local"));
        assert_eq!(is_local, [true, false], "{target}");
    }
    // The driver says it too, on a GPU by what its assembler made.
    let device = tests::device();
    let dynamic = device.resources(local_array_dynamic).expect("the kernel");
    let fixed = device.resources(local_array_static).expect("the kernel");
    assert!(dynamic.local >= 4 * BINS as u32, "{dynamic:?}");
    assert_eq!(fixed.local, 0, "{fixed:?}");
}

#[test]
fn each_element_costs_a_load_and_a_store_of_local_memory_or_nothing() {
    let size = 1 << 12;
    let (Some(dynamic), Some(fixed)) = (
        count(KERNELS[0], Setup::new(size, 1)),
        count(KERNELS[1], Setup::new(size, 1)),
    ) else {
        return;
    };
    assert_eq!(fixed.local_requests, 0);
    assert!(
        dynamic.local_requests >= 2 * size as u64 / 32,
        "{dynamic:#?}"
    );
}
