//! A stencil's tile has room for a halo that is never loaded.
//! launch: block 64

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::thread::{sync_threads, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn halo_that_nobody_loads(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [u32; 66]; }
        TILE.set(t + 1, data.get(t));
        sync_threads();
        data.set(t + 64, TILE.get(t) + TILE.get(t + 2));
    }
}

/// As it is right.
#[kernel]
pub fn halo_that_nobody_loads_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [u32; 66]; }
        TILE.set(t + 1, data.get(t));
        if t == 0 {
            TILE.set(0, 0);
            TILE.set(65, 0);
        }
        sync_threads();
        data.set(t + 64, TILE.get(t) + TILE.get(t + 2));
    }
}
