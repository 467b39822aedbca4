//! Chapter 4: shared memory. Tiles that transpose a matrix, and tiles that are used many times.

mod async_copy;
mod fences;
mod local_memory;
mod matmul;
mod rect_tile;
mod reduce_shared;
mod square_tile;
mod stencil;
mod texture;
mod transpose_shared;

use lanewise_patterns::Setup;
use lanewise_sim::BankWidth;
use lanewise_sim::counters::Counters;
use tests::count::count;
use tests::kepler;

/// Wavefronts of a store and of a load: with today's banks of 4 bytes, and in the K40's mode
/// of 8 bytes.
type Wavefronts = (f64, f64);

/// Returns the wavefronts of an average store and load.
fn wavefronts(counters: &Counters) -> Wavefronts {
    let (stores, loads) = (&counters.shared_stores, &counters.shared_loads);
    (
        stores.wavefronts_per_request(),
        loads.wavefronts_per_request(),
    )
}

/// Asserts the wavefronts of an average store and load.
#[track_caller]
fn assert_wavefronts(variant: &str, setup: Setup, expected: Wavefronts) {
    if let Some(counters) = count(variant, setup) {
        assert_eq!(wavefronts(&counters), expected, "{variant} with {setup:?}");
    }
}

/// The wavefronts of a block on a K40 whose banks are 8 bytes wide.
fn on_a_kepler(variant: &str, threads: [u32; 3], bytes: u32, more: &[u8]) -> Wavefronts {
    let dynamic_shared = if variant.contains("dyn") { bytes } else { 0 };
    let block = kepler::Block {
        kernel: (kepler::kernel(variant), variant),
        threads,
        slices: 1,
        more,
        dynamic_shared,
        banks: BankWidth::Eight,
    };
    wavefronts(&block.count())
}
