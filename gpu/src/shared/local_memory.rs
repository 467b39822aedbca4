//! An array that belongs to one thread, in local memory and in registers.
//!
//! Launch: 1-D grid of 1-D blocks of any size. Thread t of the T threads of the grid counts which
//! of 32 bins its elements fall into, by their upper five bits: elements t, t + T, t + 2 T, ... of
//! `input`, for any length. It writes its count of bin b to row b and column t of `counts`; what
//! lies past its end is left out.
//! Shows: registers have no addresses. If an array's index is known only at run time, the array has
//! to be in memory: in local memory, which is device memory with caches. If every index is known at
//! compile time, each element is a register. The first kernel has `.local` in its PTX, and the
//! second has not. (ptxas 13.0 puts an array of 8 words into registers anyway, and selects among
//! them by comparisons; it does not do so for 32.)
//! Source: Professional CUDA C Programming, chapter 4; CUDA C++ Programming Guide, "Local Memory".

use lanewise_macros::kernel;
use lanewise_std::disjoint_matrix::{ColumnPerThread, DisjointMatrix};
use lanewise_std::thread::{grid_stride, index_1d};

/// The number of bins that a thread counts.
pub const BINS: usize = 32;
/// The number of bits that an element is shifted right to get its bin.
const SHIFT: u32 = u32::BITS - BINS.ilog2();

/// A row for each bin, and a column for each thread of the grid.
type Counts<'a> = DisjointMatrix<'a, u32, ColumnPerThread>;

/// The element selects the counter to increase, so the array has to be in memory.
#[kernel]
#[launch_contract(dims = 1)]
pub fn local_array_dynamic(input: &[u32], counts: Counts) {
    let mut bins = [0; BINS];
    for i in grid_stride(input.len()) {
        bins[(input[i] >> SHIFT) as usize] += 1;
    }
    store(counts, bins);
}

/// Every counter is increased, by one or by zero. The loop is unrolled, and each counter
/// is a register.
#[kernel]
#[launch_contract(dims = 1)]
pub fn local_array_static(input: &[u32], counts: Counts) {
    let mut bins = [0; BINS];
    for i in grid_stride(input.len()) {
        let bin = input[i] >> SHIFT;
        for (number, count) in bins.iter_mut().enumerate() {
            *count += u32::from(bin == number as u32);
        }
    }
    store(counts, bins);
}

/// Writes this thread's counts, each bin beside the same bin of the neighbouring threads.
#[inline(always)]
fn store(mut counts: Counts, bins: [u32; BINS]) {
    for (bin, count) in bins.into_iter().enumerate() {
        if let Some(place) = counts.in_column(index_1d(), bin) {
            *place = count;
        }
    }
}
