//! Lanes that have returned are asked for their value.
//! launch: block 32

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::thread_idx_x;
use lanewise_std::warp::shuffle_xor_sync;

/// As it is wrong.
#[kernel]
pub fn shuffle_after_an_early_return(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        if t >= 20 {
            return;
        }
        let mine = data.get(t);
        data.set(t, mine + shuffle_xor_sync(u32::MAX, mine, 16));
    }
}

/// As it is right.
#[kernel]
pub fn shuffle_after_an_early_return_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let mine = if t < 20 { data.get(t) } else { 0 };
        let sum = mine + shuffle_xor_sync(u32::MAX, mine, 16);
        if t < 20 {
            data.set(t, sum);
        }
    }
}
