//! Memory that a graph has for itself while it runs.
//!
//! The driver gives it an address when the graph is built and memory when it is launched, so that
//! several graphs can have the same memory one after another. Nobody outside of the graph can use
//! it: outside of its launches nothing is there.
//! Source: CUDA C++ Programming Guide, "Graph Memory Nodes".

use std::marker::PhantomData;

use cust::memory::DeviceCopy;

use crate::DeviceBuffer;
use crate::memory::buffer::Borrowed;

/// `len` values of `T` that a graph allocates at each launch, for its own nodes: passed to them
/// where a buffer is.
///
/// It belongs to the builder that made it, by its lifetime. What is not of that graph refuses it: a
/// launch on a stream or a copy to the host returns with `CUDA_ERROR_INVALID_VALUE`.
#[derive(Debug)]
pub struct GraphBuffer<'graph, T: DeviceCopy> {
    buffer: Borrowed<T>,
    // No other graph's lifetime will do, longer or shorter.
    graph: PhantomData<fn(&'graph ()) -> &'graph ()>,
}

impl<T: DeviceCopy> GraphBuffer<'_, T> {
    /// Returns the memory, for the builder of the graph that it is of.
    pub(crate) fn new(buffer: Borrowed<T>) -> Self {
        Self {
            buffer,
            graph: PhantomData,
        }
    }
}

impl<T: DeviceCopy> std::ops::Deref for GraphBuffer<'_, T> {
    type Target = DeviceBuffer<T>;

    fn deref(&self) -> &DeviceBuffer<T> {
        &self.buffer
    }
}
