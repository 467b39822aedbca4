//! Each warp leaves its sum, and the first warp adds them up at once.
//! launch: block 64

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::thread::{sync_threads, thread_idx_x};
use lanewise_std::warp::{lane_id, redux_sync_add};

/// As it is wrong.
#[kernel]
pub fn sums_of_warps_read_too_early(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static SUMS: [u32; 2]; }
        let sum = redux_sync_add(u32::MAX, data.get(t));
        if lane_id() == 0 {
            SUMS.set(t / 32, sum);
        }
        if t == 0 {
            data.set(64, SUMS.get(0) + SUMS.get(1));
        }
    }
}

/// As it is right.
#[kernel]
pub fn sums_of_warps_read_too_early_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static SUMS: [u32; 2]; }
        let sum = redux_sync_add(u32::MAX, data.get(t));
        if lane_id() == 0 {
            SUMS.set(t / 32, sum);
        }
        sync_threads();
        if t == 0 {
            data.set(64, SUMS.get(0) + SUMS.get(1));
        }
    }
}
