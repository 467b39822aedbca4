//! Name the lanes that take part.
//!
//! The first argument of a shuffle is the set of lanes that take part in it, one bit for each. All
//! of them have to execute the shuffle with the same mask, and a lane must be in its own mask.
//!
//! Read: warp/shuffles
//@ hint: Bit 31 stands for lane 31. Which lanes does `0xffff` name?
//@ hint: All 32 lanes shuffle here: `FULL_MASK`.
//@ fails: is not in its own member mask 0x0000ffff

use lanewise_macros::kernel;
use lanewise_std::warp::{self, FULL_MASK};
use lanewise_std::{DisjointSlice, thread};

/// Each lane writes the number of the lane opposite to it: lane 0 that of lane 31.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn opposite(input: &[u32], mut output: DisjointSlice<u32>) {
    let index = thread::index_1d();
    let own = input.get(index.get()).copied().unwrap_or(0);
    //@ start
    let other = warp::shuffle_xor_sync(0xffff, own, 31);
    //@ solution
    let other = warp::shuffle_xor_sync(FULL_MASK, own, 31);
    //@ end
    if let Some(output) = output.get_mut(&index) {
        *output = other;
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn all_lanes_are_named() {
        let input = numbers(32);
        let (found, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 32)?;
            stream.launch(opposite, LaunchConfig::new(1, 32), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        equal(&found, &Vec::from_iter(input.iter().rev().copied()));
    }
}
