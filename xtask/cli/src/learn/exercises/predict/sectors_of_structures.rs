//! Predict: a load of one field of a structure.
//!
//! A structure has three numbers of 4 bytes, and the kernel loads the second of them. The lanes of
//! a warp read neighbouring structures. How many sectors does the load touch?
//!
//! Read: memory/aos_soa
//@ hint: The lanes read the bytes 4, 16, 28, .. : 12 bytes apart.
//@ hint: 32 structures are 384 bytes.
//@ fails: you predicted 0

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;

/// What you predict.
//@ start
pub const PREDICTION: f64 = 0.0;
//@ solution
pub const PREDICTION: f64 = 12.0;
//@ end

/// Lane i reads the second number of structure i.
#[kernel]
pub fn second(input: &[[u32; 3]], mut output: DisjointSlice<u32>) {
    if let Some((output, index)) = output.get_mut_indexed() {
        *output = input[index.get()][1];
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn the_prediction_is_right() {
        let input = vec![[1_u32, 2, 3]; 32];
        let (_, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 32)?;
            stream.launch(second, LaunchConfig::new(1, 32), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        predicted("sectors for each load", PREDICTION, counters.global_loads.sectors_per_request());
    }
}
