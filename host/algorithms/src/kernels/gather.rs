//! Reads elements from given places, or writes elements to given places.
//!
//! The places of a warp's lanes are anywhere, so each lane's access is a sector of 32 bytes of its
//! own. An index past the end is a panic. Different elements may be written to one place at the
//! same time, so the writes are atomic.

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::atomic::{Atomic, AtomicOrdering, Word};
use lanewise_std::kernel::Value;
use lanewise_std::scope::Device;
use lanewise_std::thread::grid_stride;

/// The number of threads in a block.
pub const BLOCK: u32 = 256;

/// Writes `input[indices[i]]` to `output[i]`.
///
/// # Panics
/// If an index is past the end of the input.
#[kernel(instances(u32, u64))]
#[launch_contract(dims = 1, block = 256)]
pub fn gather<T: Value>(input: &[T], indices: &[u32], mut output: DisjointSlice<T>) {
    output.truncate(indices.len());
    for (i, output) in output.grid_stride() {
        *output = input[indices[i] as usize];
    }
}

/// Writes `input[i]` to `output[indices[i]]`.
///
/// # Panics
/// If an index is past the end of the output.
#[kernel(instances(u32, u64))]
#[launch_contract(dims = 1, block = 256)]
pub fn scatter<T: Value + Word<Device>>(
    input: &[T],
    indices: &[u32],
    output: &[Atomic<T, Device>],
) {
    for i in grid_stride(indices.len().min(input.len())) {
        output[indices[i] as usize].store(input[i], AtomicOrdering::Relaxed);
    }
}
