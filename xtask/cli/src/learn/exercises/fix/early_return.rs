//! Let all threads take part.
//!
//! `warp_reduce` combines the values of all 32 lanes of a warp. A lane that has returned before
//! cannot take part: the others read whatever is in its register. The early return is right for a
//! kernel in which each thread works alone. This is another kind of a kernel.
//!
//! Read: warp/collectives
//@ hint: What does a lane without an element contribute to a maximum of numbers that are not
//@   negative?
//@ hint: `let own = input.get(index.get()).copied().unwrap_or(0.0);`, and no return.
//@ fails: a shuffle reads from an inactive lane

use lanewise_macros::kernel;
use lanewise_std::collective::{Max, warp_reduce};
use lanewise_std::{DisjointSlice, thread};

/// Writes the maximum of its warp's elements to each thread's element.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn warp_maxima(input: &[f32], mut output: DisjointSlice<f32>) {
    let index = thread::index_1d();
    //@ start
    if index.get() >= input.len() {
        return;
    }
    let own = input[index.get()];
    //@ solution
    let own = input.get(index.get()).copied().unwrap_or(0.0);
    //@ end
    let maximum = warp_reduce(own, Max);
    if let Some(output) = output.get_mut(&index) {
        *output = maximum;
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn no_lane_is_missing() {
        let input = floats(50);
        let (found, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 50)?;
            stream.launch(warp_maxima, LaunchConfig::new(1, 64), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        equal(
            &found,
            &Vec::from_iter(
                (0..50).map(|i| input[i / 32 * 32..].iter().take(32).copied().fold(0.0, f32::max)),
            ),
        );
    }
}
