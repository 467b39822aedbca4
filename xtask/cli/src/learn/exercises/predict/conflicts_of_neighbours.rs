//! Predict: two lanes read the same cell of shared memory.
//!
//! Lanes 2 i and 2 i + 1 both read cell 33 i. Lanes that read the same cell share it. How many
//! wavefronts does the load need?
//!
//! Read: shared/square_tile
//@ hint: There are 16 different cells. In which banks are 0, 33, 66, ..?
//@ fails: you predicted 0

use lanewise_macros::{kernel, shared};
use lanewise_std::{DisjointSlice, SharedLine};

/// What you predict.
//@ start
pub const PREDICTION: f64 = 0.0;
//@ solution
pub const PREDICTION: f64 = 1.0;
//@ end

/// Lanes 2 i and 2 i + 1 read cell 33 i.
#[kernel]
#[launch_contract(dims = 1, block = 32)]
pub fn pairs(input: &[u32], mut output: DisjointSlice<u32>) {
    shared! { static LINE: SharedLine<u32, 512>; }
    let line = LINE.fill::<16>(|i| input[i]);
    if let Some((output, index)) = output.get_mut_indexed() {
        *output = line.get(index.get() / 2 * 33);
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn the_prediction_is_right() {
        let input = numbers(512);
        let (_, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 32)?;
            stream.launch(pairs, LaunchConfig::new(1, 32), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        predicted(
            "wavefronts for each shared load",
            PREDICTION,
            counters.shared_loads.wavefronts_per_request(),
        );
    }
}
