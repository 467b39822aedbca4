//! The largest value is found by a comparison and a store.
//! launch: grid 2, block 32

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::atomic::AtomicOrdering::Relaxed;
use lanewise_std::atomic::DeviceAtomicU32;
use lanewise_std::thread::{global_idx_x, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn maximum_by_comparing(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let value = global_idx_x() + t as u32;
        if value >= data.get(0) {
            data.set(0, value);
        }
    }
}

/// As it is right.
#[kernel]
pub fn maximum_by_comparing_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let value = global_idx_x() + t as u32;
        DeviceAtomicU32::from_ptr(data.address_of(0)).fetch_max(value, Relaxed);
    }
}
