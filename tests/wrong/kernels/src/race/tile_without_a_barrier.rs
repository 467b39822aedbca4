//! A tile is read by other threads than those that filled it, with no barrier between.
//! launch: block 64

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::thread::{sync_threads, thread_idx_x};
// ANCHOR: wrong
/// As it is wrong.
#[kernel]
pub fn tile_without_a_barrier(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [u32; 64]; }
        TILE.set(t, t as u32);
        data.set(t, TILE.get((t + 1) % 64));
    }
}
// ANCHOR_END: wrong

/// As it is right.
// ANCHOR: right
#[kernel]
pub fn tile_without_a_barrier_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [u32; 64]; }
        TILE.set(t, t as u32);
        sync_threads();
        data.set(t, TILE.get((t + 1) % 64));
    }
}
// ANCHOR_END: right
