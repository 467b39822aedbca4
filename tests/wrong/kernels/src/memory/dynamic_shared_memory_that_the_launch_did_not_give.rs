//! A kernel uses dynamic shared memory, and the launch has asked for none.
//! launch: block 32

use lanewise_macros::kernel;
use lanewise_std::DynamicSharedArray;
use lanewise_std::GlobalMut;
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn dynamic_shared_memory_that_the_launch_did_not_give(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let tile = DynamicSharedArray::<u32>::get();
        tile.as_ptr().add(t).write_volatile(1);
        data.set(t, tile.as_ptr().add(t).read_volatile());
    }
}

/// As it is right.
#[kernel]
pub fn dynamic_shared_memory_that_the_launch_did_not_give_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let tile = DynamicSharedArray::<u32>::get();
        if t < tile.len() {
            tile.as_ptr().add(t).write_volatile(1);
        }
        data.set(t, 1);
    }
}
