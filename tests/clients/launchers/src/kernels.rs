//! The kernels. build.rs compiles this module for the GPU; for the host it is one typed handle for
//! each kernel.

#![cfg_attr(not(target_arch = "nvptx64"), allow(unused_imports))]

use core::sync::atomic::{AtomicU32, Ordering};

use lanewise_macros::{Value, kernel};
use lanewise_std::collective::{Max, Sum, block_reduce};
use lanewise_std::math::Float;
use lanewise_std::{DisjointMatrix, DisjointSlice, Matrix, PerBlock, RowPerBlock, thread};

lanewise_std::module!();

/// A straight line.
#[derive(Clone, Copy, Value)]
#[repr(C)]
pub struct Line {
    /// The rise for each step of `x`.
    pub slope: f32,
    /// The value where `x` is zero.
    pub offset: f32,
}

/// `y += slope x + offset`.
#[kernel]
#[launch_contract(dims = 1, len(x) == len(y))]
pub fn add_line(line: Line, x: &[f32], mut y: DisjointSlice<f32>) {
    for (i, y) in y.grid_stride() {
        *y += line.slope * x[i] + line.offset;
    }
}

/// Counts how often each number occurs.
#[kernel]
#[launch_contract(dims = 1)]
pub fn count(numbers: &[u8], counts: &[AtomicU32]) {
    for i in thread::grid_stride(numbers.len()) {
        if let Some(count) = counts.get(usize::from(numbers[i])) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The sum of each block's numbers.
#[kernel]
#[launch_bounds(256)]
#[launch_contract(dims = 1, whole_warps)]
pub fn sums(numbers: &[u32], mut sums: PerBlock<u32>) {
    let mine = numbers.get(thread::index_1d().get()).copied().unwrap_or(0);
    let sum = block_reduce(mine, Sum);
    if let Some(own) = sums.get_mut() {
        *own = sum;
    }
}

/// The softmax of each row, one block a row.
#[kernel]
#[launch_contract(dims = 1)]
pub fn softmax(input: Matrix<f32>, mut output: RowPerBlock<f32>) {
    let Some(row) = output.row() else { return };
    let mut largest = f32::NEG_INFINITY;
    for (column, _) in output.block_stride() {
        largest = largest.max(input[(row, column)]);
    }
    let largest = block_reduce(largest, Max);
    let mut sum = 0.0;
    for (column, value) in output.block_stride() {
        *value = (input[(row, column)] - largest).exp();
        sum += *value;
    }
    let sum = block_reduce(sum, Sum);
    for (_, value) in output.block_stride() {
        *value /= sum;
    }
}

/// The matrix with rows and columns exchanged.
#[kernel]
#[launch_contract(dims = 2)]
pub fn transpose(input: Matrix<f32>, mut output: DisjointMatrix<f32>) {
    output.fill(|row, column| input[(column, row)]);
}

/// Increments an element.
///
/// # Safety
/// The address is that of at least `n` numbers.
#[kernel]
#[launch_contract(dims = 1)]
pub unsafe fn increment(numbers: *mut u32, n: u32) {
    let i = thread::index_1d().get();
    if i < n as usize {
        // SAFETY: the caller promises that the element exists, and no other thread has its index.
        unsafe { *numbers.add(i) += 1 };
    }
}
