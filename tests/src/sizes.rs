//! Sizes that find errors: zero, one, odd, just off a warp, a block or a tile, large.

use lanewise_patterns::Setup;
use lanewise_variables::PROPTEST_CASES;
use proptest::prelude::*;
use proptest::test_runner::Config;

/// Sizes at which errors in index arithmetic show first. Every agreement test uses them all, before
/// the random ones.
pub const EDGES: [usize; 14] = [
    0, 1, 2, 31, 32, 33, 255, 256, 257, 511, 513, 1023, 1025, 4099,
];

/// Rows and columns of small matrices off the tiles of 16 and 32, with empty, thin and square ones.
pub const MATRIX_EDGES: [(usize, usize); 10] = [
    (0, 0),
    (1, 1),
    (1, 40),
    (40, 1),
    (15, 17),
    (16, 16),
    (32, 32),
    (33, 31),
    (64, 48),
    (7, 129),
];

/// A matrix that need not be square.
pub fn matrix(columns: usize, rows: usize, seed: u64) -> Setup {
    Setup {
        rows: Some(rows),
        ..Setup::new(columns, seed)
    }
}

/// Vectors of up to a few blocks, and sometimes a large one.
pub fn lengths() -> impl Strategy<Value = usize> {
    prop_oneof![8 => 0usize..3000, 1 => 3000usize..40_000]
}

/// Whole warps: 32 to 1024 threads.
pub fn blocks() -> impl Strategy<Value = u32> {
    (1u32..=32).prop_map(|warps| warps * 32)
}

/// This many random cases, or `PROPTEST_CASES`: a few in every run are cheap, and a run with
/// many finds rare errors. Failures are printed, not written to a file, because there may be
/// no source tree.
pub fn cases(cases: u32) -> Config {
    // The variable is read by proptest, into what it makes by default.
    let default = Config::default();
    let asked = PROPTEST_CASES.get().is_some();
    Config {
        cases: if asked { default.cases } else { cases },
        failure_persistence: None,
        ..default
    }
}
