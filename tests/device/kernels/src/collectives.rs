//! Each thread stores the results of its warp's and its block's collective operations.

use lanewise_macros::{kernel, shared};
use lanewise_std::collective::{
    Max, Operator, Sum, block_blocked_to_striped, block_broadcast, block_exclusive_scan_items,
    block_exclusive_scan_with_total, block_histogram, block_inclusive_scan,
    block_inclusive_scan_items, block_radix_rank, block_reduce, block_scatter_to_blocked,
    block_striped_to_blocked, radix_rank_scratch, warp_broadcast, warp_exclusive_scan,
    warp_inclusive_scan, warp_reduce,
};
use lanewise_std::warp::Shuffle;
use lanewise_std::{DisjointSlice, SharedLine, thread};

use crate::groups::then;

/// Reductions and scans with one operator: by the warp, and by the block.
fn row<T: Shuffle, O: Operator<T>>(x: T, initial: T, operator: O) -> [T; 9] {
    let (before, total) = block_exclusive_scan_with_total(x, initial, operator);
    [
        warp_reduce(x, operator),
        warp_inclusive_scan(x, operator),
        warp_exclusive_scan(x, initial, operator),
        warp_broadcast(x, 0),
        block_reduce(x, operator),
        block_inclusive_scan(x, operator),
        before,
        total,
        block_broadcast(x, thread::block_size() - 1),
    ]
}

macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident: $ty:ty, $operator:expr, $initial:expr;)*) => {
        $(
            $(#[$doc])*
            #[kernel]
            pub fn $name(input: &[$ty], mut output: DisjointSlice<[$ty; 9]>) {
                let index = thread::index_1d();
                let row = row(input[index.get()], $initial, $operator);
                if let Some(output) = output.get_mut(&index) {
                    *output = row;
                }
            }
        )*
    };
}

kernels! {
    /// Sums of `u32`, with `redux` if the device has it.
    sum_u32: u32, Sum, 5;
    /// The greatest of `i64`s.
    max_i64: i64, Max, -3;
    /// Sums of `f32`.
    sum_f32: f32, Sum, 0.5;
    /// Sums of bytes.
    sum_u8: u8, Sum, 9;
}

/// Linear functions composed one after another: their order matters.
#[kernel]
pub fn lines(input: &[[u32; 2]], mut output: DisjointSlice<[[u32; 2]; 9]>) {
    let index = thread::index_1d();
    let operator = |a: [u32; 2], b: [u32; 2]| then(a.into(), b.into()).into();
    let row = row(input[index.get()], [3, 4], operator);
    if let Some(output) = output.get_mut(&index) {
        *output = row;
    }
}

/// Three items a thread: both scans, striped, and blocked again.
#[kernel]
pub fn items(input: &[[u32; 3]], mut output: DisjointSlice<[[u32; 3]; 4]>) {
    shared! { static PLACES: SharedLine<u32, { 3 * 256 }>; }
    let index = thread::index_1d();
    let items = input[index.get()];
    let inclusive = block_inclusive_scan_items(items, Sum);
    let exclusive = block_exclusive_scan_items(items, 11, Sum);
    let striped = block_blocked_to_striped(items, &mut PLACES);
    let blocked = block_striped_to_blocked(striped, &mut PLACES);
    if let Some(output) = output.get_mut(&index) {
        *output = [inclusive, exclusive, striped, blocked];
    }
}

/// How often the block has each number below 20. Greater numbers may occur.
#[kernel]
pub fn histogram(input: &[[u8; 3]], mut output: DisjointSlice<[u32; 20]>) {
    shared! { static COUNTS: [u32; 20]; }
    let index = thread::index_1d();
    let bins = input[index.get()].into_iter().map(usize::from);
    // Twice: the second has to begin at zero.
    block_histogram([1, 1, 2], &COUNTS);
    let histogram = block_histogram(bins, &COUNTS);
    if let Some(output) = output.get_mut(&index) {
        *output = core::array::from_fn(|bin| histogram.count(bin));
    }
}

// ANCHOR: sort
/// The block's keys sorted, by 3 bits at a time.
#[kernel]
pub fn sort(input: &[u32], mut output: DisjointSlice<u32>) {
    shared! {
        static COUNTS: [u32; radix_rank_scratch(8, 256)];
        static KEYS: SharedLine<u32, 256>;
    }
    let index = thread::index_1d();
    let mut key = input[index.get()];
    for shift in (0..32).step_by(3) {
        let rank = block_radix_rank::<8, _>(key >> shift & 7, &COUNTS);
        // SAFETY: ranks are a permutation of the block's threads.
        [key] = unsafe { block_scatter_to_blocked([key], [rank], &mut KEYS) };
    }
    if let Some(output) = output.get_mut(&index) {
        *output = key;
    }
}
// ANCHOR_END: sort
