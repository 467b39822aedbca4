//! A running sum of floats starts from what is in memory.
//! launch: block 32

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn float_that_starts_as_it_is(data: GlobalMut<u32>, new: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let place = new.address_of(t).cast::<f32>();
        place.write(place.read() + data.get(t) as f32);
    }
}

/// As it is right.
#[kernel]
pub fn float_that_starts_as_it_is_right(data: GlobalMut<u32>, new: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let place = new.address_of(t).cast::<f32>();
        place.write(1.0);
        place.write(place.read() + data.get(t) as f32);
    }
}
