//! Keep a window in registers.
//!
//! A thread walks along its row with a window of the last four samples. It stores the window in an
//! array that it indexes by a variable. Registers have no addresses, so such an array is in local
//! memory, which is as far away as global memory. Shift the window instead of turning around in it.
//! The target: no local loads and stores.
//!
//! Read: shared/local_memory
//@ hint: With `window[0] = window[1]; ..`, all indices are constants.
//@ hint: `window = [window[1], window[2], window[3], x];` and then `window.iter().sum()`.
//@ fails: local requests

use lanewise_macros::kernel;
use lanewise_std::{DisjointSlice, Matrix};

/// Writes the largest sum of four samples in a row, of each row.
#[kernel]
pub fn loudest(a: Matrix<u32>, mut output: DisjointSlice<u32>) {
    let Some((output, index)) = output.get_mut_indexed() else { return };
    let mut window = [0; 4];
    let mut most = 0;
    //@ start
    for (i, x) in a.row(index.get()).iter().enumerate() {
        window[i % 4] = *x;
        most = most.max(window.iter().sum::<u32>());
    }
    //@ solution
    for x in a.row(index.get()) {
        window = [window[1], window[2], window[3], *x];
        most = most.max(window.iter().sum::<u32>());
    }
    //@ end
    *output = most;
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn the_window_is_in_registers() {
        let input = numbers(64 * 20);
        let (found, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 64)?;
            stream.launch(loudest, LaunchConfig::new(2, 32), (x.matrix(20), &mut y))?;
            Ok(y.to_vec()?)
        });
        let most = |row: &[u32]| row.windows(4).map(|four| four.iter().sum()).max().unwrap();
        equal(&found, &Vec::from_iter(input.chunks(20).map(most)));
        at_most("local requests", counters.local_requests as f64, 0.0);
    }
}
