//! Shuffle before the branch.
//!
//! The even lanes want their right neighbour's number, and only they execute the shuffle. The mask
//! says that all lanes come, but the odd ones do not: what a lane reads of an inactive lane can be
//! anything.
//!
//! Read: warp/shuffles
//@ hint: A lane can give its number only if it executes the shuffle as well.
//@ hint: Shuffle in all lanes, and choose afterwards what to write.
//@ fails: a shuffle reads from an inactive lane

use lanewise_macros::kernel;
use lanewise_std::warp::{self, FULL_MASK, lane_id};
use lanewise_std::{DisjointSlice, thread};

/// Even lanes write the sum of their number and the next lane's, odd lanes their own number.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn pair_sums(input: &[u32], mut output: DisjointSlice<u32>) {
    let index = thread::index_1d();
    let mut own = input.get(index.get()).copied().unwrap_or(0);
    //@ start
    if lane_id() % 2 == 0 {
        own += warp::shuffle_down_sync(FULL_MASK, own, 1);
    }
    //@ solution
    let next = warp::shuffle_down_sync(FULL_MASK, own, 1);
    if lane_id() % 2 == 0 {
        own += next;
    }
    //@ end
    if let Some(output) = output.get_mut(&index) {
        *output = own;
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn odd_lanes_give_their_numbers() {
        let input = numbers(32);
        let (found, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 32)?;
            stream.launch(pair_sums, LaunchConfig::new(1, 32), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        equal(
            &found,
            &Vec::from_iter((0..32).map(|i| input[i] + if i % 2 == 0 { input[i + 1] } else { 0 })),
        );
    }
}
