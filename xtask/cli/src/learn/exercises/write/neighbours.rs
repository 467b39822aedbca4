//! Sum neighbours through shared memory.
//!
//! Element i of the output is the sum of elements i - 1, i and i + 1, where what lies outside
//! counts as 0. The threads of a block need mostly the same elements, so the block loads them once:
//! a `SharedLine` of 128 cells and one more at each end, the halo. `fill` writes cell i with what
//! the closure returns, waits, and returns a view that all threads read.
//!
//! Read: using/phases
//@ hint: Cell i is element `first + i - 1` of the input, and cell 0 of the first block is outside.
//@ hint: `(first + i).checked_sub(1).and_then(|i| input.get(i)).copied().unwrap_or(0)`
//@ hint: Thread t has the cells t, t + 1 and t + 2: `line.get(t) + line.get(t + 1) + line.get(t +
//@   2)`.
//@ fails: element 0 of 31: expected

use lanewise_macros::{kernel, shared};
use lanewise_std::{DisjointSlice, SharedLine, thread};

/// `output[i] = input[i - 1] + input[i] + input[i + 1]`.
#[kernel]
#[launch_contract(dims = 1, block = 128)]
pub fn sum_of_three(input: &[u32], mut output: DisjointSlice<u32>) {
    shared! { static LINE: SharedLine<u32, { 128 + 2 }>; }
    let first = thread::block_idx_x() as usize * 128;
    let t = thread::thread_idx_x() as usize;
    //@ start
    let line = LINE.fill::<2>(|i| input.get(first + i).copied().unwrap_or(0));
    if let Some(output) = output.get_mut(thread::index_1d()) {
        *output = line.get(t);
    }
    //@ solution
    let line = LINE.fill::<2>(|i| {
        let element = (first + i).checked_sub(1).and_then(|i| input.get(i));
        element.copied().unwrap_or(0)
    });
    if let Some(output) = output.get_mut(thread::index_1d()) {
        *output = line.get(t) + line.get(t + 1) + line.get(t + 2);
    }
    //@ end
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn neighbours_of_other_blocks_count_too() {
        for n in [31, 256, 1000] {
            let input = numbers(n);
            let (found, _) = run(|device, stream| {
                let x = DeviceBuffer::from_slice(device, &input)?;
                let mut y = DeviceBuffer::zeroed(device, n)?;
                let config = LaunchConfig::cover_1d(n, 128);
                stream.launch(sum_of_three, config, (&x, &mut y))?;
                Ok(y.to_vec()?)
            });
            let at = |i: usize| input.get(i).copied().unwrap_or(0);
            let three = |i: usize| at(i.wrapping_sub(1)) + at(i) + at(i + 1);
            equal(&found, &Vec::from_iter((0..n).map(three)));
        }
    }
}
