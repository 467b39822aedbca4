//! An mbarrier expects bytes that are never copied.
//! launch: block 32

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::barrier::{Barrier, BarrierStorage, Block, Parity};
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn bytes_that_never_come(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static BARRIER: [BarrierStorage; 1]; }
        let barrier = Barrier::<Block>::init(&BARRIER, 1);
        if t == 0 {
            let _ = barrier.arrive_expect_bytes(64);
        }
        barrier.wait_parity(Parity::Even);
        data.set(t, 1);
    }
}

/// As it is right.
#[kernel]
pub fn bytes_that_never_come_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static BARRIER: [BarrierStorage; 1]; }
        let barrier = Barrier::<Block>::init(&BARRIER, 1);
        if t == 0 {
            let _ = barrier.arrive_expect_bytes(0);
        }
        barrier.wait_parity(Parity::Even);
        data.set(t, 1);
    }
}
