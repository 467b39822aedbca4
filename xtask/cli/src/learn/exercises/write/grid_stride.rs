//! Cover a long vector with a small grid.
//!
//! The grid has 64 threads, whatever the length. So each thread has several elements: its own
//! number, then that number plus the size of the grid, and so on. This is a grid-stride loop.
//! `output.grid_stride()` walks over a thread's elements, with the index of each.
//!
//! Read: execution/grid_shape
//@ hint: `for (i, output) in output.grid_stride() { .. }`
//@ hint: In the loop: `*output = input[i] * input[i];`
//@ fails: element 64 of 256: expected

use lanewise_macros::kernel;
use lanewise_std::{DisjointSlice, thread};

/// `output[i] = input[i]²`.
#[kernel]
pub fn squares(input: &[u32], mut output: DisjointSlice<u32>) {
    //@ start
    if let Some((output, index)) = output.get_mut_indexed() {
        let i = index.get();
        *output = input[i] * input[i];
    }
    //@ solution
    for (i, output) in output.grid_stride() {
        *output = input[i] * input[i];
    }
    //@ end
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn sixty_four_threads_square_any_vector() {
        for n in LENGTHS {
            let input = numbers(n);
            let (found, _) = run(|device, stream| {
                let x = DeviceBuffer::from_slice(device, &input)?;
                let mut y = DeviceBuffer::zeroed(device, n)?;
                stream.launch(squares, LaunchConfig::new(2, 32), (&x, &mut y))?;
                Ok(y.to_vec()?)
            });
            equal(&found, &Vec::from_iter(input.iter().map(|x| x * x)));
        }
    }
}
