//! Each of 33 rows of 32 is summed, and the buffer holds 32 of them.
//! launch: block 33

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn division_of_an_array_that_is_too_small(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let mut sum = 0u32;
        for k in 0..32 {
            sum = sum.wrapping_add(data.as_ptr().add(t * 32 + k).read());
        }
        data.set(t, sum);
    }
}

/// As it is right.
#[kernel]
pub fn division_of_an_array_that_is_too_small_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let mut sum = 0u32;
        if t < 32 {
            for k in 0..16 {
                sum = sum.wrapping_add(data.as_ptr().add(512 + t * 16 + k).read());
            }
            data.set(t, sum);
        }
    }
}
