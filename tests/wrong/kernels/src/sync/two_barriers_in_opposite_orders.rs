//! Two warps wait at two barriers, each at another one first.
//! launch: block 64

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::thread::{NamedBarrier, thread_idx_x};
// ANCHOR: wrong
/// As it is wrong.
#[kernel]
pub fn two_barriers_in_opposite_orders(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let (first, second) = (NamedBarrier::<1>::of(64), NamedBarrier::<2>::of(64));
        if t < 32 {
            first.sync();
            second.sync();
        } else {
            second.sync();
            first.sync();
        }
        data.set(t, 1);
    }
}
// ANCHOR_END: wrong

/// As it is right.
// ANCHOR: right
#[kernel]
pub fn two_barriers_in_opposite_orders_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        let (first, second) = (NamedBarrier::<1>::of(64), NamedBarrier::<2>::of(64));
        first.sync();
        second.sync();
        data.set(t, 1);
    }
}
// ANCHOR_END: right
