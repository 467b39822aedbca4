//! A difference of two numbers without a sign is an index.
//! launch: block 32

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn index_that_is_negative(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let i = (t as u32).wrapping_sub(4);
        data.as_ptr().add(i as usize).write(1);
    }
}

/// As it is right.
#[kernel]
pub fn index_that_is_negative_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let i = (t as u32).saturating_sub(4);
        if i >= 1 {
            data.as_ptr().add(i as usize).write(1);
        }
    }
}
