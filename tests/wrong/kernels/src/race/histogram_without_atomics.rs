//! Threads count in bins that they share, by a load and a store.
//! launch: block 64

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::atomic::AtomicOrdering::Relaxed;
use lanewise_std::atomic::BlockAtomicU32;
use lanewise_std::thread::{sync_threads, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn histogram_without_atomics(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static BINS: [u32; 64]; }
        BINS.set(t, 0);
        sync_threads();
        let bin = t / 8;
        BINS.set(bin, BINS.get(bin) + 1);
        sync_threads();
        data.set(t, BINS.get(t));
    }
}

/// As it is right.
#[kernel]
pub fn histogram_without_atomics_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static BINS: [u32; 64]; }
        BINS.set(t, 0);
        sync_threads();
        BlockAtomicU32::from_ptr(BINS.address_of(t / 8)).fetch_add(1, Relaxed);
        sync_threads();
        data.set(t, BINS.get(t));
    }
}
