//! The first warp adds up 32 sums, and the block has two warps.
//! launch: block 64

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::thread::{sync_threads, thread_idx_x};
use lanewise_std::warp::{lane_id, redux_sync_add};

/// As it is wrong.
#[kernel]
pub fn more_sums_than_warps(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static SUMS: [u32; 32]; }
        let sum = redux_sync_add(u32::MAX, data.get(t));
        if lane_id() == 0 {
            SUMS.set(t / 32, sum);
        }
        sync_threads();
        if t < 32 {
            let all = redux_sync_add(u32::MAX, SUMS.get(t));
            data.set(t, all);
        }
    }
}

/// As it is right.
#[kernel]
pub fn more_sums_than_warps_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static SUMS: [u32; 32]; }
        let sum = redux_sync_add(u32::MAX, data.get(t));
        if lane_id() == 0 {
            SUMS.set(t / 32, sum);
        }
        sync_threads();
        if t < 32 {
            let mine = if t < 2 { SUMS.get(t) } else { 0 };
            data.set(t, redux_sync_add(u32::MAX, mine));
        }
    }
}
