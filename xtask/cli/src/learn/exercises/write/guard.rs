//! Add two vectors, one element a thread.
//!
//! A grid consists of whole blocks, so it has more threads than the vectors have elements. Each
//! thread adds one pair and writes one element of `c`. The threads past the end do nothing.
//! `thread::index_1d()` is the thread's place in the grid; `c.get_mut(&index)` is the element that
//! belongs to this thread, if there is one.
//!
//! Read: basics/vector_add
//@ hint: `let index = thread::index_1d();` and `index.get()` is the same place as a number.
//@ hint: `a.get(i)` is `None` past the end, as for every slice of Rust.
//@ hint: `if let Some(c) = c.get_mut(&index) { *c = a[index.get()] + b[index.get()]; }`
//@ fails: element 0 of 1: expected

use lanewise_macros::kernel;
use lanewise_std::{DisjointSlice, thread};

/// `c = a + b`. All three have the same length.
#[kernel]
pub fn add(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
    //@ start
    // Your code.
    //@ solution
    let index = thread::index_1d();
    if let Some(c) = c.get_mut(&index) {
        *c = a[index.get()] + b[index.get()];
    }
    //@ end
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn it_adds_vectors_of_any_length() {
        for n in LENGTHS {
            let (a, b) = (floats(n), vec![18.0; n]);
            let (c, _) = run(|device, stream| {
                let x = DeviceBuffer::from_slice(device, &a)?;
                let y = DeviceBuffer::from_slice(device, &b)?;
                let mut c = DeviceBuffer::zeroed(device, n)?;
                let config = LaunchConfig::for_num_elems(n);
                stream.launch(add, config, (&x, &y, &mut c))?;
                Ok(c.to_vec()?)
            });
            let sums: Vec<f32> = a.iter().map(|a| a + 18.0).collect();
            equal(&c, &sums);
        }
    }
}
