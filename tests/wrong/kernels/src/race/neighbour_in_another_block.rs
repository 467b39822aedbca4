//! Every thread writes its element and reads the next one, which may be another block's.
//! launch: grid 2, block 32

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::{global_idx_x, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn neighbour_in_another_block(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let i = global_idx_x() as usize;
        data.set(i, t as u32);
        data.set(i + 128, data.get((i + 32) % 64));
    }
}

/// As it is right.
#[kernel]
pub fn neighbour_in_another_block_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let i = global_idx_x() as usize;
        data.set(i, t as u32);
        data.set(i + 128, data.get(i));
    }
}
