//! Branches in which the lanes of a warp diverge.
//!
//! Launch: 1-D grid of 1-D blocks, at least one thread for each element. Each kernel computes
//! `output[i]` from `i` alone; `steps`, where a kernel takes it, is the length of an arm.
//! Shows: a warp whose lanes take both arms executes one after the other, with some of its lanes
//! idle in each. If all lanes of a warp agree, it executes one arm only. A short branch costs
//! nothing: the compiler computes both values and selects one. For long arms, doing so by hand
//! costs as much as diverging. The arms are loops whose length the compiler does not know, so it
//! cannot replace the branch by a select.
//! Source: Professional CUDA C Programming, chapter 3.

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::thread;
use lanewise_std::warp::WARP_SIZE;

/// Even threads take one arm, odd threads the other: every warp takes both.
#[kernel]
#[launch_contract(dims = 1)]
pub fn diverge_by_thread(mut output: DisjointSlice<u32>, steps: u32) {
    let index = thread::index_1d();
    let i = index.get() as u32;
    if let Some(output) = output.get_mut(&index) {
        *output = if i.is_multiple_of(2) {
            stretch(i, steps)
        } else {
            fold(i, steps)
        };
    }
}

/// Even warps take one arm, odd warps the other: no warp takes both.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn diverge_by_warp(mut output: DisjointSlice<u32>, steps: u32) {
    let index = thread::index_1d();
    let i = index.get() as u32;
    if let Some(output) = output.get_mut(&index) {
        *output = if (i / WARP_SIZE).is_multiple_of(2) {
            stretch(i, steps)
        } else {
            fold(i, steps)
        };
    }
}

/// Arms of one instruction each: the branch becomes a select, and no lanes diverge.
#[kernel]
#[launch_contract(dims = 1)]
pub fn diverge_predicated(mut output: DisjointSlice<u32>) {
    let index = thread::index_1d();
    if let Some(output) = output.get_mut(&index) {
        *output = if index.get().is_multiple_of(2) {
            100
        } else {
            200
        };
    }
}

/// Every lane computes both arms and keeps the result that it needs. No lanes diverge, and no
/// time is saved.
#[kernel]
#[launch_contract(dims = 1)]
pub fn diverge_both_arms(mut output: DisjointSlice<u32>, steps: u32) {
    let index = thread::index_1d();
    let i = index.get() as u32;
    if let Some(output) = output.get_mut(&index) {
        let mut both = [i, i];
        for _ in 0..steps {
            both = [stretch_once(both[0]), fold_once(both[1])];
        }
        *output = both[(i % 2) as usize];
    }
}

/// Computes one arm, `steps` times.
#[inline(always)]
fn stretch(x: u32, steps: u32) -> u32 {
    (0..steps).fold(x, |x, _| stretch_once(x))
}

/// Computes the other arm, `steps` times.
#[inline(always)]
fn fold(x: u32, steps: u32) -> u32 {
    (0..steps).fold(x, |x, _| fold_once(x))
}

/// A step of a linear congruential generator (Numerical Recipes, "Quick and Dirty Generators").
#[inline(always)]
fn stretch_once(x: u32) -> u32 {
    x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

/// A step of xorshift (Marsaglia, "Xorshift RNGs", 2003).
#[inline(always)]
fn fold_once(mut x: u32) -> u32 {
    x ^= x << 13;
    x ^= x >> 17;
    x ^ x << 5
}
