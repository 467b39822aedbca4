//! The sum of two vectors: each thread adds one pair of elements.
//!
//! Launch: `vec_add_one_block`, one 1-D block; `vec_add`, a 1-D grid of at least one thread for
//! each element. Both read `a` and `b` once and write `c` once, up to the length of the shortest.
//! Shows: a grid is rounded up to whole blocks. Its last threads have no element; a check of the
//! bounds stops them.
//! Source: CUDA C++ Programming Guide, "Thread Hierarchy".

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::thread;

/// Adds with the threads of one block: the thread's place in the block is the element.
#[kernel]
#[launch_contract(dims = 1)]
pub fn vec_add_one_block(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
    if thread::block_idx_x() > 0 {
        return; // there is one block
    }
    // In the first block, the index in the grid is the place in the block.
    let index = thread::index_1d();
    let i = index.get();
    if let (Some(a), Some(b), Some(c)) = (a.get(i), b.get(i), c.get_mut(&index)) {
        *c = a + b;
    }
}

/// Adds with a grid: the thread's element is `block_idx_x * block_dim_x + thread_idx_x`.
#[kernel]
#[launch_contract(dims = 1)]
pub fn vec_add(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
    let index = thread::index_1d();
    let i = index.get();
    if let (Some(a), Some(b), Some(c)) = (a.get(i), b.get(i), c.get_mut(&index)) {
        *c = a + b;
    }
}
