//! An asynchronous copy is read before it is waited for.
//! launch: block 32

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::async_copy::{copy_async, wait_all};
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn copy_that_is_not_waited_for(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [u32; 32]; }
        copy_async(TILE.address_of(t), data.address_of(t));
        data.set(t + 64, TILE.get(t));
        wait_all();
    }
}

/// As it is right.
#[kernel]
pub fn copy_that_is_not_waited_for_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [u32; 32]; }
        copy_async(TILE.address_of(t), data.address_of(t));
        wait_all();
        data.set(t + 64, TILE.get(t));
    }
}
