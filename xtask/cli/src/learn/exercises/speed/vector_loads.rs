//! Load four numbers at once.
//!
//! A thread can load 16 bytes with one instruction. Then a quarter of the requests moves the same
//! bytes. `vectors_of::<UInt4>(input)` sees a slice as vectors of four, and what is left over after
//! them. The length here is a multiple of four.
//! The target: at most 8 load requests for 1024 numbers.
//!
//! Read: memory/misaligned_read
//@ hint: `let Some((vectors, _)) = vectors_of::<UInt4>(input) else { return };`
//@ hint: Walk over `vectors.len()` by `thread::grid_stride`, and add `v.x + v.y + v.z + v.w`.
//@ fails: load requests: 32

use lanewise_macros::kernel;
use lanewise_std::vector::{UInt4, vectors_of};
use lanewise_std::{DisjointSlice, thread};

/// The sums of all threads together are the sum of `input`.
#[kernel]
pub fn partial_sums(input: &[u32], mut sums: DisjointSlice<u32>) {
    let mut sum = 0;
    //@ start
    for i in thread::grid_stride(input.len()) {
        sum += input[i];
    }
    //@ solution
    let Some((vectors, _)) = vectors_of::<UInt4>(input) else { return };
    for i in thread::grid_stride(vectors.len()) {
        let v = vectors[i];
        sum += v.x + v.y + v.z + v.w;
    }
    //@ end
    if let Some(own) = sums.get_mut(thread::index_1d()) {
        *own = sum;
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn a_request_loads_vectors() {
        let input = numbers(1024);
        let (sums, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut sums = DeviceBuffer::zeroed(device, 128)?;
            stream.launch(partial_sums, LaunchConfig::new(1, 128), (&x, &mut sums))?;
            Ok(sums.to_vec()?)
        });
        equal(&[sums.iter().sum::<u32>()], &[input.iter().sum()]);
        at_most("load requests", counters.global_loads.requests as f64, 8.0);
    }
}
