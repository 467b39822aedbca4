//! Loads with cache operators.

use lanewise_patterns::Setup;
use lanewise_sim::BankWidth;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::kepler;
use tests::ptx;
use tests::sizes::{EDGES, cases, lengths};

use super::{assert_sectors, by};

/// Each kernel, and the load that is in its PTX.
const KERNELS: [(&str, &str); 4] = [
    ("copy_cached", "ld.global.ca.b32"),
    ("copy_uncached", "ld.global.cg.b32"),
    ("copy_ldg", "ld.global.nc.b32"),
    ("copy_restrict", "ld.global.nc.b32"),
];

#[test]
fn copies_through_every_cache_agree_with_the_cpu_at_every_edge() {
    for (variant, _) in KERNELS {
        for size in EDGES {
            assert_agrees(variant, by(size, 0));
            assert_agrees(variant, by(size, 11));
        }
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn copies_through_every_cache_agree_with_the_cpu(size in lengths(), seed: u64, offset in 0u32..200, block in 1u32..=1024) {
        for (variant, _) in KERNELS {
            let setup = Setup { by: Some(offset), block: Some(block), ..Setup::new(size, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }
}

#[test]
fn each_kernel_has_its_one_load_in_the_ptx() {
    for (target, text) in ptx::embedded() {
        for (variant, load) in KERNELS {
            let kernel = ptx::kernel(text, variant);
            let loads = (ptx::count(kernel, load), ptx::count(kernel, "ld.global"));
            assert_eq!(loads, (1, 1), "{target}:\n{kernel}");
        }
    }
}

#[test]
fn with_caches_of_sectors_every_path_moves_the_same() {
    for (variant, _) in KERNELS {
        assert_sectors(variant, by(4096, 0), 4.0, 4.0);
        assert_sectors(variant, by(4096, 1), 5.0, 4.0);
    }
}

#[test]
fn past_l1_a_kepler_wastes_less() {
    // 32 neighbours; the same one float further; of each, the part of the moved bytes
    // that was wanted.
    for (variant, aligned, misaligned) in [
        ("copy_cached", 1.0, 0.5),
        ("copy_uncached", 1.0, 0.8),
        ("copy_ldg", 1.0, 0.8),
    ] {
        assert_eq!(kepler_bus_utilization(variant, 0), aligned, "{variant}");
        assert_eq!(kepler_bus_utilization(variant, 1), misaligned, "{variant}");
    }
}

#[test]
fn one_address_for_all_lanes_uses_3_percent_of_a_line_and_12_of_a_sector() {
    assert_eq!(kepler_broadcast("ld.global.ca.b32"), 0.03125);
    assert_eq!(kepler_broadcast("ld.global.cg.b32"), 0.125);
}

/// As [`kepler_bus_utilization`], for `gather_same` with its load replaced.
fn kepler_broadcast(load: &str) -> f64 {
    let kernel = kepler::kernel("gather_same").replace("ld.global.nc.b32", load);
    bus_utilization(&kernel, "gather_same", &[])
}

/// Returns which fraction of the bytes that a copy's loads move on a K40 was used.
fn kepler_bus_utilization(variant: &str, offset: u32) -> f64 {
    bus_utilization(kepler::kernel(variant), variant, &offset.to_le_bytes())
}

/// The same for one warp of a kernel that takes an input, an output and these bytes.
fn bus_utilization(kernel: &str, name: &str, more: &[u8]) -> f64 {
    let warp = kepler::Block {
        kernel: (kernel, name),
        threads: [32, 1, 1],
        slices: 2,
        more,
        dynamic_shared: 0,
        banks: BankWidth::Default,
    };
    warp.count().global_loads.bus_utilization()
}
