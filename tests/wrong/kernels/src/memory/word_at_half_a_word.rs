//! Eight bytes are read at an address that four divide.
//! launch: block 32

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn word_at_half_a_word(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let wide = data.address_of(t + 1).cast::<u64>();
        data.set(t + 64, wide.read_volatile() as u32);
    }
}

/// As it is right.
#[kernel]
pub fn word_at_half_a_word_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let wide = data.address_of(2 * t).cast::<u64>();
        data.set(t + 64, wide.read_volatile() as u32);
    }
}
