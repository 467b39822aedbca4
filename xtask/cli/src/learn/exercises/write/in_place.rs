//! Scale a vector in place.
//!
//! A `DisjointSlice` gives each thread its own element, so a thread may read the element as well as
//! write it. Multiply every element by `factor`. A parameter such as `factor` is passed by value.
//!
//! Read: basics/vector_add
//@ hint: `get_mut_indexed()` gives the element without an index that one has to make.
//@ hint: `if let Some((element, _)) = data.get_mut_indexed() { *element *= factor; }`
//@ fails: element 0 of 1: expected 2.5, found 1.0

use lanewise_macros::kernel;
use lanewise_std::{DisjointSlice, thread};

/// `data = factor * data`.
#[kernel]
pub fn scale(mut data: DisjointSlice<f32>, factor: f32) {
    //@ start
    // Your code.
    //@ solution
    if let Some((element, _)) = data.get_mut_indexed() {
        *element *= factor;
    }
    //@ end
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn every_element_is_scaled_once() {
        for n in LENGTHS {
            let (found, _) = run(|device, stream| {
                let mut data = DeviceBuffer::from_slice(device, &vec![1.0; n])?;
                let config = LaunchConfig::for_num_elems(n);
                stream.launch(scale, config, (&mut data, 2.5))?;
                Ok(data.to_vec()?)
            });
            equal(&found, &vec![2.5; n]);
        }
    }
}
