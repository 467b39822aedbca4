//! Each arm of a branch has its own barrier.
//! launch: block 32

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::{sync_threads, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn barrier_in_each_arm(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        if t < 16 {
            data.set(t, 1);
            sync_threads();
            data.set(t + 64, 1);
        } else {
            data.set(t, 2);
            sync_threads();
            data.set(t + 128, 2);
        }
    }
}

/// As it is right.
#[kernel]
pub fn barrier_in_each_arm_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        data.set(t, if t < 16 { 1 } else { 2 });
        sync_threads();
        data.set(t + if t < 16 { 64 } else { 128 }, 1);
    }
}
