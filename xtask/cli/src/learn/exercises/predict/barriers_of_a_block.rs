//! Predict: how many barriers a launch counts.
//!
//! The counter counts each warp that arrives at a barrier of the block. The launch has 3 blocks of
//! 96 threads, and the kernel executes a barrier 5 times. What does the counter show?
//!
//! Read: simulator/counters
//@ hint: A block of 96 threads has 3 warps.
//@ fails: you predicted 0

use lanewise_macros::kernel;
use lanewise_std::{DisjointSlice, thread};

/// What you predict.
//@ start
pub const PREDICTION: f64 = 0.0;
//@ solution
pub const PREDICTION: f64 = 45.0;
//@ end

/// Waits five times.
#[kernel]
pub fn wait(input: &[u32], mut output: DisjointSlice<u32>) {
    for _ in 0..5 {
        thread::sync_threads();
    }
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
        let input = numbers(288);
        let (_, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 288)?;
            stream.launch(wait, LaunchConfig::new(3, 96), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        predicted("barriers", PREDICTION, counters.barriers as f64);
    }
}
