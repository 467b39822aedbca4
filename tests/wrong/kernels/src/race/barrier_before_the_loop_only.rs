//! A tree of sums in shared memory has its barrier before the loop, and none in it.
//! launch: block 128

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::thread::{sync_threads, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn barrier_before_the_loop_only(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static SUMS: [u32; 128]; }
        SUMS.set(t, data.get(t));
        sync_threads();
        let mut step = 64;
        while step > 0 {
            if t < step {
                SUMS.set(t, SUMS.get(t) + SUMS.get(t + step));
            }
            step /= 2;
        }
        if t == 0 {
            data.set(0, SUMS.get(0));
        }
    }
}

/// As it is right.
#[kernel]
pub fn barrier_before_the_loop_only_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static SUMS: [u32; 128]; }
        SUMS.set(t, data.get(t));
        sync_threads();
        let mut step = 64;
        while step > 0 {
            if t < step {
                SUMS.set(t, SUMS.get(t) + SUMS.get(t + step));
            }
            sync_threads();
            step /= 2;
        }
        if t == 0 {
            data.set(0, SUMS.get(0));
        }
    }
}
