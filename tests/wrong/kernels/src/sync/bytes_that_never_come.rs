//! An mbarrier expects bytes that are never copied.
//! launch: block 32

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::barrier::{Barrier, Parity};
use lanewise_std::scope::Block;
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn bytes_that_never_come(data: GlobalMut<u32>) {
    shared! { static BARRIER: Barrier<Block> = 1; }
    let t = thread_idx_x() as usize;
    unsafe {
        if t == 0 {
            let _ = BARRIER.arrive_expect_bytes(64);
        }
        BARRIER.wait_parity(Parity::Even);
        data.set(t, 1);
    }
}

/// As it is right.
#[kernel]
pub fn bytes_that_never_come_right(data: GlobalMut<u32>) {
    shared! { static BARRIER: Barrier<Block> = 1; }
    let t = thread_idx_x() as usize;
    unsafe {
        if t == 0 {
            let _ = BARRIER.arrive_expect_bytes(0);
        }
        BARRIER.wait_parity(Parity::Even);
        data.set(t, 1);
    }
}
