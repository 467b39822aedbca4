//! The linear index of a thread in a 3-D launch.
//!
//! Launch: any grid and block, in up to three dimensions. Writes `numbers[x + y X + z X Y]`, where
//! (x, y, z) is the thread's position in a volume of X by Y by Z threads: the number of the thread
//! as CUDA counts, blocks one after another and threads within a block x fastest.
//! Shows: the same rule (x fastest, then y, then z) numbers threads in a block, blocks in a grid
//! and elements in a volume. The numbers differ as soon as a block does not span a row.
//! Source: execution model notes, "Organisation of threads"; CUDA C++ Programming
//! Guide, "Thread Hierarchy".

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::thread::{
    self, global_idx_x, global_idx_y, global_idx_z, global_size_x, global_size_y,
};

/// Writes the number of each thread at its place in the volume.
#[kernel]
#[launch_contract(dims = 3)]
pub fn linear_index_3d(mut numbers: DisjointSlice<u64>) {
    let (x, y, z) = (
        global_idx_x() as usize,
        global_idx_y() as usize,
        global_idx_z() as usize,
    );
    let (width, height) = (global_size_x() as usize, global_size_y() as usize);
    let place = x + y * width + z * width * height;
    // SAFETY: positions in a volume are below its sizes, so different positions
    // have different places.
    if let Some(number) = unsafe { numbers.get_unique_mut(place) } {
        *number = thread::index_1d().get() as u64;
    }
}
