//! Questions that a warp can ask all its lanes at once.
//!
//! Launch: 1-D grid of 1-D blocks of whole warps, at least one thread for each element.
//! `vote_any_all_ballot` writes a [`Vote`] for each element: the results of the comparison "is mine
//! above `limit`?" in the warp's lanes. `match_any` writes the lanes of the warp whose value is the
//! same as the element's own. Lanes past the end of `input` take part with zero; elements past the
//! end of `output` are left alone.
//! Shows: the results of 32 lanes are the bits of one register; no memory and no barrier is needed.
//! The mask names the lanes that take part. Before Volta these were the lanes that were active by
//! chance, which made such code fragile.
//! Source: Professional CUDA C Programming, chapter 5; PTX ISA, "vote.sync", "match.sync"; CUDA C++
//! Programming Guide, "Warp Vote Functions".

use lanewise_macros::{Value, kernel};
use lanewise_std::DisjointSlice;
use lanewise_std::thread;
use lanewise_std::warp::{FULL_MASK, all_sync, any_sync, ballot_sync, match_any_sync};

/// The results of a vote in a warp.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Value)]
pub struct Vote {
    /// 1 if the comparison is true in at least one lane.
    pub any: u32,
    /// 1 if it is true in all of them.
    pub all: u32,
    /// The lanes in which it is true: bit n is lane n.
    pub ballot: u32,
}

/// Compares every lane's element with `limit`, and writes the results in three ways.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn vote_any_all_ballot(input: &[i32], mut output: DisjointSlice<Vote>, limit: i32) {
    let index = thread::index_1d();
    let yes = input.get(index.get()).copied().unwrap_or(0) > limit;
    let vote = Vote {
        any: u32::from(any_sync(FULL_MASK, yes)),
        all: u32::from(all_sync(FULL_MASK, yes)),
        ballot: ballot_sync(FULL_MASK, yes),
    };
    if let Some(element) = output.get_mut(index) {
        *element = vote;
    }
}

/// Finds the lanes that have the same element.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn match_any(input: &[i32], mut output: DisjointSlice<u32>) {
    let index = thread::index_1d();
    let value = input.get(index.get()).copied().unwrap_or(0);
    let same = match_any_sync(FULL_MASK, value);
    if let Some(element) = output.get_mut(index) {
        *element = same;
    }
}
