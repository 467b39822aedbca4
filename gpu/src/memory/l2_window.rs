//! A table that is read over and over, beside a stream that is read once.
//!
//! Launch: 1-D grid of 1-D blocks of any size; at least one thread for each element of `output`.
//! `output[i] = stream[i] + table[i % table.len()]`. Elements past the end of `stream` are left
//! alone; with an empty table there are none.
//! Shows: without help, the stream pushes the table out of L2 although only the table comes back.
//! An access-policy window over the table, set on the launch's stream, has its lines stay in the
//! part of L2 that is set aside for that.
//! Source: programming model notes, "Device Memory L2 Access Management"; CUDA C++ Programming
//! Guide, section of the same name.

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::thread;

/// Adds the table to the stream, round and round.
#[kernel]
#[launch_contract(dims = 1)]
pub fn l2_reuse(table: &[f32], stream: &[f32], mut output: DisjointSlice<f32>) {
    let index = thread::index_1d();
    let i = index.get();
    // There is no remainder for an empty table.
    let kept = i.checked_rem(table.len()).and_then(|at| table.get(at));
    if let (Some(kept), Some(once), Some(output)) = (kept, stream.get(i), output.get_mut(&index)) {
        *output = kept + once;
    }
}
