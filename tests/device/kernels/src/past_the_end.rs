//! Accesses past the end, one for each type that checks its indices.

use lanewise_macros::{device, kernel, shared};
use lanewise_std::{ConstantMemory, DisjointSlice, DynamicSharedArray, GlobalMut};

/// Seven numbers in constant memory.
#[device]
pub static SEVEN: ConstantMemory<[u32; 7]> = ConstantMemory::new([1; 7]);

/// Accesses element `at`, and row 1 of column `at`, of the object `which`: seven elements each, or
/// tiles of 2 x 7. For dynamic shared memory, the launch gives the number of elements.
#[kernel]
#[launch_contract(dims = 1)]
pub fn past_the_end(which: u32, at: usize, global: GlobalMut<u32>, mut own: DisjointSlice<u32>) {
    shared! { static SHARED: [u32; 7]; static TILE: [[u32; 7]; 2]; }
    let dynamic = DynamicSharedArray::<u32>::get();
    let mut sum = 0;
    // SAFETY: one thread is launched, and what is read has no value that would matter.
    unsafe {
        // One line each: the test looks for them.
        #[rustfmt::skip]
        match which {
            0 => sum += global.get(at),
            1 => global.set(at, 1),
            2 => sum += global.address_of(at) as u32,
            3 => SHARED.set(at, 1),
            4 => dynamic.set(at, 1),
            5 => TILE.set_at(1, at, 1),
            6 => sum += TILE.get_at(1, at),
            7 => TILE.row(at).set(0, 1),
            8 => own.write_unique(at, 1),
            _ => sum += SEVEN.at(at),
        };
        global.set(0, sum);
    }
}
