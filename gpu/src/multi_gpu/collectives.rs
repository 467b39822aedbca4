//! The step of a reduction between devices that is not a copy: it adds the arrived data.
//!
//! Launch: 1-D grid of at least as many threads as elements, in blocks of any size. Reads `arrived`
//! once, reads and writes `sum` once; elements past the shorter of the two are left alone.
//! Source: Patarasuk, Yuan: "Bandwidth optimal all-reduce algorithms for clusters
//! of workstations", 2009.

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::thread;

/// `sum[i] += arrived[i]`.
#[kernel]
#[launch_contract(dims = 1)]
pub fn accumulate(arrived: &[f32], mut sum: DisjointSlice<f32>) {
    let index = thread::index_1d();
    if let (Some(arrived), Some(sum)) = (arrived.get(index.get()), sum.get_mut(&index)) {
        *sum += arrived;
    }
}
