//! Uninitialised bytes are copied through shared memory, and then decide a branch.
//! launch: block 64

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::thread::{sync_threads, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn copy_that_is_used_later(data: GlobalMut<u32>, new: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [u32; 64]; }
        TILE.set(t, new.get(t));
        sync_threads();
        if TILE.get(63 - t) > 5 {
            data.set(t, 1);
        }
    }
}

/// As it is right.
#[kernel]
pub fn copy_that_is_used_later_right(data: GlobalMut<u32>, new: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [u32; 64]; }
        TILE.set(t, new.get(t));
        sync_threads();
        new.set(t, TILE.get(63 - t));
        if data.get(t) > 5 {
            data.set(t, 1);
        }
    }
}
