//! Thread 0 sets a counter to zero for the next round while others read it.
//! launch: block 64

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::atomic::AtomicOrdering::Relaxed;
use lanewise_std::atomic::BlockAtomicU32;
use lanewise_std::thread::{sync_threads, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn counter_that_is_reset_too_early(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static COUNT: [u32; 1]; }
        if t == 0 {
            COUNT.set(0, 0);
        }
        sync_threads();
        BlockAtomicU32::from_ptr(COUNT.address_of(0)).fetch_add(1, Relaxed);
        sync_threads();
        data.set(t, COUNT.get(0));
        if t == 0 {
            COUNT.set(0, 0);
        }
    }
}

/// As it is right.
#[kernel]
pub fn counter_that_is_reset_too_early_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static COUNT: [u32; 1]; }
        if t == 0 {
            COUNT.set(0, 0);
        }
        sync_threads();
        BlockAtomicU32::from_ptr(COUNT.address_of(0)).fetch_add(1, Relaxed);
        sync_threads();
        data.set(t, COUNT.get(0));
        sync_threads();
        if t == 0 {
            COUNT.set(0, 0);
        }
    }
}
