//! What a block's threads find in a tile that they have filled with their numbers.

/// Each thread its own number.
pub fn kept(n: usize, [columns, rows]: [usize; 2]) -> Vec<u32> {
    let threads = columns * rows;
    (0..n).map(|i| (i % threads) as u32).collect()
}

/// The tile's columns one after another: the tile transposed.
pub fn transposed(n: usize, [columns, rows]: [usize; 2]) -> Vec<u32> {
    let at = |thread: usize| (thread % rows * columns + thread / rows) as u32;
    (0..n).map(|i| at(i % (columns * rows))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_of_three_by_two() {
        assert_eq!(kept(7, [3, 2]), [0, 1, 2, 3, 4, 5, 0]);
        assert_eq!(transposed(7, [3, 2]), [0, 3, 1, 4, 2, 5, 0]);
    }
}
