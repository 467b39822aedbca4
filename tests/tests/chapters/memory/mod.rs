//! Chapter 3: global memory. The cost of a warp's accesses, and the memory that they use.

mod aos_soa;
mod bandwidth;
mod cache_operators;
mod gather;
mod l2_window;
mod management;
mod misaligned;
mod misaligned_read;
mod misaligned_write;
mod offset_stride;
mod pitched;
mod transfers;
mod transpose;

use lanewise_patterns::Setup;
use tests::count::count;

/// Returns the sectors that each load and each store of a variant touches on average, or `None` on
/// a GPU, which does not count them.
fn sectors(variant: &str, setup: Setup) -> Option<(f64, f64)> {
    let counters = count(variant, setup)?;
    Some((
        counters.global_loads.sectors_per_request(),
        counters.global_stores.sectors_per_request(),
    ))
}

/// Asserts the sectors of each load and each store.
#[track_caller]
fn assert_sectors(variant: &str, setup: Setup, loads: f64, stores: f64) {
    if let Some(sectors) = sectors(variant, setup) {
        assert_eq!(sectors, (loads, stores), "{variant} with {setup:?}");
    }
}

/// A setup with an offset or a stride.
fn by(size: usize, by: u32) -> Setup {
    Setup {
        by: Some(by),
        ..Setup::new(size, 1)
    }
}
