//! Sum rows with coalesced loads.
//!
//! Each thread sums one row of 64 elements. In one step, the lanes of a warp read one element of
//! each of 32 rows: 32 sectors. Give each row to a warp instead: its lanes read side by side, and
//! then add what they have. There are 32 threads for each row, of which the start uses one.
//! The target: at most 4.1 sectors for each load.
//!
//! Read: algorithms/matvec
//@ hint: Make the output a `PerWarp<f32>`, and walk over the rows of a warp: `for row in
//@   thread::grid_stride_by_warps(a.rows())`.
//@ hint: `thread::warp_stride(n)` are the columns of a lane. `sums.get_mut(&row)` is the element of
//@   the row.
//@ hint: `warp_reduce(sum, Sum)` adds the sums of all lanes.
//@ fails: sectors for each load: 32

use lanewise_macros::kernel;
use lanewise_std::collective::{Sum, warp_reduce};
use lanewise_std::{DisjointSlice, Matrix, PerWarp, thread};

/// `sums[r]` is the sum of row `r`. Launch: at least 32 threads for each row.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
//@ start
pub fn row_sums(a: Matrix<f32>, mut sums: DisjointSlice<f32>) {
    if let Some((out, index)) = sums.get_mut_indexed() {
        let row = a.row(index.get());
        *out = row.iter().sum();
    }
}
//@ solution
pub fn row_sums(a: Matrix<f32>, mut sums: PerWarp<f32>) {
    for row in thread::grid_stride_by_warps(a.rows()) {
        let numbers = a.row(row.get());
        let mut sum = 0.0;
        for i in thread::warp_stride(numbers.len()) {
            sum += numbers[i];
        }
        let total = warp_reduce(sum, Sum);
        if let Some(out) = sums.get_mut(&row) {
            *out = total;
        }
    }
}
//@ end

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn a_warp_reads_a_row() {
        let input = floats(32 * 64);
        let (found, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 32)?;
            stream.launch(row_sums, LaunchConfig::new(8, 128), (x.matrix(64), &mut y))?;
            Ok(y.to_vec()?)
        });
        equal(&found, &Vec::from_iter(input.chunks(64).map(|row| row.iter().sum::<f32>())));
        at_most("sectors for each load", counters.global_loads.sectors_per_request(), 4.1);
    }
}
