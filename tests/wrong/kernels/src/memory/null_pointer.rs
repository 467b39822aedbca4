//! A pointer that was never set is followed.
//! launch: block 32

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn null_pointer(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let pointer = core::ptr::with_exposed_provenance::<u32>(data.get(t) as usize);
        data.set(t, pointer.read_volatile());
    }
}

/// As it is right.
#[kernel]
pub fn null_pointer_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let pointer = data.address_of(t);
        data.set(t, pointer.read_volatile());
    }
}
