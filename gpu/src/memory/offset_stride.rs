//! A copy of every element from an offset on, and of every `stride`-th.
//!
//! Launch: 1-D grid of 1-D blocks of any size; a thread for each element that is copied. Reads and
//! writes each of those elements once, at the same place in both buffers. The others are left
//! alone. For `offset_copy` the host passes the part of the output that begins at the offset. For
//! `stride_copy` it passes matrices whose rows are `stride` elements, of which the first is copied.
//! Shows: an offset costs only a fifth sector, and the neighbouring warp needs that sector too. A
//! stride costs everything in between: with stride 2 half of each sector is not used, and from
//! stride 8 on each lane has a sector of its own.
//! Source: CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory".

use lanewise_macros::kernel;
use lanewise_std::disjoint_matrix::RowPer;
use lanewise_std::thread::index_1d;
use lanewise_std::{DisjointMatrix, DisjointSlice, Matrix};

/// Copies element `i + offset` in thread `i`. The output begins at the offset.
#[kernel]
#[launch_contract(dims = 1)]
pub fn offset_copy(input: &[f32], mut output: DisjointSlice<f32>, offset: u32) {
    let index = index_1d();
    let from = index.get() + offset as usize;
    if let (Some(input), Some(output)) = (input.get(from), output.get_mut(&index)) {
        *output = *input;
    }
}

/// Copies element `i * stride` in thread `i`: the first one of row `i`.
#[kernel]
#[launch_contract(dims = 1)]
pub fn stride_copy(input: Matrix<f32>, mut output: DisjointMatrix<f32, RowPer>) {
    let index = index_1d();
    if let (Some(input), Some(output)) = (input.get(index.get(), 0), output.in_row(&index, 0)) {
        *output = *input;
    }
}
