//! The numbers of the threads of a 3-D launch, at their places in the volume of threads.

/// A shape in x, y, z.
type Shape = [usize; 3];

/// For each place in the volume, x fastest, the number of its thread: blocks one after another, in each x fastest.
pub fn numbers(grid: Shape, block: Shape) -> Vec<u64> {
    let size = [grid[0] * block[0], grid[1] * block[1], grid[2] * block[2]];
    let number = |at: Shape| {
        let of_block = rank([at[0] / block[0], at[1] / block[1], at[2] / block[2]], grid);
        let in_block = rank(
            [at[0] % block[0], at[1] % block[1], at[2] % block[2]],
            block,
        );
        (of_block * block.iter().product::<usize>() + in_block) as u64
    };
    let mut numbers = Vec::new();
    for z in 0..size[2] {
        for y in 0..size[1] {
            numbers.extend((0..size[0]).map(|x| number([x, y, z])));
        }
    }
    numbers
}

/// How many come before `at` in a volume of this shape.
fn rank(at: Shape, shape: Shape) -> usize {
    at[0] + at[1] * shape[0] + at[2] * shape[0] * shape[1]
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn a_block_is_numbered_through_before_the_next() {
        assert_eq!(numbers([2, 1, 1], [2, 2, 1]), [0, 1, 4, 5, 2, 3, 6, 7]);
    }
}
