//! Lanes that shuffle with each other name different lanes.
//! launch: block 32

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::thread_idx_x;
use lanewise_std::warp::shuffle_xor_sync;

/// As it is wrong.
#[kernel]
pub fn masks_that_disagree(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let mask = if t < 16 { u32::MAX } else { 0xffff_0000 };
        data.set(t, shuffle_xor_sync(mask, t as u32, 1));
    }
}

/// As it is right.
#[kernel]
pub fn masks_that_disagree_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let mask = if t < 16 { 0xffff } else { 0xffff_0000 };
        data.set(t, shuffle_xor_sync(mask, t as u32, 1));
    }
}
