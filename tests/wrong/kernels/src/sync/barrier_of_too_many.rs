//! A barrier waits for more threads than the block has left.
//! launch: block 64

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::{NamedBarrier, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn barrier_of_too_many(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        if t >= 32 {
            return;
        }
        NamedBarrier::<1>::of(64).sync();
        data.set(t, 1);
    }
}

/// As it is right.
#[kernel]
pub fn barrier_of_too_many_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        if t >= 32 {
            return;
        }
        NamedBarrier::<1>::of(32).sync();
        data.set(t, 1);
    }
}
