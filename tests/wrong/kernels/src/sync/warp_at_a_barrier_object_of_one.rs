//! All lanes of a warp arrive at an mbarrier whose phases take one arrival each.
//! launch: block 32

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::barrier::{Barrier, Parity};
use lanewise_std::scope::Block;
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn warp_at_a_barrier_object_of_one(data: GlobalMut<u32>) {
    shared! { static BARRIER: Barrier<Block> = 1; }
    let _ = BARRIER.arrive();
    BARRIER.wait_parity(Parity::Even);
    unsafe { data.set(thread_idx_x() as usize, 1) };
}

/// As it is right.
#[kernel]
pub fn warp_at_a_barrier_object_of_one_right(data: GlobalMut<u32>) {
    shared! { static BARRIER: Barrier<Block> = 1; }
    if thread_idx_x() == 0 {
        let _ = BARRIER.arrive();
    }
    BARRIER.wait_parity(Parity::Even);
    unsafe { data.set(thread_idx_x() as usize, 1) };
}
