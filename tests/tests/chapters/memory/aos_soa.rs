//! Points as an array of structures and as a structure of arrays.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::count::count;
use tests::ptx;
use tests::sizes::{EDGES, cases, lengths};

const KERNELS: [&str; 4] = ["aos_update", "aos_read_x", "soa_update", "aligned_struct"];

#[test]
fn points_agree_with_the_cpu_at_every_edge() {
    for variant in KERNELS {
        for size in EDGES {
            assert_agrees(variant, Setup::new(size, 1));
        }
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn points_agree_with_the_cpu(size in lengths(), seed: u64, block in 1u32..=1024) {
        for variant in KERNELS {
            prop_assert_eq!(agrees(variant, Setup { block: Some(block), ..Setup::new(size, seed) }), Ok(()));
        }
    }
}

#[test]
fn fields_of_an_array_of_structures_load_at_half_efficiency() {
    for (variant, loads, stores) in [
        ("aos_update", 1.0, 1.0),
        ("aos_read_x", 0.5, 1.0),
        ("soa_update", 1.0, 1.0),
        ("aligned_struct", 1.0, 1.0),
    ] {
        let Some(counters) = count(variant, Setup::new(4096, 1)) else {
            return;
        };
        let (load, store) = (counters.global_loads, counters.global_stores);
        assert_eq!(
            (load.efficiency(), store.efficiency()),
            (loads, stores),
            "{variant}: {counters:#?}"
        );
    }
}

#[test]
fn an_aligned_structure_is_one_load_and_one_store() {
    for (target, text) in ptx::embedded() {
        let aligned = ptx::kernel(text, "aligned_struct");
        let (loads, stores) = ("ld.global.nc.v2.b32", "st.global.v2.b32");
        assert_eq!(
            (ptx::count(aligned, loads), ptx::count(aligned, stores)),
            (1, 1),
            "{target}:\n{aligned}"
        );
        let apart = ptx::kernel(text, "aos_update");
        assert_eq!(
            (
                ptx::count(apart, "ld.global"),
                ptx::count(apart, "st.global")
            ),
            (1, 1),
            "{target}:\n{apart}"
        );
    }
}
