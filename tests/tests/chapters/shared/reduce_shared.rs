//! Reductions whose steps use shared memory, and how many global accesses are left.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::count::count;
use tests::sizes::{EDGES, blocks, cases, lengths};

const KERNELS: [&str; 6] = [
    "reduce_gmem",
    "reduce_smem",
    "reduce_smem_dyn",
    "reduce_gmem_unroll4",
    "reduce_smem_unroll4",
    "reduce_smem_unroll4_dyn",
];

#[test]
fn reductions_agree_with_the_cpu_at_every_edge() {
    for variant in KERNELS {
        for size in EDGES {
            assert_agrees(variant, Setup::new(size, 1));
        }
    }
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn reductions_agree_with_the_cpu(size in lengths(), seed: u64, block in blocks()) {
        for variant in KERNELS {
            let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }
}

/// Blocks of 128 threads.
const BLOCK: usize = 128;
/// How many warps a block has.
const WARPS: usize = BLOCK / 32;

/// Requests of loads from and stores to global memory, and from and to shared memory.
fn requests(variant: &str, size: usize) -> Option<[usize; 4]> {
    let setup = Setup {
        block: Some(BLOCK as u32),
        ..Setup::new(size, 1)
    };
    let counters = count(variant, setup)?;
    let requests = [
        counters.global_loads.requests,
        counters.global_stores.requests,
        counters.shared_loads.requests,
        counters.shared_stores.requests,
    ];
    Some(requests.map(|requests| requests as usize))
}

#[test]
fn in_shared_memory_each_element_is_loaded_once_and_a_block_stores_once() {
    let blocks = 16;
    for (variant, unroll) in [
        ("reduce_smem", 1),
        ("reduce_smem_dyn", 1),
        ("reduce_smem_unroll4", 4),
        ("reduce_smem_unroll4_dyn", 4),
    ] {
        let Some([loads, stores, ..]) = requests(variant, blocks * BLOCK * unroll) else {
            return;
        };
        assert_eq!(
            (loads, stores),
            (blocks * WARPS * unroll, blocks),
            "{variant}"
        );
    }
}

#[test]
fn in_global_memory_every_step_of_the_block_loads_and_stores() {
    let blocks = 16;
    let Some([loads, stores, shared_loads, shared_stores]) =
        requests("reduce_gmem", blocks * BLOCK)
    else {
        return;
    };
    // One step by two warps, each two loads and a store. Then two loads of the last warp, whose
    // steps are shuffles, and the sum.
    assert_eq!((loads, stores), (blocks * 2 * (2 + 1), blocks * (2 + 1)));
    assert_eq!((shared_loads, shared_stores), (0, 0));
}

#[test]
fn unrolling_divides_the_stores_of_the_same_sum_by_four() {
    let size = 64 * BLOCK;
    for (one, four) in [
        ("reduce_smem", "reduce_smem_unroll4"),
        ("reduce_smem_dyn", "reduce_smem_unroll4_dyn"),
    ] {
        let (Some(one), Some(four)) = (requests(one, size), requests(four, size)) else {
            return;
        };
        assert_eq!(one[0], four[0], "loads of elements");
        assert_eq!(one[1], 4 * four[1], "stores of sums");
        assert!(
            one[2] > 3 * four[2],
            "shared loads: {} and {}",
            one[2],
            four[2]
        );
    }
}
