//! An index goes past the last shared array, out of the block's memory.
//! launch: block 32

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::thread::{sync_threads, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn past_a_shared_array(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! {
            static FIRST: [u32; 32];
            static SECOND: [u32; 32];
        }
        FIRST.set(t, 1);
        SECOND.set(t, 2);
        sync_threads();
        SECOND.as_ptr().add(t + 1).write(3);
        sync_threads();
        data.set(t, FIRST.get(t) + SECOND.get(t));
    }
}

/// As it is right.
#[kernel]
pub fn past_a_shared_array_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! {
            static FIRST: [u32; 32];
            static SECOND: [u32; 32];
        }
        FIRST.set(t, 1);
        SECOND.set(t, 2);
        sync_threads();
        SECOND.as_ptr().add((t + 1) % 32).write(3);
        sync_threads();
        data.set(t, FIRST.get(t) + SECOND.get(t));
    }
}
