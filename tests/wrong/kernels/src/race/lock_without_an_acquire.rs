//! A lock is taken and opened by relaxed accesses: what it guards is not ordered.
//! launch: grid 2, block 32

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::atomic::AtomicOrdering::{Acquire, Relaxed, Release};
use lanewise_std::atomic::DeviceAtomicU32;
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn lock_without_an_acquire(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        if t == 0 {
            let lock = DeviceAtomicU32::from_ptr(data.address_of(0));
            while lock.compare_exchange(0, 1, Relaxed, Relaxed).is_err() {}
            data.set(64, data.get(64) + 1);
            lock.store(0, Relaxed);
        }
    }
}

/// As it is right.
#[kernel]
pub fn lock_without_an_acquire_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        if t == 0 {
            let lock = DeviceAtomicU32::from_ptr(data.address_of(0));
            while lock.compare_exchange(0, 1, Acquire, Relaxed).is_err() {}
            data.set(64, data.get(64) + 1);
            lock.store(0, Release);
        }
    }
}
