//! Let the lanes of a warp read side by side.
//!
//! Each thread sums a chunk of 32 consecutive elements: the lanes of a warp read 128 bytes apart,
//! and every load touches 32 sectors of 32 bytes, and uses 4 bytes of each. Distribute the elements
//! so that neighbouring lanes read neighbouring elements.
//! The target: 4 sectors for each load.
//!
//! Read: memory/offset_stride
//@ hint: The threads of the grid may take the elements in turns: a grid-stride loop.
//@ hint: `for i in thread::grid_stride(input.len())` gives a thread its share.
//@ fails: sectors for each load: 32.00

use lanewise_macros::kernel;
use lanewise_std::{DisjointSlice, thread};

/// The sums of all threads together are the sum of `input`.
#[kernel]
pub fn partial_sums(input: &[u32], mut sums: DisjointSlice<u32>) {
    let index = thread::index_1d();
    let mut sum = 0;
    //@ start
    for i in 0..32 {
        sum += input[index.get() * 32 + i];
    }
    //@ solution
    for i in thread::grid_stride(input.len()) {
        sum += input[i];
    }
    //@ end
    if let Some(own) = sums.get_mut(&index) {
        *own = sum;
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn lanes_read_side_by_side() {
        let input = numbers(256 * 32);
        let (sums, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut sums = DeviceBuffer::zeroed(device, 256)?;
            stream.launch(partial_sums, LaunchConfig::new(2, 128), (&x, &mut sums))?;
            Ok(sums.to_vec()?)
        });
        equal(&[sums.iter().sum::<u32>()], &[input.iter().sum()]);
        let sectors = counters.global_loads.sectors_per_request();
        at_most("sectors for each load", sectors, 4.1);
    }
}
