//! Ladders: each rung against the CPU, and what it changes.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::count::count;
use tests::sizes::{EDGES, MATRIX_EDGES, cases};

const SCANS: [&str; 4] = [
    "scan_hillis_steele",
    "scan_blelloch",
    "scan_shuffle",
    "scan_tiles",
];

const SOFTMAXES: [&str; 4] = [
    "softmax_thread",
    "softmax_warp",
    "softmax_block",
    "softmax_online",
];

const PRODUCTS: [&str; 3] = [
    "product_bf16_naive",
    "product_bf16_shared",
    "product_bf16_mma",
];

const ATTENTIONS: [&str; 3] = ["attention_scores", "attention_warp", "attention_mma"];

fn matrix(columns: usize, rows: usize, seed: u64) -> Setup {
    Setup {
        rows: Some(rows),
        ..Setup::new(columns, seed)
    }
}

#[test]
fn the_rungs_agree_with_the_cpu_at_every_edge() {
    for variant in SCANS {
        // With the last size, the sums of the blocks have several blocks.
        for size in EDGES.into_iter().chain([66_001]) {
            assert_agrees(variant, Setup::new(size, 1));
        }
    }
    for variant in SOFTMAXES {
        for (columns, rows) in MATRIX_EDGES.into_iter().chain([(1030, 3)]) {
            assert_agrees(variant, matrix(columns, rows, 1));
        }
    }
    for variant in PRODUCTS {
        for (columns, rows, inner) in [
            (0, 3, 3),
            (1, 1, 0),
            (1, 1, 1),
            (129, 33, 67),
            (31, 130, 32),
        ] {
            let setup = Setup {
                inner: Some(inner),
                ..matrix(columns, rows, 1)
            };
            assert_agrees(variant, setup);
        }
    }
    for variant in ATTENTIONS {
        for size in [0, 1, 33, 65] {
            assert_agrees(variant, Setup::new(size, 1));
        }
    }
}

proptest! {
    #![proptest_config(cases(4))]

    #[test]
    fn the_rungs_agree_with_the_cpu(size in 0usize..3000, columns in 0usize..700, rows in 0usize..40, seed: u64) {
        for variant in SCANS {
            prop_assert_eq!(agrees(variant, Setup::new(size, seed)), Ok(()));
        }
        for variant in SOFTMAXES {
            prop_assert_eq!(agrees(variant, matrix(columns, rows, seed)), Ok(()));
        }
    }
}

/// Returns what is counted of a scan of 64 blocks.
#[track_caller]
fn of_scan(variant: &str) -> Option<lanewise::counters::Counters> {
    count(variant, Setup::new(1 << 14, 1))
}

#[test]
fn a_scan_by_a_tree_has_twice_the_barriers_and_one_by_shuffles_a_sixteenth() {
    let scans = [of_scan(SCANS[0]), of_scan(SCANS[1]), of_scan(SCANS[2])];
    let [Some(steps), Some(tree), Some(shuffles)] = scans else {
        return;
    };
    let barriers = [steps, tree, shuffles].map(|counters| counters.barriers);
    // 64 blocks, and one for their sums; a `fill` has two barriers, but the first
    // of a kernel.
    assert_eq!(
        barriers,
        [65 * 8 * 17, 65 * 8 * 33, 65 * 8],
        "barriers of warps"
    );
}

#[test]
fn sums_first_store_the_array_once() {
    let (Some(after), Some(first)) = (of_scan("scan_shuffle"), of_scan("scan_tiles")) else {
        return;
    };
    let bytes = |sectors: u64| sectors * 32 / (4 << 14);
    assert_eq!(bytes(after.global_stores.sectors), 2);
    assert_eq!(bytes(first.global_stores.sectors), 1);
}

#[test]
fn a_softmax_in_two_passes_loads_two_thirds() {
    let of = |variant| count(variant, matrix(1024, 32, 1));
    let [Some(thread), Some(block), Some(online)] = [
        of("softmax_thread"),
        of("softmax_block"),
        of("softmax_online"),
    ] else {
        return;
    };
    assert_eq!(thread.global_loads.sectors_per_request(), 32.0);
    assert_eq!(block.global_loads.sectors_per_request(), 4.0);
    assert_eq!(
        3 * online.global_loads.sectors,
        2 * block.global_loads.sectors
    );
}

#[test]
fn tensor_cores_need_a_twentieth_of_the_instructions() {
    let of = |variant| count(variant, Setup::new(128, 1)).map(|counters| counters.ptx_instructions);
    if let (Some(shared), Some(mma)) = (of("product_bf16_shared"), of("product_bf16_mma")) {
        assert!(20 * mma < shared, "{mma} and {shared}");
    }
}

#[test]
fn attention_in_one_pass_stores_its_result_only() {
    let of =
        |variant| count(variant, Setup::new(64, 1)).map(|counters| counters.global_stores.sectors);
    let [Some(scores), Some(warp), Some(mma)] = ATTENTIONS.map(of) else {
        return;
    };
    // 16 heads, 64 queries, 64 columns, 4 bytes. The scores are as large here, and stored three
    // times. A store of `attention_mma` fills half of each sector, the next one the other half.
    let result = 16 * 64 * 64 * 4 / 32;
    assert_eq!([scores, warp, mma], [4 * result, result, 2 * result]);
}
