//! A sum is added to a buffer that was allocated and not cleared.
//! launch: grid 2, block 64

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::{global_idx_x, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn sum_into_new_memory(_data: GlobalMut<u32>, new: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let i = global_idx_x() as usize;
        new.set(i, new.get(i) + t as u32);
    }
}

/// As it is right.
#[kernel]
pub fn sum_into_new_memory_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let i = global_idx_x() as usize;
        data.set(i, data.get(i) + t as u32);
    }
}
