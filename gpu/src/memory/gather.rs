//! Reads from other threads' places: one place for a whole warp, the warp's in another order, or
//! places far apart.
//!
//! Launch: 1-D grid of 1-D blocks of whole warps; at least one thread for each element of `output`.
//! `output[i] = input[f(i)]`, where `f` is the kernel's. If `f(i)` is past the end of `input`,
//! `output[i]` is left alone.
//! Shows: a load costs the sectors that its lanes access, in any order of the lanes. One
//! address for all lanes is one sector; 32 neighbours are 4 sectors in any order; 32 places far
//! apart are 32.
//! Source: CUDA C++ Best Practices Guide, "Memory Optimizations".

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::thread;
use lanewise_std::warp::WARP_SIZE;

/// The distance of neighbouring threads' elements in `gather_scattered`. It is a prime, so that no
/// element is read twice if it does not divide the length of the input.
pub const APART: usize = 1031;

/// The operand of the exclusive or in `gather_permuted`.
pub const SWAPS: usize = 0b10110;

/// Every lane reads the element of its warp's first lane.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn gather_same(input: &[f32], mut output: DisjointSlice<f32>) {
    let index = thread::index_1d();
    let from = index.get() / WARP_SIZE as usize * WARP_SIZE as usize;
    if let (Some(input), Some(output)) = (input.get(from), output.get_mut(&index)) {
        *output = *input;
    }
}

/// The lanes of a warp read each other's elements: an exclusive or with less than 32 stays
/// inside the warp.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn gather_permuted(input: &[f32], mut output: DisjointSlice<f32>) {
    let index = thread::index_1d();
    if let (Some(input), Some(output)) = (input.get(index.get() ^ SWAPS), output.get_mut(&index)) {
        *output = *input;
    }
}

/// Neighbouring threads read elements that are [`APART`], and wrap around in the input.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn gather_scattered(input: &[f32], mut output: DisjointSlice<f32>) {
    if input.is_empty() {
        return; // there is no remainder by zero, and nothing to read
    }
    let index = thread::index_1d();
    let from = index.get() * APART % input.len();
    if let Some(output) = output.get_mut(&index) {
        *output = input[from]; // a remainder is below what it divides by, so this is no check
    }
}
