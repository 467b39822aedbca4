//! A flag in shared memory is set by the thread that finds something, and cleared by none.
//! launch: grid 2, block 32

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::thread::{block_idx_x, sync_threads, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn flag_that_only_one_block_sets(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static FOUND: [u32; 1]; }
        if t == 3 && block_idx_x() == 1 {
            FOUND.set(0, 1);
        }
        sync_threads();
        if FOUND.get(0) == 1 {
            data.set(t + 32 * block_idx_x() as usize, 1);
        }
    }
}

/// As it is right.
#[kernel]
pub fn flag_that_only_one_block_sets_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static FOUND: [u32; 1]; }
        if t == 0 {
            FOUND.set(0, 0);
        }
        sync_threads();
        if t == 3 && block_idx_x() == 1 {
            FOUND.set(0, 1);
        }
        sync_threads();
        if FOUND.get(0) == 1 {
            data.set(t + 32 * block_idx_x() as usize, 1);
        }
    }
}
