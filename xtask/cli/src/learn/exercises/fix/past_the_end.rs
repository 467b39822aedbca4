//! Stay inside of the slice.
//!
//! Each thread averages its number and the next one. The last number has no next one, and stays as
//! it is. A slice checks its index in a kernel too: an index past the end is a panic, and the
//! launch fails with the file and the line.
//!
//! Read: bugs/out_of_bounds
//@ hint: `input.get(i + 1)` is `None` for the last number.
//@ hint: `let next = input.get(i + 1).copied().unwrap_or(input[i]);`
//@ fails: index out of bounds: the len is 1 but the index is 1

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;

/// `output[i]` is the mean of `input[i]` and `input[i + 1]`.
#[kernel]
pub fn means(input: &[f32], mut output: DisjointSlice<f32>) {
    if let Some((output, index)) = output.get_mut_indexed() {
        let i = index.get();
        //@ start
        let next = input[i + 1];
        //@ solution
        let next = input.get(i + 1).copied().unwrap_or(input[i]);
        //@ end
        *output = (input[i] + next) / 2.0;
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn the_last_number_has_no_neighbour() {
        for n in LENGTHS {
            let input = floats(n);
            let (found, _) = run(|device, stream| {
                let x = DeviceBuffer::from_slice(device, &input)?;
                let mut y = DeviceBuffer::zeroed(device, n)?;
                stream.launch(means, LaunchConfig::for_num_elems(n), (&x, &mut y))?;
                Ok(y.to_vec()?)
            });
            let next = |i: usize| input[(i + 1).min(n - 1)];
            equal(&found, &Vec::from_iter((0..n).map(|i| (input[i] + next(i)) / 2.0)));
        }
    }
}
