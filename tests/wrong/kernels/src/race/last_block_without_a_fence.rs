//! The block that comes last reads what the others wrote; no fence stands before the count.
//! launch: grid 4, block 32

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::atomic::AtomicOrdering::Relaxed;
use lanewise_std::atomic::DeviceAtomicU32;
use lanewise_std::fence::threadfence;
use lanewise_std::thread::{block_idx_x, sync_threads, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn last_block_without_a_fence(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static LAST: [u32; 1]; }
        let block = block_idx_x() as usize;
        if t == 0 {
            data.set(16 + block, block as u32);
            let before = DeviceAtomicU32::from_ptr(data.address_of(0)).fetch_add(1, Relaxed);
            LAST.set(0, u32::from(before == 3));
        }
        sync_threads();
        if LAST.get(0) == 1 && t < 4 {
            threadfence();
            data.set(32 + t, data.get(16 + t));
        }
    }
}

/// As it is right.
#[kernel]
pub fn last_block_without_a_fence_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static LAST: [u32; 1]; }
        let block = block_idx_x() as usize;
        if t == 0 {
            data.set(16 + block, block as u32);
            threadfence();
            let before = DeviceAtomicU32::from_ptr(data.address_of(0)).fetch_add(1, Relaxed);
            LAST.set(0, u32::from(before == 3));
            threadfence();
        }
        sync_threads();
        if LAST.get(0) == 1 && t < 4 {
            data.set(32 + t, data.get(16 + t));
        }
    }
}
