//! The grid has more threads than the slice has elements, and the index is not checked.
//! launch: grid 9, block 128

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::{global_idx_x, thread_idx_x};
// ANCHOR: wrong
/// As it is wrong.
#[kernel]
pub fn index_past_the_end(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let i = global_idx_x() as usize;
        data.as_ptr().add(i).write(t as u32);
    }
}
// ANCHOR_END: wrong

/// As it is right.
// ANCHOR: right
#[kernel]
pub fn index_past_the_end_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let i = global_idx_x() as usize;
        if i < data.len() {
            data.as_ptr().add(i).write(t as u32);
        }
    }
}
// ANCHOR_END: right
