//! Chapter 2: divergence, the order of pairs, unrolling, launches from kernels.

mod nested;
mod occupancy;

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::count::count;
use tests::sizes::{EDGES, MATRIX_EDGES, blocks, cases, lengths};

const REDUCTIONS: [&str; 6] = [
    "reduce_neighbored",
    "reduce_neighbored_less",
    "reduce_interleaved",
    "reduce_unrolling2",
    "reduce_unrolling4",
    "reduce_unrolling8",
];

/// Kernels compiled for one block each, beside those that take any.
const WARP_UNROLLED: [&str; 7] = [
    "reduce_unroll_warps8",
    "reduce_complete_unroll_warps8",
    "reduce_complete_unroll_1024",
    "reduce_complete_unroll_512",
    "reduce_complete_unroll_256",
    "reduce_complete_unroll_128",
    "reduce_complete_unroll_64",
];

const DIVERGENT: [&str; 4] = [
    "diverge_by_thread",
    "diverge_by_warp",
    "diverge_predicated",
    "diverge_both_arms",
];

/// `sum_matrix` in ten shapes.
const SHAPES: [&str; 10] = [
    "sum_matrix_32x32",
    "sum_matrix_32x16",
    "sum_matrix_16x32",
    "sum_matrix_16x16",
    "sum_matrix_64x2",
    "sum_matrix_128x2",
    "sum_matrix_256x2",
    "sum_matrix_8x8",
    "sum_matrix_4x8",
    "sum_matrix_33x3",
];

/// One body with as many registers as it likes and with few; the recursion on the CPU.
const OTHERS: [&str; 3] = ["stir_free", "stir_bounded", "recursive_reduce_cpu"];

/// Whole blocks for every variant, so that counts can be compared exactly.
const COUNTED: usize = 1 << 15;

#[test]
fn everything_agrees_with_the_cpu_at_every_edge() {
    for variant in REDUCTIONS.into_iter().chain(WARP_UNROLLED).chain(DIVERGENT) {
        for size in EDGES {
            assert_agrees(variant, Setup::new(size, 1));
        }
    }
}

#[test]
fn reductions_agree_with_the_cpu_on_a_large_vector() {
    for variant in REDUCTIONS.into_iter().chain(WARP_UNROLLED) {
        assert_agrees(variant, Setup::new((1 << 18) + 3, 1));
    }
}

#[test]
fn every_shape_of_block_adds_every_matrix() {
    for variant in SHAPES {
        for (columns, rows) in MATRIX_EDGES {
            let rows = Some(rows);
            assert_agrees(
                variant,
                Setup {
                    rows,
                    ..Setup::new(columns, 1)
                },
            );
        }
    }
}

#[test]
fn stirring_and_the_recursion_agree_with_the_cpu_at_every_edge() {
    for variant in OTHERS {
        for size in EDGES {
            assert_agrees(variant, Setup::new(size, 1));
        }
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn every_shape_of_block_adds_random_matrices(columns in 0usize..200, rows in 0usize..90, seed: u64) {
        for variant in SHAPES {
            let setup = Setup { rows: Some(rows), ..Setup::new(columns, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }

    #[test]
    fn stirring_and_the_recursion_agree_with_the_cpu(size in lengths(), seed: u64, block in blocks()) {
        for variant in OTHERS {
            let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }

    #[test]
    fn reductions_agree_with_the_cpu(size in lengths(), seed: u64, block in 1u32..=1024) {
        for variant in REDUCTIONS {
            let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }

    #[test]
    fn warp_unrolled_reductions_agree_with_the_cpu(size in lengths(), seed: u64, block in blocks()) {
        for variant in WARP_UNROLLED {
            // Those compiled for one block keep to it.
            let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }

    #[test]
    fn divergent_branches_agree_with_the_cpu(size in lengths(), block in blocks()) {
        for variant in DIVERGENT {
            let setup = Setup { block: Some(block), ..Setup::new(size, 0) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }
}

#[test]
fn reduce_neighbored_less_runs_clearly_fewer_instructions_and_diverges_less() {
    let setup = Setup::new(COUNTED, 1);
    let (Some(scattered), Some(first)) = (
        count("reduce_neighbored", setup),
        count("reduce_neighbored_less", setup),
    ) else {
        return;
    };
    let counters = format!("neighbored {scattered:#?}\nless {first:#?}");
    assert!(
        first.ptx_instructions * 10 < scattered.ptx_instructions * 9,
        "not a tenth fewer: {counters}"
    );
    assert!(
        first.ptx_branch_efficiency() > scattered.ptx_branch_efficiency(),
        "{counters}"
    );
}

#[test]
fn reduce_interleaved_loads_better_than_neighbored_pairs() {
    let setup = Setup::new(COUNTED, 1);
    for neighbored in ["reduce_neighbored", "reduce_neighbored_less"] {
        let (Some(neighbored), Some(interleaved)) =
            (count(neighbored, setup), count("reduce_interleaved", setup))
        else {
            return;
        };
        let counters = format!("neighbored {neighbored:#?}\ninterleaved {interleaved:#?}");
        assert!(
            interleaved.global_loads.efficiency() > neighbored.global_loads.efficiency(),
            "{counters}"
        );
        assert!(
            interleaved.global_loads.sectors < neighbored.global_loads.sectors,
            "{counters}"
        );
    }
}

#[test]
fn unrolling_divides_store_requests_and_barriers_by_the_factor() {
    let setup = Setup::new(COUNTED, 1);
    let Some(by2) = count("reduce_unrolling2", setup) else {
        return;
    };
    let (Some(by4), Some(by8)) = (
        count("reduce_unrolling4", setup),
        count("reduce_unrolling8", setup),
    ) else {
        return;
    };
    // The same number of stores and barriers in each block, and half the blocks each time.
    let stores = [by2, by4, by8].map(|counters| counters.global_stores.requests);
    assert_eq!(
        stores,
        [stores[2] * 4, stores[2] * 2, stores[2]],
        "{by2:#?}\n{by4:#?}\n{by8:#?}"
    );
    let barriers = [by2, by4, by8].map(|counters| counters.barriers);
    assert_eq!(
        barriers,
        [barriers[2] * 4, barriers[2] * 2, barriers[2]],
        "{by2:#?}\n{by4:#?}\n{by8:#?}"
    );
    let blocks = [
        "reduce_interleaved",
        "reduce_unrolling2",
        "reduce_unrolling4",
        "reduce_unrolling8",
    ]
    .map(|variant| figure(variant, setup, "blocks"));
    assert_eq!(blocks, [64.0, 32.0, 16.0, 8.0]);
}

#[test]
fn branches_diverge_by_thread_and_not_by_warp_nor_as_a_select_nor_done_by_all() {
    let setup = Setup::new(COUNTED, 1);
    let Some(by_thread) = count("diverge_by_thread", setup) else {
        return;
    };
    assert!(by_thread.ptx_branch_efficiency() < 1.0, "{by_thread:#?}");
    for variant in ["diverge_by_warp", "diverge_predicated", "diverge_both_arms"] {
        let Some(counters) = count(variant, setup) else {
            return;
        };
        assert_eq!(
            counters.ptx_branches_divergent, 0,
            "{variant}: {counters:#?}"
        );
    }
    // By warp there are branches too. Without any, the efficiency would be 1 as well.
    let Some(by_warp) = count("diverge_by_warp", setup) else {
        return;
    };
    assert_eq!(by_warp.ptx_branch_efficiency(), 1.0, "{by_warp:#?}");
    assert!(by_warp.ptx_branches_uniform > 0, "{by_warp:#?}");
}

#[test]
fn finishing_in_one_warp_takes_fewer_barriers_and_complete_unrolling_fewer_instructions() {
    let setup = Setup {
        block: Some(256),
        ..Setup::new(COUNTED, 1)
    };
    let (Some(rounds), Some(warps)) = (
        count("reduce_unrolling8", setup),
        count("reduce_unroll_warps8", setup),
    ) else {
        return;
    };
    assert!(warps.barriers < rounds.barriers, "{warps:#?}\n{rounds:#?}");
    let Some(complete) = count("reduce_complete_unroll_256", setup) else {
        return;
    };
    assert!(
        complete.ptx_instructions < warps.ptx_instructions,
        "{complete:#?}\n{warps:#?}"
    );
}

/// Returns a number of a variant's run, by the column's name.
fn figure(variant: &str, setup: Setup, name: &str) -> f64 {
    let outcome =
        lanewise_patterns::run::run(&tests::device(), tests::agree::variant(variant), setup);
    let figures = outcome.expect("it runs").figures;
    let found = figures.iter().find(|figure| figure.name == name);
    let value = found.and_then(|figure| figure.value.as_f64());
    value.unwrap_or_else(|| panic!("no figure `{name}` in {figures:#?}"))
}

#[test]
fn the_shape_alone_changes_warps_and_occupancy() {
    let setup = Setup::new(256, 1);
    let properties = tests::device().properties().clone();
    if properties.max_blocks_per_multiprocessor != 32
        || properties.max_threads_per_multiprocessor != 2048
    {
        println!(
            "skipped on {}: the figures are those of 32 blocks and 64 warps",
            properties.name
        );
        return;
    }
    // 65536 elements in whole warps are 2048 of them; blocks of 33 x 3 are 4 warps each, 8 across
    // and 86 down.
    assert_eq!(figure("sum_matrix_32x16", setup, "warps"), 2048.0);
    assert_eq!(figure("sum_matrix_4x8", setup, "warps"), 2048.0);
    assert_eq!(figure("sum_matrix_33x3", setup, "warps"), 8.0 * 86.0 * 4.0);
    // 32 blocks of one warp fill half of the 64 places, blocks of two or more all of them.
    assert_eq!(figure("sum_matrix_4x8", setup, "occupancy, %"), 50.0);
    assert_eq!(figure("sum_matrix_8x8", setup, "occupancy, %"), 100.0);
    assert_eq!(figure("sum_matrix_32x16", setup, "occupancy, %"), 100.0);
}

#[test]
fn a_row_of_a_block_that_is_no_whole_sector_costs_sectors() {
    let setup = Setup::new(256, 1);
    let loads = |variant| count(variant, setup).map(|counters| counters.global_loads);
    let (Some(wide), Some(narrow)) = (loads("sum_matrix_32x16"), loads("sum_matrix_4x8")) else {
        return;
    };
    assert_eq!(
        wide.sectors_per_request(),
        4.0,
        "one row of 128 bytes: {wide:?}"
    );
    assert_eq!(
        narrow.sectors_per_request(),
        8.0,
        "8 rows of half a sector: {narrow:?}"
    );
}
