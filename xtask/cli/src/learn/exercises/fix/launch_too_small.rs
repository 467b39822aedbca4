//! Launch enough blocks.
//!
//! The kernel is right, but the last elements of the result are 0. The grid is too small: an
//! element without a thread stays as it was. Mend the number of blocks.
//!
//! Read: hardware/launch
//@ hint: 1000 elements in blocks of 128 are 7.8 blocks. How many are launched?
//@ hint: `usize` has a division that rounds up: `div_ceil`.
//@ fails: element 896 of 1000: expected

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;

/// The number of blocks of 128 threads for `n` elements.
pub fn blocks(n: usize) -> u32 {
    //@ start
    (n / 128).max(1) as u32
    //@ solution
    n.div_ceil(128).max(1) as u32
    //@ end
}

/// `output[i] = input[i] + 1`.
#[kernel]
pub fn increment(input: &[u32], mut output: DisjointSlice<u32>) {
    if let Some((output, index)) = output.get_mut_indexed() {
        *output = input[index.get()] + 1;
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn every_element_has_a_thread() {
        for n in LENGTHS {
            let input = numbers(n);
            let (found, _) = run(|device, stream| {
                let x = DeviceBuffer::from_slice(device, &input)?;
                let mut y = DeviceBuffer::zeroed(device, n)?;
                stream.launch(increment, LaunchConfig::new(blocks(n), 128), (&x, &mut y))?;
                Ok(y.to_vec()?)
            });
            equal(&found, &Vec::from_iter(input.iter().map(|x| x + 1)));
        }
    }
}
