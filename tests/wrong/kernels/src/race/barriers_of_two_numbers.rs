//! Two warps wait at barriers with different numbers, so neither orders their accesses.
//! launch: block 64

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::thread::{NamedBarrier, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn barriers_of_two_numbers(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [u32; 64]; }
        TILE.set(t, t as u32);
        if t < 32 {
            NamedBarrier::<1>::of(32).sync();
        } else {
            NamedBarrier::<2>::of(32).sync();
        }
        data.set(t, TILE.get(63 - t));
    }
}

/// As it is right.
#[kernel]
pub fn barriers_of_two_numbers_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [u32; 64]; }
        TILE.set(t, t as u32);
        NamedBarrier::<1>::of(64).sync();
        data.set(t, TILE.get(63 - t));
    }
}
