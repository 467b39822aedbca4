//! Predict: the lanes load numbers of 8 bytes, in reverse.
//!
//! Lane i loads number 31 - i, of 8 bytes each: lane 0 the last number, lane 31 the first one. How
//! many sectors does a load of a warp touch?
//!
//! Read: memory/offset_stride
//@ hint: Which lane reads which number of a sector does not matter.
//@ hint: 32 times 8 bytes are 256 bytes.
//@ fails: you predicted 0

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;

/// What you predict.
//@ start
pub const PREDICTION: f64 = 0.0;
//@ solution
pub const PREDICTION: f64 = 8.0;
//@ end

/// Lane i reads number 31 - i.
#[kernel]
pub fn reversed(input: &[f64], mut output: DisjointSlice<f64>) {
    if let Some((output, index)) = output.get_mut_indexed() {
        *output = input[31 - index.get()];
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn the_prediction_is_right() {
        let input = vec![1.5; 32];
        let (_, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 32)?;
            stream.launch(reversed, LaunchConfig::new(1, 32), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        predicted("sectors for each load", PREDICTION, counters.global_loads.sectors_per_request());
    }
}
