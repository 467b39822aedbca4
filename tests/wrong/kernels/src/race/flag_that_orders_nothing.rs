//! One block waits for the flag of another, and neither releases nor acquires.
//! launch: grid 2, block 32

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::atomic::AtomicOrdering::{Acquire, Relaxed, Release};
use lanewise_std::atomic::DeviceAtomicU32;
use lanewise_std::thread::{block_idx_x, thread_idx_x};
// ANCHOR: wrong
/// As it is wrong.
#[kernel]
pub fn flag_that_orders_nothing(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let flag = DeviceAtomicU32::from_ptr(data.address_of(0));
        if t == 0 && block_idx_x() == 0 {
            data.set(64, 7);
            flag.store(1, Relaxed);
        } else if t == 0 {
            while flag.load(Relaxed) == 0 {}
            data.set(65, data.get(64));
        }
    }
}
// ANCHOR_END: wrong

/// As it is right.
// ANCHOR: right
#[kernel]
pub fn flag_that_orders_nothing_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let flag = DeviceAtomicU32::from_ptr(data.address_of(0));
        if t == 0 && block_idx_x() == 0 {
            data.set(64, 7);
            flag.store(1, Release);
        } else if t == 0 {
            while flag.load(Acquire) == 0 {}
            data.set(65, data.get(64));
        }
    }
}
// ANCHOR_END: right
