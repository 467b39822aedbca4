//! A structure is copied with its padding, which is right, and hashed with it, which is not.
//! launch: block 32

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::thread::sync_threads;
use lanewise_std::thread::thread_idx_x;

/// A byte, three bytes of nothing, a word.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Pair {
    small: u8,
    large: u32,
}

/// As it is wrong.
#[kernel]
pub fn gap_of_a_structure(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static PAIRS: [Pair; 32]; }
        let pair = PAIRS.address_of(t);
        (&raw mut (*pair).small).write(7);
        (&raw mut (*pair).large).write(9);
        sync_threads();
        let words = PAIRS.address_of(31 - t).cast::<u32>();
        data.set(t, words.read() ^ words.add(1).read());
    }
}

/// As it is right.
#[kernel]
pub fn gap_of_a_structure_right(data: GlobalMut<u32>, new: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static PAIRS: [Pair; 32]; }
        let pair = PAIRS.address_of(t);
        (&raw mut (*pair).small).write(7);
        (&raw mut (*pair).large).write(9);
        sync_threads();
        let copy = PAIRS.get(31 - t);
        new.address_of(2 * t).cast::<Pair>().write(copy);
        data.set(t, u32::from(copy.small) ^ copy.large);
    }
}
