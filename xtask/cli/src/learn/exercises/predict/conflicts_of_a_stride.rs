//! Predict: the lanes read every fourth cell of shared memory.
//!
//! Shared memory has 32 banks; cell c of 4 bytes is in bank c mod 32. Lanes that read different
//! cells of one bank wait for each other: the request needs a pass, a wavefront, for each of them.
//! Lane i reads cell 4 i. How many wavefronts does the load need?
//!
//! Read: shared/square_tile
//@ hint: Lanes 0 and 8 both read from bank 0: cells 0 and 32.
//@ hint: 8 banks serve 32 lanes.
//@ fails: you predicted 0

use lanewise_macros::{kernel, shared};
use lanewise_std::{DisjointSlice, SharedLine};

/// What you predict.
//@ start
pub const PREDICTION: f64 = 0.0;
//@ solution
pub const PREDICTION: f64 = 4.0;
//@ end

/// Lane i reads cell 4 i.
#[kernel]
#[launch_contract(dims = 1, block = 32)]
pub fn every_fourth(input: &[u32], mut output: DisjointSlice<u32>) {
    shared! { static LINE: SharedLine<u32, 128>; }
    let line = LINE.fill::<4>(|i| input[i]);
    if let Some((output, index)) = output.get_mut_indexed() {
        *output = line.get(4 * index.get());
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn the_prediction_is_right() {
        let input = numbers(128);
        let (_, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 32)?;
            stream.launch(every_fourth, LaunchConfig::new(1, 32), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        predicted(
            "wavefronts for each shared load",
            PREDICTION,
            counters.shared_loads.wavefronts_per_request(),
        );
    }
}
