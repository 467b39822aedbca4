//! Rows of a tile are written, and its columns read.
//! launch: block 256

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::thread::{sync_threads, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn transpose_without_a_barrier(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [[u32; 17]; 16]; }
        TILE.set_at(t / 16, t % 16, t as u32);
        data.set(t, TILE.get_at(t % 16, t / 16));
    }
}

/// As it is right.
#[kernel]
pub fn transpose_without_a_barrier_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [[u32; 17]; 16]; }
        TILE.set_at(t / 16, t % 16, t as u32);
        sync_threads();
        data.set(t, TILE.get_at(t % 16, t / 16));
    }
}
