//! Predict: 32 lanes load 32 numbers that lie side by side.
//!
//! Global memory moves in sectors of 32 bytes. The lanes of a warp load 32 numbers of 4 bytes, from
//! a multiple of 128 bytes on. How many sectors does the load touch?
//!
//! Read: simulator/counters
//@ hint: 32 times 4 bytes are 128 bytes.
//@ fails: you predicted 0

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;

/// What you predict.
//@ start
pub const PREDICTION: f64 = 0.0;
//@ solution
pub const PREDICTION: f64 = 4.0;
//@ end

/// Lane i reads number i.
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
        let input = numbers(32);
        let (_, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 32)?;
            stream.launch(copy, LaunchConfig::new(1, 32), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        predicted("sectors for each load", PREDICTION, counters.global_loads.sectors_per_request());
    }
}
