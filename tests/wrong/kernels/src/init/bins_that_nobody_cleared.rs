//! A histogram begins to count in shared memory as it is.
//! launch: block 64

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::atomic::AtomicOrdering::Relaxed;
use lanewise_std::atomic::BlockAtomicU32;
use lanewise_std::thread::{sync_threads, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn bins_that_nobody_cleared(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static BINS: [u32; 16]; }
        BlockAtomicU32::from_ptr(BINS.address_of(t % 16)).fetch_add(1, Relaxed);
        sync_threads();
        if t < 16 {
            data.set(t, BINS.get(t));
        }
    }
}

/// As it is right.
#[kernel]
pub fn bins_that_nobody_cleared_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static BINS: [u32; 16]; }
        if t < 16 {
            BINS.set(t, 0);
        }
        sync_threads();
        BlockAtomicU32::from_ptr(BINS.address_of(t % 16)).fetch_add(1, Relaxed);
        sync_threads();
        if t < 16 {
            data.set(t, BINS.get(t));
        }
    }
}
