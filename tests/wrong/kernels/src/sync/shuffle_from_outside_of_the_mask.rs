//! Eight lanes shuffle among themselves, and read a ninth.
//! launch: block 32

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::thread_idx_x;
use lanewise_std::warp::shuffle_sync;

/// As it is wrong.
#[kernel]
pub fn shuffle_from_outside_of_the_mask(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        if t < 8 {
            data.set(t, shuffle_sync(0xff, t as u32, 8));
        }
    }
}

/// As it is right.
#[kernel]
pub fn shuffle_from_outside_of_the_mask_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        if t < 8 {
            data.set(t, shuffle_sync(0xff, t as u32, 7));
        }
    }
}
