//! Predict: the lanes load side by side, from the second number on.
//!
//! Lane i loads number i + 1. The buffer begins at a multiple of 256 bytes. How many sectors does a
//! load of a warp touch?
//!
//! Read: memory/misaligned_read
//@ hint: The lanes read the bytes 4 to 131.
//@ hint: Sector 0 has the bytes 0 to 31, sector 4 the bytes 128 to 159.
//@ fails: you predicted 0

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;

/// What you predict.
//@ start
pub const PREDICTION: f64 = 0.0;
//@ solution
pub const PREDICTION: f64 = 5.0;
//@ end

/// Lane i reads number i + 1.
#[kernel]
pub fn shifted(input: &[u32], mut output: DisjointSlice<u32>) {
    if let Some((output, index)) = output.get_mut_indexed() {
        *output = input[index.get() + 1];
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn the_prediction_is_right() {
        let input = numbers(40);
        let (_, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 32)?;
            stream.launch(shifted, LaunchConfig::new(1, 32), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        predicted("sectors for each load", PREDICTION, counters.global_loads.sectors_per_request());
    }
}
