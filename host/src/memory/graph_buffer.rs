//! Memory that belongs to a graph while the graph runs.
//!
//! The driver reserves an address when the graph is built, and memory when it is launched. So
//! several graphs can use the same memory one after another. No code outside of the graph can use
//! the buffer, because it has memory only during a launch of the graph.
//! Source: CUDA C++ Programming Guide, "Graph Memory Nodes".

use std::marker::PhantomData;

use crate::memory::buffer::Borrowed;
use crate::{DeviceBuffer, DeviceCopy};

/// `len` values of `T` that a graph allocates at each launch, for its own nodes. It is passed to
/// them like a buffer.
///
/// Its lifetime ties it to the builder that made it. Work outside of that graph cannot use it: a
/// launch on a stream or a copy to the host returns `CUDA_ERROR_INVALID_VALUE`.
#[derive(Debug)]
pub struct GraphBuffer<'graph, T: DeviceCopy> {
    buffer: Borrowed<T>,
    // Invariant, so that no other graph's lifetime fits.
    graph: PhantomData<fn(&'graph ()) -> &'graph ()>,
}

impl<T: DeviceCopy> GraphBuffer<'_, T> {
    /// Makes the buffer. Only the builder of the graph that owns the memory calls this.
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
