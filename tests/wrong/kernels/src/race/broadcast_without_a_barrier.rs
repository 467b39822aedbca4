//! Thread 0 puts a value where all others look for it.
//! launch: block 64

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::thread::{sync_threads, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn broadcast_without_a_barrier(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static VALUE: [u32; 1]; }
        if t == 0 {
            VALUE.set(0, data.get(0));
        }
        data.set(t + 64, VALUE.get(0));
    }
}

/// As it is right.
#[kernel]
pub fn broadcast_without_a_barrier_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static VALUE: [u32; 1]; }
        if t == 0 {
            VALUE.set(0, data.get(0));
        }
        sync_threads();
        data.set(t + 64, VALUE.get(0));
    }
}
