//! Load each sample once.
//!
//! A stencil of radius 3 reads seven samples for each result, so each sample is loaded seven times.
//! Let the block load its samples, and three more at each end, into a `SharedLine`, and read them
//! there.
//! The target: at most 2.5 load requests for each warp.
//!
//! Read: shared/stencil
//@ hint: The line has 128 + 6 cells. With `SharedLine<f32, { 128 + 6 }, 3>`, thread 0 begins at
//@   cell 3, and the loads stay coalesced.
//@ hint: Cell i is sample `(first + i).wrapping_sub(3)`, or 0 if there is none.
//@ hint: `LINE.fill::<2>(..)`, since six threads have two cells.
//@ fails: load requests for each warp: 7

use lanewise_macros::{kernel, shared};
use lanewise_std::{DisjointSlice, SharedLine, thread};

/// Sums each sample and three on either side; what lies outside counts as 0.
#[kernel]
#[launch_contract(dims = 1, block = 128)]
pub fn sum_of_seven(input: &[f32], mut output: DisjointSlice<f32>) {
    let sample = |i: usize| input.get(i).copied().unwrap_or(0.0);
    let i = thread::index_1d().get();
    //@ start
    let mut sum = 0.0;
    for k in 0..7 {
        sum += sample((i + k).wrapping_sub(3));
    }
    //@ solution
    shared! { static LINE: SharedLine<f32, { 128 + 6 }, 3>; }
    let first = thread::block_idx_x() as usize * 128;
    let line = LINE.fill::<2>(|i| sample((first + i).wrapping_sub(3)));
    let mut sum = 0.0;
    for k in 0..7 {
        sum += line.get(i - first + k);
    }
    //@ end
    if let Some(output) = output.get_mut(thread::index_1d()) {
        *output = sum;
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn samples_are_loaded_once() {
        let input = floats(1024);
        let (found, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 1024)?;
            stream.launch(sum_of_seven, LaunchConfig::new(8, 128), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        let at = |i: usize| input.get(i).copied().unwrap_or(0.0);
        let seven = |i: usize| (0..7).map(|k| at((i + k).wrapping_sub(3))).sum::<f32>();
        equal(&found, &Vec::from_iter((0..1024).map(seven)));
        let requests = counters.global_loads.requests as f64 / 32.0;
        at_most("load requests for each warp", requests, 2.5);
    }
}
