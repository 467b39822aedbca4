//! Every thread writes its even element and adds its odd one.
//! launch: block 32

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn odd_elements_of_a_new_buffer(data: GlobalMut<u32>, new: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        new.set(2 * t, 1);
        data.set(t, new.get(2 * t) + new.get(2 * t + 1));
    }
}

/// As it is right.
#[kernel]
pub fn odd_elements_of_a_new_buffer_right(data: GlobalMut<u32>, new: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        new.set(2 * t, 1);
        new.set(2 * t + 1, 1);
        data.set(t, new.get(2 * t) + new.get(2 * t + 1));
    }
}
