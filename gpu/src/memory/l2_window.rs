//! A table that is read many times, beside a stream that is read once.
//!
//! Launch: 1-D grid of 1-D blocks of any size; at least one thread for each element of `output`.
//! `output[i] = stream[i] + table[i % table.len()]`. Elements past the end of `stream` are left
//! alone; with an empty table nothing is written.
//! Shows: by default, the stream evicts the table from L2 although only the table is read again. An
//! access-policy window over the table, set on the launch's stream, keeps its lines in the part of
//! L2 that is reserved for that.
//! Source: CUDA C++ Programming Guide, "Device Memory L2 Access Management".

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::thread;

/// Adds the table to the stream, again from its start after its end.
#[kernel]
#[launch_contract(dims = 1)]
pub fn l2_reuse(table: &[f32], stream: &[f32], mut output: DisjointSlice<f32>) {
    let index = thread::index_1d();
    let i = index.get();
    // A remainder by an empty table's length does not exist.
    let kept = i.checked_rem(table.len()).and_then(|at| table.get(at));
    if let (Some(kept), Some(once), Some(output)) = (kept, stream.get(i), output.get_mut(&index)) {
        *output = kept + once;
    }
}
