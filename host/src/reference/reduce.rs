//! The sum of a vector of integers: the answer of every reduction pattern.
//!
//! Integer addition wraps, on the device as here, and then the order of additions does not matter: one reference serves
//! `reduce_neighbored`, `reduce_interleaved`, `reduce_unrolled` and `reduce_shuffle`.

/// The wrapping sum of everything.
pub fn sum(input: &[i32]) -> i32 {
    input.iter().fold(0, |sum, &x| sum.wrapping_add(x))
}

/// The wrapping sum of each run of `per_block` elements: what each block of a grid has to contribute. An empty input has one
/// block, which contributes 0.
pub fn block_sums(input: &[i32], per_block: usize) -> Vec<i32> {
    if input.is_empty() {
        vec![0]
    } else {
        input.chunks(per_block).map(sum).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_sums_add_up_to_the_sum() {
        let input: Vec<i32> = (0..1000).map(|i| i * 7919 - 3_000_000).collect();
        assert_eq!(block_sums(&input, 96).len(), 11);
        assert_eq!(sum(&block_sums(&input, 96)), sum(&input));
        assert_eq!(block_sums(&[], 96), [0]);
    }
}
