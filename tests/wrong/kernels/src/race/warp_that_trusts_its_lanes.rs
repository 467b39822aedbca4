//! The last steps of a sum are left to one warp, whose lanes are taken to run together.
//! launch: block 32

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::thread::thread_idx_x;
use lanewise_std::warp::sync_warp;

/// As it is wrong.
#[kernel]
pub fn warp_that_trusts_its_lanes(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static SUMS: [u32; 64]; }
        SUMS.set(t, 1);
        SUMS.set(t + 32, 1);
        for step in [32, 16, 8, 4, 2, 1] {
            let sum = SUMS.get(t) + SUMS.get(t + step);
            SUMS.set(t, sum);
        }
        data.set(t, SUMS.get(t));
    }
}

/// As it is right.
#[kernel]
pub fn warp_that_trusts_its_lanes_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static SUMS: [u32; 64]; }
        SUMS.set(t, 1);
        SUMS.set(t + 32, 1);
        for step in [32, 16, 8, 4, 2, 1] {
            let sum = SUMS.get(t) + SUMS.get(t + step);
            sync_warp(u32::MAX);
            SUMS.set(t, sum);
            sync_warp(u32::MAX);
        }
        data.set(t, SUMS.get(t));
    }
}
