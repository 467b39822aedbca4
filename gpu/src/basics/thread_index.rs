//! The linear index of a thread in a 3-D launch.
//!
//! Launch: any grid and block, in up to three dimensions. Writes `numbers[x + y X + z X Y]`, where
//! (x, y, z) is the thread's position in a volume of X by Y by Z threads: the number of the thread
//! as CUDA counts, blocks one after another and threads within a block x fastest.
//! Shows: the same rule (x fastest, then y, then z) numbers threads in a block, blocks in a grid
//! and elements in a volume. The numbers differ as soon as a block does not span a row.
//! Source: Professional CUDA C Programming, chapter 2; CUDA C++ Programming Guide, "Thread
//! Hierarchy".

use lanewise_macros::kernel;
use lanewise_std::{DisjointMatrix, thread};

/// Writes the number of each thread at its place in the volume, whose planes follow each other as
/// rows of one matrix.
#[kernel]
#[launch_contract(dims = 3)]
pub fn linear_index_3d(mut numbers: DisjointMatrix<u64>) {
    numbers.fill(|_, _| thread::index_1d().get() as u64);
}
