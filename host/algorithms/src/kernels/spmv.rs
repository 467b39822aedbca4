//! `y = alpha A x + beta y` for a sparse matrix in compressed rows, by merge path.
//!
//! The elements and the ends of the rows are one sequence: a row's end comes after its elements.
//! Each block has [`TILE`] of this sequence and each thread `ITEMS`, so rows of any length, and
//! empty ones, divide the work evenly. A block multiplies its elements with neighbouring lanes at
//! neighbouring elements, and keeps the products in shared memory. Then each thread looks for its
//! place among the row ends and adds up what it has. What is left of a row at a thread's end is
//! passed on by a scan of the block; what is left at a block's end is added by a second kernel.
//! So the order of each sum is the same in each run.
//!
//! Source: Merrill, Garland, "Merge-Based Parallel Sparse Matrix-Vector Multiplication", 2016.

use core::array::from_fn;

use lanewise_macros::{kernel, shared};
use lanewise_std::collective::block_exclusive_scan_with_total;
use lanewise_std::kernel::Value;
use lanewise_std::math::Float;
use lanewise_std::thread::{block_idx_x, block_stride, index_1d, sync_threads, thread_idx_x};
use lanewise_std::warp::WARP_SIZE;
use lanewise_std::{DisjointSlice, cache};

use super::gemv::finish;

/// Threads of a block.
pub const THREADS: usize = 256;
/// Elements and ends of rows that a block has. Its first load begins at a multiple of a warp's
/// elements, and has less than a warp's elements that are not the block's.
pub const TILE: usize = THREADS * ITEMS - WARP;
const WARP: usize = WARP_SIZE as usize;
/// Elements and ends of rows that a thread has. The number is odd, so that threads walk through
/// different banks of shared memory.
const ITEMS: usize = 7;

/// Computes the product but for the rows that a block begins and does not end. What it has of them
/// goes to `carries`. Block `i` begins with row `firsts[i]`.
///
/// # Safety
/// `starts` has one element more than the matrix has rows, from 0 to the number of elements, and
/// none is less than the one before. `columns` and `values` have as many elements, and all columns
/// are places of `x`. `y` has an element for each row. `firsts` has one element more than the grid
/// has blocks: the number of rows whose end is among the first [`TILE`] times `i` of the sequence
/// of elements and ends of rows. `carries` has an element for each block.
#[kernel(instances(f32, f64))]
#[launch_contract(dims = 1, block = (THREADS))]
#[expect(
    clippy::too_many_arguments,
    reason = "a matrix in compressed rows has three arrays"
)]
pub unsafe fn spmv<T: Float + Value>(
    starts: &[u32],
    columns: &[u32],
    values: &[T],
    x: &[T],
    firsts: &[u32],
    mut y: DisjointSlice<T>,
    mut carries: DisjointSlice<T>,
    factors: [T; 2],
) {
    shared! {
        static PRODUCTS: [T; TILE];
        static ENDS: [u32; TILE];
    }
    let (thread, block) = (thread_idx_x() as usize, block_idx_x() as usize);
    let all = starts.len() - 1 + columns.len();
    // The block's first row and element, and how many row ends and elements it has.
    // SAFETY: the caller promises that the block has a first row, and that there is another.
    let [row, next] = unsafe {
        [
            *firsts.get_unchecked(block),
            *firsts.get_unchecked(block + 1),
        ]
    };
    let (row, rows) = (row as usize, (next - row) as usize);
    let element = block * TILE - row;
    let items = (all - block * TILE).min(TILE);
    let elements = items - rows;

    // A warp loads elements from a multiple of 32 on: no sector has elements of two loads. What is
    // read once leaves the second-level cache first, so that `x` stays there.
    let shift = element % WARP;
    let loaded: [_; ITEMS] = from_fn(|k| {
        let i = (thread + k * THREADS).wrapping_sub(shift);
        // SAFETY: below the number of elements.
        (i < elements).then(|| unsafe {
            (
                cache::load_cs(columns.get_unchecked(element + i)),
                cache::load_cs(values.get_unchecked(element + i)),
            )
        })
    });
    let products = loaded.map(|loaded| {
        loaded.map(|(column, value)| {
            // SAFETY: the caller promises that each column is a place of `x`.
            value * unsafe { cache::load_cg(x.get_unchecked(column as usize)) }
        })
    });
    for k in 0..ITEMS {
        if let Some(product) = products[k] {
            // SAFETY: each thread has elements of its own, and a barrier comes before the reads.
            unsafe { PRODUCTS.set_unchecked(thread + k * THREADS - shift, product) };
        }
    }
    for i in block_stride(rows) {
        // SAFETY: as above; the block has ends of that many rows.
        unsafe { ENDS.set_unchecked(i, *starts.get_unchecked(row + i + 1) - element as u32) };
    }
    sync_threads();

    // The thread's first end of a row is the first one that is not before its first item.
    let first = (thread * ITEMS).min(items);
    let (mut low, mut high) = (first.saturating_sub(elements), first.min(rows));
    while low < high {
        let middle = low.midpoint(high);
        // SAFETY: below `rows`, and set before the barrier.
        if unsafe { ENDS.get_unchecked(middle) } as usize + middle < first {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let (mut end, mut place) = (low, first - low);
    let last = (first + ITEMS).min(items);
    let mut sum = T::default();
    // The first row that the thread ends, of which threads before it may have a part.
    let mut ended = None;
    for _ in first..last {
        // SAFETY: below `rows` or `elements`, and set before the barrier.
        let is_end = end < rows && unsafe { ENDS.get_unchecked(end) } as usize <= place;
        if !is_end {
            // SAFETY: as above: what is no end is an element.
            sum += unsafe { PRODUCTS.get_unchecked(place) };
            place += 1;
            continue;
        }
        if ended.is_none() {
            ended = Some((end, sum));
        } else {
            // SAFETY: the row ends in this thread alone.
            unsafe { write(&mut y, row + end, sum, factors) };
        }
        sum = T::default();
        end += 1;
    }
    let left = (u32::from(ended.is_some()), sum);
    let add = |a: (u32, T), b: (u32, T)| if b.0 > 0 { b } else { (a.0, a.1 + b.1) };
    let ((_, before), (_, carry)) = block_exclusive_scan_with_total(left, (0, T::default()), add);
    if let Some((end, sum)) = ended {
        // SAFETY: the row ends in this thread alone.
        unsafe { write(&mut y, row + end, before + sum, factors) };
    }
    if thread == 0 {
        // SAFETY: the element is this block's.
        if let Some(to) = unsafe { carries.get_unique_mut(block) } {
            *to = carry;
        }
    }
}

/// Writes a row's sum.
///
/// # Safety
/// No other thread accesses the row's element.
#[inline(always)]
unsafe fn write<T: Float>(y: &mut DisjointSlice<T>, row: usize, sum: T, factors: [T; 2]) {
    // SAFETY: as the caller promises.
    if let Some(y) = unsafe { y.get_unique_mut(row) } {
        finish(y, sum, factors);
    }
}

/// Adds what blocks have left of rows that they do not end. A row that is longer than a tile has
/// several carries, which one thread adds in their order. The grid has a thread for each carry.
#[kernel(instances(f32, f64))]
#[launch_contract(dims = 1)]
pub fn add_carries<T: Float>(firsts: &[u32], carries: &[T], mut y: DisjointSlice<T>, alpha: T) {
    let first = index_1d().get();
    let (Some(&row), Some(&before)) = (firsts.get(first + 1), firsts.get(first)) else {
        return;
    };
    // The carries of a row follow each other. The thread of the first of them adds them. After the
    // last row there is none.
    if first > 0 && before == row || firsts.last() == Some(&row) {
        return;
    }
    let mut sum = T::default();
    for i in first..carries.len() {
        if firsts.get(i + 1) != Some(&row) {
            break;
        }
        sum += carries[i];
    }
    // SAFETY: rows never decrease, so only one thread has the first carry of this one.
    if let Some(y) = unsafe { y.get_unique_mut(row as usize) } {
        *y += alpha * sum;
    }
}
