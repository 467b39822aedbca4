//! The next tile is stored while other warps still read the last.
//! launch: block 64

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::thread::{sync_threads, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn next_tile_too_early(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [u32; 64]; }
        let mut sum = 0;
        for round in 0..4 {
            TILE.set(t, data.get(round * 64 + t));
            sync_threads();
            sum += TILE.get(63 - t);
        }
        data.set(512 + t, sum);
    }
}

/// As it is right.
#[kernel]
pub fn next_tile_too_early_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [u32; 64]; }
        let mut sum = 0;
        for round in 0..4 {
            TILE.set(t, data.get(round * 64 + t));
            sync_threads();
            sum += TILE.get(63 - t);
            sync_threads();
        }
        data.set(512 + t, sum);
    }
}
