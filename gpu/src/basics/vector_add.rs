//! The sum of two vectors, an element a thread.
//!
//! Launch: `vec_add_one_block`, one 1-D block (at most 1024 threads); `vec_add`, a 1-D grid of at least as many threads as
//! elements, in blocks of any size.
//! Reads `a` and `b` once, writes `c` once; elements past the shortest of the three are left alone.
//! Shows: the grid is rounded up to whole blocks, so the last threads have no element, and the guard stops them.
//! Source: CUDA study notes, items 8 to 12; CUDA C++ Programming Guide, "Kernels", "Thread Hierarchy".

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::thread;

/// `c = a + b` by the threads of one block: the thread's index in the block is the element.
#[kernel]
#[launch_contract(dims = 1)]
pub fn vec_add_one_block(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
    let index = thread::index_1d();
    let i = index.get();
    if let (Some(a), Some(b), Some(c)) = (a.get(i), b.get(i), c.get_mut(&index)) {
        *c = a + b;
    }
}

/// `c = a + b` by a grid of any size: blocks lie one after another.
#[kernel]
#[launch_contract(dims = 1)]
pub fn vec_add(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
    let index = thread::index_1d();
    let i = index.get();
    if let (Some(a), Some(b), Some(c)) = (a.get(i), b.get(i), c.get_mut(&index)) {
        *c = a + b;
    }
}
