//! An output with one element for each warp, which the warp's first lane writes.
//!
//! It is for the results of warps, such as the products of a matrix's rows with a vector. A warp
//! may have several elements, a grid's number of warps apart.

use crate::DisjointSlice;
use crate::target::WARP_SIZE;
use crate::thread::{TeamIndex, Warps, thread_rank};

/// A slice in global memory whose elements belong to the warps of the launch. An index of the warp
/// is the proof: see [`grid_stride_by_warps`](crate::thread::grid_stride_by_warps), which has an
/// example.
///
/// The host passes the same argument as for a [`DisjointSlice`](crate::DisjointSlice). An index of
/// a thread is none of it:
///
/// ```compile_fail,E0308
/// use lanewise_std::{PerWarp, thread};
///
/// fn own(mut output: PerWarp<f32>) {
///     let _ = output.get_mut(&thread::index_1d());
/// }
/// ```
#[derive(Debug)]
pub struct PerWarp<'a, T>(DisjointSlice<'a, T>);

impl<T> PerWarp<'_, T> {
    /// Returns the number of elements in the slice.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no elements.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the element at an index of the warp, in the warp's first lane. Returns `None` in all
    /// other lanes, and past the end of the slice.
    #[inline]
    pub fn get_mut(&mut self, index: &TeamIndex<Warps>) -> Option<&mut T> {
        if thread_rank().is_multiple_of(WARP_SIZE) && index.get() < self.len() {
            // SAFETY: in bounds; no other warp has this index, and no other thread of the warp has
            // such a rank.
            Some(unsafe { self.0.get_unchecked_mut(index.get()) })
        } else {
            None
        }
    }
}

crate::kernel::wrapper!(PerWarp(DisjointSlice));
crate::kernel::outputs!(PerWarp, WriteSlice);
