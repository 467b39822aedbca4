//! An mbarrier waits for one more arrival than there are threads.
//! launch: block 32

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::barrier::Barrier;
use lanewise_std::scope::Block;
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn barrier_object_that_lacks_an_arrival(data: GlobalMut<u32>) {
    shared! { static BARRIER: Barrier<Block> = 33; }
    let t = thread_idx_x() as usize;
    unsafe {
        BARRIER.arrive_and_wait();
        data.set(t, 1);
    }
}

/// As it is right.
#[kernel]
pub fn barrier_object_that_lacks_an_arrival_right(data: GlobalMut<u32>) {
    shared! { static BARRIER: Barrier<Block> = 32; }
    let t = thread_idx_x() as usize;
    unsafe {
        BARRIER.arrive_and_wait();
        data.set(t, 1);
    }
}
