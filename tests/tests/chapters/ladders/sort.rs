//! Sorts: each rung against the CPU, and what it changes.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_edges, assert_agrees};
use tests::count::count;
use tests::sizes::cases;

const KERNELS: [&str; 3] = ["sort_bits", "sort_digits", "sort_tiles"];

#[test]
fn sorts_agree_with_the_cpu_at_every_edge() {
    assert_agree_at_edges(KERNELS);
    for variant in KERNELS {
        // The counts of the blocks have several blocks.
        assert_agrees(variant, Setup::new(20_001, 1));
    }
}

proptest! {
    #![proptest_config(cases(4))]

    #[test]
    fn sorts_agree_with_the_cpu(size in 0usize..3000, seed: u64) {
        prop_assert_eq!(all_agree(KERNELS, Setup::new(size, seed)), Ok(()));
    }
}

#[test]
fn longer_digits_load_fewer_sectors_and_tiles_store_fewer() {
    let sorts = KERNELS.map(|variant| count(variant, Setup::new(1 << 13, 1)));
    let [Some(bits), Some(digits), Some(tiles)] = sorts else {
        return;
    };
    let (passes, fewer) = (bits.global_loads.sectors, digits.global_loads.sectors);
    // A quarter of the passes, and more counts.
    assert!(3 * fewer < 2 * passes, "{fewer} and {passes}");
    let (each, together) = (digits.global_stores.sectors, tiles.global_stores.sectors);
    assert!(2 * together < each, "{together} and {each}");
}
