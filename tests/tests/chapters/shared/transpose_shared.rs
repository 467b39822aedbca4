//! Transposes through tiles in shared memory: rows on both sides of global memory, and the bank
//! conflicts of the transpose.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::count::count;
use tests::ptx;
use tests::sizes::{MATRIX_EDGES, cases};

/// Each kernel with the wavefronts of a load from its tile, and how many tiles a block does.
const KERNELS: [(&str, f64, u64); 7] = [
    ("transpose_smem", 32.0, 1),
    ("transpose_smem_dyn", 32.0, 1),
    ("transpose_smem_pad", 1.0, 1),
    ("transpose_smem_dyn_pad", 1.0, 1),
    ("transpose_smem_unroll", 32.0, 2),
    ("transpose_smem_unroll_pad", 1.0, 2),
    ("transpose_smem_unroll_pad_dyn", 1.0, 2),
];

fn matrix(columns: usize, rows: usize, seed: u64) -> Setup {
    Setup {
        rows: Some(rows),
        ..Setup::new(columns, seed)
    }
}

#[test]
fn transposes_agree_with_the_cpu_at_every_edge() {
    for (variant, ..) in KERNELS {
        for (columns, rows) in MATRIX_EDGES {
            assert_agrees(variant, matrix(columns, rows, 1));
        }
    }
}

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn transposes_agree_with_the_cpu(columns in 0usize..200, rows in 0usize..200, seed: u64) {
        for (variant, ..) in KERNELS {
            prop_assert_eq!(agrees(variant, matrix(columns, rows, seed)), Ok(()));
        }
    }
}

#[test]
fn both_sides_are_coalesced_and_padding_takes_the_conflicts_away() {
    for (variant, wavefronts, tiles) in KERNELS {
        let Some(counters) = count(variant, Setup::new(128, 1)) else {
            return;
        };
        for access in [counters.global_loads, counters.global_stores] {
            assert_eq!(
                access.sectors_per_request(),
                4.0,
                "{variant}: {counters:#?}"
            );
            assert_eq!(access.requests, 128 * 128 / 32, "{variant}");
        }
        let seen = (
            counters.shared_stores.wavefronts_per_request(),
            counters.shared_loads.wavefronts_per_request(),
        );
        assert_eq!(seen, (1.0, wavefronts), "{variant}");
        // One barrier for each of a block's 8 warps, whatever the block does.
        assert_eq!(counters.barriers, 16 / tiles * 8, "{variant}");
    }
}

#[test]
fn what_a_thread_carries_is_in_registers() {
    for (target, text) in ptx::embedded() {
        for (variant, ..) in KERNELS {
            let kernel = ptx::kernel(text, variant);
            assert!(!kernel.contains(".local"), "{target}: {kernel}");
        }
    }
}
