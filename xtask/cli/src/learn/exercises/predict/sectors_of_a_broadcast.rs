//! Predict: all lanes load the same number.
//!
//! Each lane loads number 5, as threads do that read a common factor or a row's length. The request
//! asks for 128 bytes in all. How many sectors does the load of a warp touch?
//!
//! Read: memory/gather
//@ hint: Bytes that several lanes ask for move once.
//@ fails: you predicted 0

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;

/// What you predict.
//@ start
pub const PREDICTION: f64 = 0.0;
//@ solution
pub const PREDICTION: f64 = 1.0;
//@ end

/// All lanes read number 5.
#[kernel]
pub fn broadcast(input: &[u32], mut output: DisjointSlice<u32>) {
    if let Some((output, _)) = output.get_mut_indexed() {
        *output = input[5];
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
            stream.launch(broadcast, LaunchConfig::new(1, 32), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        predicted("sectors for each load", PREDICTION, counters.global_loads.sectors_per_request());
    }
}
