//! All warps write the result, each its own.
//! launch: block 64

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn everybody_writes_the_result(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        data.set(0, t as u32);
    }
}

/// As it is right.
#[kernel]
pub fn everybody_writes_the_result_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        if t == 0 {
            data.set(0, t as u32);
        }
    }
}
