//! Write running totals.
//!
//! Element i of the output is the sum of the input's elements 0 to i: an inclusive scan. One block
//! scans up to 256 elements. `block_inclusive_scan(value, Sum)` gives each thread the sum of the
//! values of all threads up to and including itself.
//!
//! Read: warp/collectives
//@ hint: As with `block_reduce`, all threads of the block call it, those past the end with 0.
//@ hint: `let total = block_inclusive_scan(own, Sum);`
//@ fails: element 1 of 31: expected

use lanewise_macros::kernel;
use lanewise_std::collective::{Sum, block_inclusive_scan};
use lanewise_std::{DisjointSlice, thread};

/// `output[i] = input[0] + .. + input[i]`. Launch: one block.
#[kernel]
pub fn running_totals(input: &[u32], mut output: DisjointSlice<u32>) {
    let index = thread::index_1d();
    let own = input.get(index.get()).copied().unwrap_or(0);
    //@ start
    let total = own;
    //@ solution
    let total = block_inclusive_scan(own, Sum);
    //@ end
    if let Some(output) = output.get_mut(&index) {
        *output = total;
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn totals_run_through_the_block() {
        for n in [1, 31, 33, 256] {
            let input = numbers(n);
            let (found, _) = run(|device, stream| {
                let x = DeviceBuffer::from_slice(device, &input)?;
                let mut y = DeviceBuffer::zeroed(device, n)?;
                stream.launch(running_totals, LaunchConfig::new(1, 256), (&x, &mut y))?;
                Ok(y.to_vec()?)
            });
            let totals = input.iter().scan(0, |sum, x| {
                *sum += x;
                Some(*sum)
            });
            equal(&found, &Vec::from_iter(totals));
        }
    }
}
