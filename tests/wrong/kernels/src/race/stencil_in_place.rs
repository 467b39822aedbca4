//! A stencil writes the array that its neighbours still read.
//! launch: block 64

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn stencil_in_place(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let sum = data.get(t) + data.get(t + 2);
        data.set(t + 1, sum);
    }
}

/// As it is right.
#[kernel]
pub fn stencil_in_place_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let sum = data.get(t) + data.get(t + 2);
        data.set(t + 512, sum);
    }
}
