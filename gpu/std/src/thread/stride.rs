//! The grid-stride loop: a grid of any size goes over a slice of any length.
//!
//! The thread with index i (see [`index_1d`]) takes elements i, i + G, i + 2G, ..., where G is the number of threads in the
//! grid. At each step neighbouring threads take neighbouring elements.

use super::*;

/// This thread's elements of a slice; see [`grid_stride`].
#[derive(Clone, Debug)]
pub struct GridStride {
    next: usize,
    end: usize,
    step: usize,
}

/// This thread's share of `0..length`.
#[inline]
#[must_use]
pub fn grid_stride(length: usize) -> GridStride {
    GridStride {
        next: index_1d().get(),
        end: length,
        step: block_size() as usize * grid_size(),
    }
}

impl Iterator for GridStride {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.next >= self.end {
            return None;
        }
        let index = self.next;
        self.next += self.step;
        Some(index)
    }
}
