//! What kernels have in common, as a user's crate has it: inlined helpers that call the library.

use lanewise_macros::shared;

/// Puts a number into a tile, and takes the next thread's out of it.
///
/// # Safety
/// None: nothing orders the two.
pub unsafe fn pass_on(i: usize) -> u32 {
    shared! { static TILE: [u32; 64]; }
    // SAFETY: the indices are below 64.
    unsafe {
        TILE.set(i, i as u32);
        TILE.get((i + 1) % 64)
    }
}
