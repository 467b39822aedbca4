//! Where a byte of a swizzled box is.

/// Where, in a box that is swizzled by 128 bytes and begins at a multiple of 1024, the byte is that
/// would be at `offset` without.
///
/// Within each 128 bytes, chunks of 16 change places by the number of the line, so that a column of
/// 8 chunks is in 8 different banks. Rows of the box are 128 bytes. PTX ISA, "Swizzling Modes".
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
