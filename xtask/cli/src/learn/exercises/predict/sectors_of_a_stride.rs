//! Predict: the lanes load every third number.
//!
//! Lane i loads number 3 i, of 4 bytes each. A sector of 32 bytes moves as a whole, whether its
//! bytes are used or not. How many sectors does a load of a warp touch?
//!
//! Read: memory/offset_stride
//@ hint: From the first to the last byte, the lanes span 31 times 12 bytes and 4 more.
//@ hint: A sector that is touched by no lane does not move. Is there one, at a distance of 12
//@   bytes?
//@ fails: you predicted 0

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;

/// What you predict.
//@ start
pub const PREDICTION: f64 = 0.0;
//@ solution
pub const PREDICTION: f64 = 12.0;
//@ end

/// Lane i reads number 3 i.
#[kernel]
pub fn every_third(input: &[u32], mut output: DisjointSlice<u32>) {
    if let Some((output, index)) = output.get_mut_indexed() {
        *output = input[3 * index.get()];
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn the_prediction_is_right() {
        let input = numbers(96);
        let (_, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 32)?;
            stream.launch(every_third, LaunchConfig::new(1, 32), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        predicted("sectors for each load", PREDICTION, counters.global_loads.sectors_per_request());
    }
}
