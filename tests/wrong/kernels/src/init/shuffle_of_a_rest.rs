//! Lanes past the end bring what they find in shared memory to a sum by shuffles.
//! launch: block 32

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::thread::thread_idx_x;
use lanewise_std::warp::{shuffle_down_sync, sync_warp};

/// As it is wrong.
#[kernel]
pub fn shuffle_of_a_rest(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static PART: [u32; 32]; }
        if t < 20 {
            PART.set(t, data.get(t));
        }
        sync_warp(u32::MAX);
        let mut sum = PART.get(t);
        for step in [16, 8, 4, 2, 1] {
            sum += shuffle_down_sync(u32::MAX, sum, step);
        }
        if t == 0 {
            data.set(64, sum);
        }
    }
}

/// As it is right.
#[kernel]
pub fn shuffle_of_a_rest_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static PART: [u32; 32]; }
        if t < 20 {
            PART.set(t, data.get(t));
        }
        sync_warp(u32::MAX);
        let mut sum = if t < 20 { PART.get(t) } else { 0 };
        for step in [16, 8, 4, 2, 1] {
            sum += shuffle_down_sync(u32::MAX, sum, step);
        }
        if t == 0 {
            data.set(64, sum);
        }
    }
}
