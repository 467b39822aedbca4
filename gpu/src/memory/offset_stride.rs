//! A copy of every element from an offset on, and of every `stride`-th.
//!
//! Launch: 1-D grid of 1-D blocks of any size; a thread for each element that is copied. Reads and
//! writes each of those elements once, at the same place in `input` and `output`. The others are
//! left alone, and so are places past a slice's end.
//! Shows: an offset costs only a fifth sector, and the neighbouring warp needs that sector too. A
//! stride costs everything in between: with stride 2 half of each sector is not used, and from
//! stride 8 on each lane has a sector of its own.
//! Source: CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory".

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::thread;

/// Copies element `i + offset` in thread `i`.
#[kernel]
#[launch_contract(dims = 1)]
pub fn offset_copy(input: &[f32], mut output: DisjointSlice<f32>, offset: u32) {
    let at = thread::index_1d().get() + offset as usize;
    // SAFETY: threads with different indices have different elements, at the same distance.
    let output = unsafe { output.get_unique_mut(at) };
    if let (Some(input), Some(output)) = (input.get(at), output) {
        *output = *input;
    }
}

/// Copies element `i * stride` in thread `i`. With a stride of 0 there is one element for all
/// threads, and no thread copies it.
#[kernel]
#[launch_contract(dims = 1)]
pub fn stride_copy(input: &[f32], mut output: DisjointSlice<f32>, stride: u32) {
    let at = thread::index_1d().get() * stride as usize;
    if stride == 0 {
        return;
    }
    // SAFETY: threads with different indices have different elements, `stride` apart.
    let output = unsafe { output.get_unique_mut(at) };
    if let (Some(input), Some(output)) = (input.get(at), output) {
        *output = *input;
    }
}
