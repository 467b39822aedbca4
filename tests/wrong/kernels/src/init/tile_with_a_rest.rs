//! The last tile is not full, and all of it is added up.
//! launch: block 64

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::thread::{sync_threads, thread_idx_x};
// ANCHOR: wrong
/// As it is wrong.
#[kernel]
pub fn tile_with_a_rest(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [u32; 64]; }
        if t < 50 {
            TILE.set(t, data.get(t));
        }
        sync_threads();
        data.set(t, TILE.get(63 - t) + 1);
    }
}
// ANCHOR_END: wrong

/// As it is right.
// ANCHOR: right
#[kernel]
pub fn tile_with_a_rest_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [u32; 64]; }
        TILE.set(t, if t < 50 { data.get(t) } else { 0 });
        sync_threads();
        data.set(t, TILE.get(63 - t) + 1);
    }
}
// ANCHOR_END: right
