//! The sum as a recursion on the CPU. It shows the tree that the kernels of the
//! next patterns walk. No kernel runs here.

use std::hint::black_box;

use anyhow::Result;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, Stream};

use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "recursive_reduce_cpu",
    chapter: "execution",
    summary: "halves added to each other until one element is left, on the CPU, for any length",
    source: "Professional CUDA C Programming, chapter 3",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 20,
        bench: None,
    },
    variants: &[Variant::on_the_host(
        "recursive_reduce_cpu",
        Recursion::prepare,
    )],
};

struct Recursion {
    input: Vec<i32>,
    sum: Option<i32>,
}

impl Recursion {
    fn prepare(_: &Device, setup: Setup) -> Result<Box<dyn Case>> {
        Ok(Box::new(Self {
            input: input::integers(setup.elements()?, setup.seed),
            sum: None,
        }))
    }
}

impl Case for Recursion {
    fn launch(&mut self, _: &Stream) -> Result<()> {
        self.sum = Some(recursive(black_box(&mut self.input.clone())));
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        // The result is compared with a plain loop, because the recursion itself is under test.
        let expected = sum(&self.input);
        Ok(testing::equal(self.sum.as_slice(), &[expected]))
    }

    fn work(&self) -> Work {
        Work::Bytes(4 * self.input.len() as u64)
    }
}

// The sum of a vector of integers, which is the result of every reduction. Integer addition
// wraps on the device and here. So the order of additions does not matter, and one reference
// serves all reductions.

/// Returns the wrapping sum of all elements.
pub fn sum(input: &[i32]) -> i32 {
    input.iter().fold(0, |sum, &x| sum.wrapping_add(x))
}

/// Returns the wrapping sum of each run of `per_block` elements, which a block of a grid has to
/// contribute. An empty input has one block, which contributes 0.
pub fn block_sums(input: &[i32], per_block: usize) -> Vec<i32> {
    if input.is_empty() {
        vec![0]
    } else {
        input.chunks(per_block).map(sum).collect()
    }
}

/// Returns the wrapping sum by a recursion on the CPU that matches the interleaved pairs of the
/// kernels. It adds the second half to the first until one element is left. If the number of
/// elements is odd, the middle element waits for the next step, so any length is valid. `data` is
/// overwritten. The sum of no elements is zero. Source: Professional CUDA C Programming, chapter 3.
pub fn recursive(data: &mut [i32]) -> i32 {
    match data {
        [] => 0,
        [sum] => *sum,
        _ => {
            // The first half is the larger one.
            let (first, second) = data.split_at_mut(data.len().div_ceil(2));
            for (left, right) in first.iter_mut().zip(second) {
                *left = left.wrapping_add(*right);
            }
            recursive(first)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recursion_adds_every_element_of_every_length() {
        for length in (0..300).chain([1023, 1024, 1025, 99_999]) {
            let input: Vec<i32> = (0..length)
                .map(|i: i32| i.wrapping_mul(0x9e37_79b1u32 as i32))
                .collect();
            assert_eq!(recursive(&mut input.clone()), sum(&input), "{length}");
        }
    }

    #[test]
    fn block_sums_add_up_to_the_sum() {
        let input: Vec<i32> = (0..1000).map(|i| i * 7919 - 3_000_000).collect();
        assert_eq!(block_sums(&input, 96).len(), 11);
        assert_eq!(sum(&block_sums(&input, 96)), sum(&input));
        assert_eq!(block_sums(&[], 96), [0]);
    }
}
