//! A step of a scan reads what another thread writes in the same step.
//! launch: block 64

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::thread::{sync_threads, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn scan_in_place(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static SCAN: [u32; 64]; }
        SCAN.set(t, 1);
        sync_threads();
        let mut step = 1;
        while step < 64 {
            if t >= step {
                SCAN.set(t, SCAN.get(t) + SCAN.get(t - step));
            }
            sync_threads();
            step *= 2;
        }
        data.set(t, SCAN.get(t));
    }
}

/// As it is right.
#[kernel]
pub fn scan_in_place_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static SCAN: [u32; 64]; }
        SCAN.set(t, 1);
        sync_threads();
        let mut step = 1;
        while step < 64 {
            let add = if t >= step { SCAN.get(t - step) } else { 0 };
            sync_threads();
            SCAN.set(t, SCAN.get(t) + add);
            sync_threads();
            step *= 2;
        }
        data.set(t, SCAN.get(t));
    }
}
