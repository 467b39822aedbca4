//! Which lane each lane of a segment reads, and what it gets.

/// The values of `input`, each read from another lane of its warp: `from` says which of the `width` lanes of the segment a lane reads, or
/// `None` for its own. Lanes past the end of the input hold the default.
pub fn shuffled<T: Copy + Default>(
    input: &[T],
    width: usize,
    from: impl Fn(usize) -> Option<usize>,
) -> Vec<T> {
    let place = |i: usize| {
        let lane = i % width;
        i - lane + from(lane).filter(|&from| from < width).unwrap_or(lane)
    };
    let value = |i: usize| input.get(place(i)).copied().unwrap_or_default();
    (0..input.len()).map(value).collect()
}

/// Of two lanes that differ in the bits of `mask`, the lower gives the value at `first` for the upper's at `second`.
pub fn swapped(input: &[[i32; 4]], mask: usize, first: usize, second: usize) -> Vec<[i32; 4]> {
    let other = |i: usize| input.get(i ^ mask).copied().unwrap_or_default();
    let each = input.iter().enumerate().map(|(i, &values)| {
        let mut values = values;
        if i < i ^ mask {
            values[first] = other(i)[second];
        } else {
            // With itself, where the mask is zero, it exchanges nothing.
            values[second] = if mask == 0 {
                values[second]
            } else {
                other(i)[first]
            };
        }
        values
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_a_small_warp() {
        let input: Vec<i32> = (0..8).collect();
        assert_eq!(shuffled(&input, 4, |_| Some(2)), [2, 2, 2, 2, 6, 6, 6, 6]);
        assert_eq!(
            shuffled(&input, 4, |lane| lane.checked_sub(1)),
            [0, 0, 1, 2, 4, 4, 5, 6]
        );
        assert_eq!(
            shuffled(&input, 4, |lane| Some(lane + 1)),
            [1, 2, 3, 3, 5, 6, 7, 7]
        );
    }

    #[test]
    fn two_lanes_swap_one_value_each() {
        let input = [[0, 1, 2, 3], [4, 5, 6, 7]];
        assert_eq!(swapped(&input, 1, 0, 3), [[7, 1, 2, 3], [4, 5, 6, 0]]);
    }
}
