//! The left neighbour of the first element is written.
//! launch: block 32

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn element_before_the_first(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        data.as_ptr().wrapping_add(t).wrapping_sub(1).write(1);
    }
}

/// As it is right.
#[kernel]
pub fn element_before_the_first_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        if t > 0 {
            data.as_ptr().wrapping_add(t).wrapping_sub(1).write(1);
        }
    }
}
