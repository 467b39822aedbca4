//! Find each lane's place among those that vote yes.
//!
//! `ballot_sync` gives all lanes of a warp the same 32 bits: bit l is set if lane l votes yes. Each
//! thread with an even number writes how many lanes before it, in its warp, have even numbers too.
//! The others write 99. This is how a warp packs what it keeps.
//!
//! Read: warp/votes
//@ hint: `warp::lanemask_lt()` has a bit for each lane before this one.
//@ hint: `(ballot & warp::lanemask_lt()).count_ones()` counts those that voted yes.
//@ fails: expected 1, found 0

use lanewise_macros::kernel;
use lanewise_std::warp::{self, FULL_MASK};
use lanewise_std::{DisjointSlice, thread};

/// Writes the rank of each even number in its warp, and 99 for odd numbers.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn ranks(input: &[u32], mut output: DisjointSlice<u32>) {
    let index = thread::index_1d();
    let is_even = input.get(index.get()).is_some_and(|x| x % 2 == 0);
    let ballot = warp::ballot_sync(FULL_MASK, is_even);
    //@ start
    let rank = 0;
    //@ solution
    let rank = (ballot & warp::lanemask_lt()).count_ones();
    //@ end
    if let Some(output) = output.get_mut(&index) {
        *output = if is_even { rank } else { 99 };
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn even_numbers_have_ranks() {
        let input = numbers(96);
        let (found, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 96)?;
            stream.launch(ranks, LaunchConfig::new(1, 96), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        let evens = |part: &[u32]| part.iter().filter(|x| *x % 2 == 0).count() as u32;
        let rank = |i: usize| match input[i] % 2 {
            0 => evens(&input[i / 32 * 32..i]),
            _ => 99,
        };
        equal(&found, &Vec::from_iter((0..96).map(rank)));
    }
}
