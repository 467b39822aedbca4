//! A copy whose loads select their caches.
//!
//! Launch: 1-D grid of 1-D blocks of any size; at least one thread for each element of `output`.
//! `output[i] = input[i + offset]`. Reads and writes each element once; elements past the end of a
//! slice are left alone.
//! Shows: `ld.global.ca` goes through L1 and L2, `ld.global.cg` through L2 only, `ld.global.nc`
//! through the read-only path. On Fermi and Kepler a load through L1 transfers whole lines of 128
//! bytes, so a misaligned warp uses half of the bytes. Past L1 it transfers sectors of 32 bytes, as
//! all later devices do at every level. A slice that a kernel only reads is read-only by its type:
//! `copy_restrict` needs no `__restrict__` and `const`, as C++ does.
//! Source: Professional CUDA C Programming, chapter 4; PTX ISA, "Cache Operators".

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::{cache, thread};

/// Loads through L1 and L2.
#[kernel]
#[launch_contract(dims = 1)]
pub fn copy_cached(input: &[f32], output: DisjointSlice<f32>, offset: u32) {
    copy(input, output, offset, cache::load_ca);
}

/// Loads through L2 only.
#[kernel]
#[launch_contract(dims = 1)]
pub fn copy_uncached(input: &[f32], output: DisjointSlice<f32>, offset: u32) {
    copy(input, output, offset, cache::load_cg);
}

/// Loads through the read-only path, which each load requests.
#[kernel]
#[launch_contract(dims = 1)]
pub fn copy_ldg(input: &[f32], output: DisjointSlice<f32>, offset: u32) {
    copy(input, output, offset, cache::ldg);
}

/// Loads through the read-only path, as the compiler chooses for a slice that is only read.
#[kernel]
#[launch_contract(dims = 1)]
pub fn copy_restrict(input: &[f32], output: DisjointSlice<f32>, offset: u32) {
    copy(input, output, offset, |element| *element);
}

/// Copies with the given `load`.
#[inline(always)]
fn copy(
    input: &[f32],
    mut output: DisjointSlice<f32>,
    offset: u32,
    load: impl FnOnce(&f32) -> f32,
) {
    let index = thread::index_1d();
    let from = index.get() + offset as usize;
    if let (Some(input), Some(output)) = (input.get(from), output.get_mut(&index)) {
        *output = load(input);
    }
}
