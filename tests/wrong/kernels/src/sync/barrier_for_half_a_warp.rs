//! Half of each warp reaches a barrier, the other half goes around it.
//! launch: block 64

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::{sync_threads, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn barrier_for_half_a_warp(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        if t % 32 < 16 {
            sync_threads();
        }
        data.set(t, 1);
    }
}

/// As it is right.
#[kernel]
pub fn barrier_for_half_a_warp_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        sync_threads();
        if t % 32 < 16 {
            data.set(t, 1);
        }
    }
}
