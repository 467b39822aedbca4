//! The consumers wait at a barrier at which the producers do not arrive.
//! launch: block 64

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::{NamedBarrier, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn barrier_that_nobody_arrives_at(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        if t < 32 {
            NamedBarrier::<1>::of(64).sync();
        } else {
            NamedBarrier::<2>::of(64).arrive();
        }
        data.set(t, 1);
    }
}

/// As it is right.
#[kernel]
pub fn barrier_that_nobody_arrives_at_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        if t < 32 {
            NamedBarrier::<1>::of(64).sync();
        } else {
            NamedBarrier::<1>::of(64).arrive();
        }
        data.set(t, 1);
    }
}
