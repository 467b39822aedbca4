//! A thread waits for its own copies, and reads what another has copied.
//! launch: block 64

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::async_copy::{copy_async, wait_all};
use lanewise_std::thread::{sync_threads, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn copy_of_another_thread(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [u32; 64]; }
        copy_async(TILE.address_of(t), data.address_of(t));
        wait_all();
        data.set(t + 64, TILE.get(63 - t));
    }
}

/// As it is right.
#[kernel]
pub fn copy_of_another_thread_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [u32; 64]; }
        copy_async(TILE.address_of(t), data.address_of(t));
        wait_all();
        sync_threads();
        data.set(t + 64, TILE.get(63 - t));
    }
}
