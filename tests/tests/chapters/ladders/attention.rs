//! Attention: each rung against the CPU, and what it changes.

use lanewise_patterns::Setup;
use tests::agree::assert_agrees;
use tests::count::count;

const KERNELS: [&str; 3] = ["attention_scores", "attention_warp", "attention_mma"];

#[test]
fn attention_agrees_with_the_cpu_at_every_edge() {
    for variant in KERNELS {
        for size in [0, 1, 33, 65] {
            assert_agrees(variant, Setup::new(size, 1));
        }
    }
}

#[test]
fn attention_in_one_pass_stores_its_result_only() {
    let of =
        |variant| count(variant, Setup::new(64, 1)).map(|counters| counters.global_stores.sectors);
    let [Some(scores), Some(warp), Some(mma)] = KERNELS.map(of) else {
        return;
    };
    // 16 heads, 64 queries, 64 columns, 4 bytes. The scores are as large here, and stored three
    // times. A store of `attention_mma` fills half of each sector, the next one the other half.
    let result = 16 * 64 * 64 * 4 / 32;
    assert_eq!([scores, warp, mma], [4 * result, result, 2 * result]);
}
