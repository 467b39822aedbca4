//! What the kernels of the occupancy pattern compute, whatever their registers.

/// For each of `n` elements, 32 numbers started from its index, stirred `rounds` times and added up.
pub fn stirred(n: usize, rounds: u32) -> Vec<u32> {
    (0..n).map(|i| sum(i as u32, rounds)).collect()
}

fn sum(first: u32, rounds: u32) -> u32 {
    let following = |x: &u32| Some(x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    let mut numbers: Vec<u32> = std::iter::successors(Some(first), following)
        .take(32)
        .collect();
    for _ in 0..rounds {
        let mut left = numbers[31];
        for number in &mut numbers {
            left ^= number.wrapping_mul(5);
            *number = left;
        }
    }
    numbers
        .iter()
        .fold(0, |sum, &number| sum.wrapping_add(number))
}
