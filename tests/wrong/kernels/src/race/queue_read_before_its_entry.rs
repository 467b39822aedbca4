//! An atomic takes a place in a queue; a reader sees the count before the entry is there.
//! launch: grid 2, block 32

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::atomic::AtomicOrdering::Relaxed;
use lanewise_std::atomic::DeviceAtomicU32;
use lanewise_std::fence::threadfence;
use lanewise_std::thread::{block_idx_x, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn queue_read_before_its_entry(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let count = DeviceAtomicU32::from_ptr(data.address_of(0));
        if t == 0 && block_idx_x() == 0 {
            let place = count.fetch_add(1, Relaxed);
            data.set(64 + place as usize, 9);
        } else if t == 0 {
            while count.load(Relaxed) == 0 {}
            data.set(128, data.get(64));
        }
    }
}

/// As it is right.
#[kernel]
pub fn queue_read_before_its_entry_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let count = DeviceAtomicU32::from_ptr(data.address_of(0));
        if t == 0 && block_idx_x() == 0 {
            data.set(64, 9);
            threadfence();
            count.fetch_add(1, Relaxed);
        } else if t == 0 {
            while count.load(Relaxed) == 0 {}
            threadfence();
            data.set(128, data.get(64));
        }
    }
}
