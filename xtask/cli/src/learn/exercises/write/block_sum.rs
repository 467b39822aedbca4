//! Sum what each block has.
//!
//! A block reads its elements, one for each thread, and its first thread writes their sum. The
//! threads of a block can compute together: `block_reduce(value, Sum)` combines the values of all
//! threads of the block. All of them have to call it, also those that have no element. A `PerBlock`
//! output has one element for each block, which only the block's first thread gets.
//!
//! Read: warp/collectives
//@ hint: A thread past the end contributes 0: `input.get(i).copied().unwrap_or(0)`.
//@ hint: Call `block_reduce` outside of any `if`, and write inside of `if let Some(sum) =
//@   sums.get_mut()`.
//@ fails: element 0 of 1: expected

use lanewise_macros::kernel;
use lanewise_std::collective::{Sum, block_reduce};
use lanewise_std::{PerBlock, thread};

/// `sums[b]` is the sum of the elements of block `b`.
#[kernel]
pub fn block_sums(input: &[u32], mut sums: PerBlock<u32>) {
    let own = input.get(thread::index_1d().get()).copied().unwrap_or(0);
    //@ start
    if let Some(sum) = sums.get_mut() {
        *sum = own;
    }
    //@ solution
    let total = block_reduce(own, Sum);
    if let Some(sum) = sums.get_mut() {
        *sum = total;
    }
    //@ end
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn each_block_sums_its_part() {
        for n in [33, 1000, 128] {
            let input = numbers(n);
            let (found, _) = run(|device, stream| {
                let x = DeviceBuffer::from_slice(device, &input)?;
                let config = LaunchConfig::cover_1d(n, 128);
                let mut sums = DeviceBuffer::zeroed(device, n.div_ceil(128))?;
                stream.launch(block_sums, config, (&x, &mut sums))?;
                Ok(sums.to_vec()?)
            });
            let expected = input.chunks(128).map(|part| part.iter().sum());
            equal(&found, &Vec::from_iter(expected));
        }
    }
}
