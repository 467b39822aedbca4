//! Even lanes shuffle with all lanes in the mask, odd lanes wait at a barrier of the block.
//! launch: block 32

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::{sync_threads, thread_idx_x};
use lanewise_std::warp::shuffle_xor_sync;

/// As it is wrong.
#[kernel]
pub fn shuffle_in_one_arm(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        if t.is_multiple_of(2) {
            data.set(t, shuffle_xor_sync(u32::MAX, t as u32, 2));
        }
        sync_threads();
        data.set(t + 64, 1);
    }
}

/// As it is right.
#[kernel]
pub fn shuffle_in_one_arm_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let other = shuffle_xor_sync(u32::MAX, t as u32, 2);
        if t.is_multiple_of(2) {
            data.set(t, other);
        }
        sync_threads();
        data.set(t + 64, 1);
    }
}
