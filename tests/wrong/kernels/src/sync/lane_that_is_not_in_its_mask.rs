//! A lane takes part in a vote whose mask does not name it.
//! launch: block 32

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::thread_idx_x;
use lanewise_std::warp::any_sync;

/// As it is wrong.
#[kernel]
pub fn lane_that_is_not_in_its_mask(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let any = any_sync(0xffff, data.get(t) > 0);
        data.set(t, u32::from(any));
    }
}

/// As it is right.
#[kernel]
pub fn lane_that_is_not_in_its_mask_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let any = any_sync(u32::MAX, data.get(t) > 0);
        data.set(t, u32::from(any));
    }
}
