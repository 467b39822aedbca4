//! Operations of a whole warp or block: reductions, scans, broadcasts,
//! histograms, ranks, exchanges.
//!
//! All threads of the warp or block have to call each function, as with a barrier. The
//! functions take any type that lanes can exchange ([`Shuffle`](crate::warp::Shuffle)) and any
//! associative [`Operator`]. They use the fastest instructions of the target: `redux.sync`
//! where it exists, otherwise shuffles.
//!
//! The threads of a block exchange values through shared memory. Reductions, scans and broadcasts
//! have memory of their own, 32 elements for each type of value. Exchanges of items take a
//! [`SharedLine`](crate::SharedLine), and histograms and ranks an array of counts, because the
//! caller knows how long they are. Each function begins with a barrier, so the same memory serves
//! several calls in a row. If threads part, in a branch or by an early return, the results may be
//! wrong, but there is no data race: the memory is written in [phases](crate::phased) or by
//! atomics.
//!
//! ```
//! use lanewise_macros::kernel;
//! use lanewise_std::collective::{Sum, block_reduce};
//! use lanewise_std::{PerBlock, thread};
//!
//! #[kernel]
//! pub fn sum_of_blocks(input: &[f32], mut sums: PerBlock<f32>) {
//!     let value = input.get(thread::index_1d().get()).copied().unwrap_or(0.0);
//!     let total = block_reduce(value, Sum);
//!     if let Some(sum) = sums.get_mut() {
//!         *sum = total;
//!     }
//! }
//! ```
//!
//! The book's page on collectives compares them with CUB's. CUDA C++ Programming Guide, "Warp
//! Reduce Functions", "Warp Shuffle Functions".

mod block;
mod exchange;
mod histogram;
mod radix;
mod warp;

pub use crate::warp::operator::{BitAnd, BitOr, BitXor, Max, Min, Operator, Product, Sum};
pub use block::{
    block_broadcast, block_exclusive_scan, block_exclusive_scan_items,
    block_exclusive_scan_with_total, block_inclusive_scan, block_inclusive_scan_items,
    block_inclusive_scan_with_total, block_reduce,
};
pub use exchange::{block_blocked_to_striped, block_scatter_to_blocked, block_striped_to_blocked};
pub use histogram::{Histogram, block_histogram};
pub use radix::{block_radix_rank, radix_rank_scratch};
pub(crate) use warp::Live;
pub use warp::{warp_broadcast, warp_exclusive_scan, warp_inclusive_scan, warp_reduce};
