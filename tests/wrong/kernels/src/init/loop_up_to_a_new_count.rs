//! The number of iterations is read from uninitialised memory.
//! launch: block 32

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn loop_up_to_a_new_count(data: GlobalMut<u32>, new: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let mut sum = 0;
        for k in 0..new.get(0) % 8 {
            sum += k;
        }
        data.set(t, sum);
    }
}

/// As it is right.
#[kernel]
pub fn loop_up_to_a_new_count_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let mut sum = 0;
        for k in 0..data.get(512) % 8 {
            sum += k;
        }
        data.set(t, sum);
    }
}
