//! Two tiles take turns, and the wrong one is read first.
//! launch: block 64

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::thread::{sync_threads, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn second_of_two_buffers(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILES: [[u32; 64]; 2]; }
        let mut sum = 0;
        for round in 0..2 {
            TILES.set_at(round, t, data.get(round * 64 + t));
            sync_threads();
            sum += TILES.get_at(1 - round, 63 - t);
            sync_threads();
        }
        data.set(512 + t, sum);
    }
}

/// As it is right.
#[kernel]
pub fn second_of_two_buffers_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILES: [[u32; 64]; 2]; }
        let mut sum = 0;
        for round in 0..2 {
            TILES.set_at(round, t, data.get(round * 64 + t));
            sync_threads();
            sum += TILES.get_at(round, 63 - t);
            sync_threads();
        }
        data.set(512 + t, sum);
    }
}
