//! An index past the end of a slice is a panic.
//! launch: block 32

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn index_that_is_checked(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        data.set(1000 + t, 1);
    }
}

/// As it is right.
#[kernel]
pub fn index_that_is_checked_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        data.set(992 + t, 1);
    }
}
