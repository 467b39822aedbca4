//! Programmatic dependent launches, and elected lanes.

use lanewise_macros::kernel;
use lanewise_std::programmatic;
use lanewise_std::thread::{self, thread_idx_x};
use lanewise_std::warp::{FULL_MASK, elect_sync};
use lanewise_std::{DisjointSlice, GlobalMut};

/// Writes `value` to each element. Before that, it lets the next kernel begin.
#[kernel]
#[launch_contract(dims = 1)]
pub fn fill(mut output: DisjointSlice<u32>, value: u32) {
    programmatic::launch_dependents();
    programmatic::wait();
    let index = thread::index_1d();
    if let Some(element) = output.get_mut(&index) {
        *element = value;
    }
}

/// Adds 1 to each element, after the previous kernel's work.
#[kernel]
#[launch_contract(dims = 1)]
pub fn count_up(mut output: DisjointSlice<u32>) {
    programmatic::wait();
    let index = thread::index_1d();
    if let Some(element) = output.get_mut(&index) {
        *element += 1;
    }
}

/// In each warp the elected lane writes 1 to its element, and the others 0. The elected lane of the
/// odd lanes writes 2.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn choose(output: GlobalMut<u32>) {
    let mut said = u32::from(elect_sync(FULL_MASK));
    if thread_idx_x() % 2 == 1 && elect_sync(0xaaaa_aaaa) {
        said += 2;
    }
    let index = thread::index_1d().get();
    if index < output.len() {
        // SAFETY: each thread has its element.
        unsafe { output.set(index, said) };
    }
}
