//! The positions of bytes in a swizzled box.

/// Returns the offset, in a box with a swizzle of 128 bytes, of the byte that would be at `offset`
/// without the swizzle. The box begins at a multiple of 1024.
///
/// Within each line of 128 bytes, the chunks of 16 bytes are permuted by the number of the line.
/// So a column of 8 chunks is in 8 different groups of banks. Rows of the box have 128 bytes. PTX
/// ISA, "Swizzling Modes".
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::tma::{DynamicTiles, swizzled};
/// use lanewise_std::thread::thread_idx_x;
///
/// /// Sets the elements of a tile where a map with a swizzle of 128 bytes would put them.
/// #[kernel]
/// #[launch_contract(dims = 1, block = 256)]
/// pub fn fill_swizzled() {
///     let Some(tiles) = DynamicTiles::<f32, 256, 2>::get() else {
///         return;
///     };
///     let own = thread_idx_x() as usize;
///     // SAFETY: each thread has its own element, since no two have the same place.
///     unsafe { tiles.tile(1).set(swizzled(4 * own) / 4, own as f32) };
/// }
/// ```
#[inline]
#[must_use]
pub const fn swizzled(offset: usize) -> usize {
    offset ^ (((offset >> 7) & 7) << 4)
}

#[cfg(test)]
mod tests {
    use super::swizzled;

    #[test]
    fn chunks_of_a_line_change_places_among_themselves() {
        let chunks = |line: usize| core::array::from_fn::<_, 8, _>(|chunk| line * 128 + chunk * 16);
        for line in 0..64 {
            let mut places = chunks(line).map(swizzled);
            places.sort_unstable();
            assert_eq!(places, chunks(line));
        }
        // A column of eight lines is in eight different chunks.
        let mut column = core::array::from_fn::<_, 8, _>(|line| swizzled(line * 128) % 128);
        column.sort_unstable();
        assert_eq!(column, chunks(0));
    }
}
