//! Predict: how many requests load 100 numbers.
//!
//! A load of a warp is one request, whatever the number of its active lanes. A warp without an
//! active lane makes none. The launch has 2 blocks of 64 threads, and each thread below 100 loads
//! one number. How many load requests are there?
//!
//! Read: hardware/multiprocessor
//@ hint: The launch has 4 warps.
//@ hint: Threads 96 to 99 are in the last warp.
//@ fails: you predicted 0

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;

/// What you predict.
//@ start
pub const PREDICTION: f64 = 0.0;
//@ solution
pub const PREDICTION: f64 = 4.0;
//@ end

/// Each thread with an element reads it.
#[kernel]
pub fn copy(input: &[u32], mut output: DisjointSlice<u32>) {
    if let Some((output, index)) = output.get_mut_indexed() {
        *output = input[index.get()];
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn the_prediction_is_right() {
        let input = numbers(100);
        let (_, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 100)?;
            stream.launch(copy, LaunchConfig::new(2, 64), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        predicted("load requests", PREDICTION, counters.global_loads.requests as f64);
    }
}
