//! Parts of a device buffer: disjoint pieces that kernels and copies may use at the same time.
//!
//! A buffer keeps its uses in order, so two streams can't write it at once. Two streams can write
//! different parts of it: each part keeps its own order, and the next use of the whole buffer waits
//! for all parts.

use std::marker::PhantomData;
use std::ops::{Bound, Range, RangeBounds};

use bytemuck::{Pod, Zeroable};

use crate::memory::buffer::Borrowed;
use crate::{DeviceBuffer, DeviceCopy, MemoryError};

/// A piece of a [`DeviceBuffer`], which is passed like a buffer: `&part` if the kernel reads it,
/// `&mut part` if it writes it.
///
/// It gives no `&mut DeviceBuffer`, because swapping that with another buffer would let the part
/// outlive the whole:
/// ```compile_fail,E0596
/// # use lanewise::{Device, DeviceBuffer};
/// # fn f(mut whole: DeviceBuffer<f32>, mut other: DeviceBuffer<f32>) {
/// let mut parts = whole.chunks_mut(4);
/// std::mem::swap(&mut *parts[0], &mut other);
/// # }
/// ```
/// The whole can't be used while its parts exist:
/// ```compile_fail,E0502
/// # use lanewise::{Device, DeviceBuffer};
/// # fn f(mut whole: DeviceBuffer<f32>) {
/// let parts = whole.chunks_mut(4);
/// whole.to_vec();
/// drop(parts);
/// # }
/// ```
#[derive(Debug)]
pub struct Part<'whole, T: DeviceCopy> {
    buffer: Borrowed<T>,
    whole: PhantomData<&'whole mut DeviceBuffer<T>>,
}

impl<T: DeviceCopy> Part<'_, T> {
    /// Makes a part of memory that the caller borrows mutably for the part's lifetime.
    pub(super) fn of(buffer: Borrowed<T>) -> Self {
        Part {
            buffer,
            whole: PhantomData,
        }
    }
}

impl<T: DeviceCopy> std::ops::Deref for Part<'_, T> {
    type Target = DeviceBuffer<T>;

    fn deref(&self) -> &DeviceBuffer<T> {
        &self.buffer
    }
}

impl<T: DeviceCopy> Part<'_, T> {
    /// Replaces the contents with `host`.
    ///
    /// # Errors
    /// As [`DeviceBuffer::copy_from_slice`].
    #[track_caller]
    pub fn copy_from_slice(&mut self, host: &[T]) -> Result<(), MemoryError> {
        self.buffer.copy_from_slice(host)
    }

    /// Sets every byte to zero.
    ///
    /// # Errors
    /// As [`DeviceBuffer::fill_zero`].
    #[track_caller]
    pub fn fill_zero(&mut self) -> Result<(), MemoryError>
    where
        T: Zeroable,
    {
        self.buffer.fill_zero()
    }

    /// Sets every element to `value`. An element has 1, 2 or 4 bytes.
    ///
    /// # Errors
    /// As [`DeviceBuffer::fill_zero`].
    #[track_caller]
    pub fn fill(&mut self, value: T) -> Result<(), MemoryError>
    where
        T: Pod,
    {
        self.buffer.fill(value)
    }
}

/// A piece of a [`DeviceBuffer`] that is only read.
#[derive(Debug)]
pub struct View<'whole, T: DeviceCopy> {
    buffer: Borrowed<T>,
    whole: PhantomData<&'whole DeviceBuffer<T>>,
}

impl<T: DeviceCopy> View<'_, T> {
    /// Makes a view of memory that the caller borrows for the view's lifetime.
    pub(super) fn of(buffer: Borrowed<T>) -> Self {
        View {
            buffer,
            whole: PhantomData,
        }
    }
}

impl<T: DeviceCopy> std::ops::Deref for View<'_, T> {
    type Target = DeviceBuffer<T>;

    fn deref(&self) -> &DeviceBuffer<T> {
        &self.buffer
    }
}

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// Splits the buffer into parts of `len` elements, as `chunks_mut` splits a slice. The last may
    /// be shorter; an empty buffer has no parts.
    ///
    /// # Panics
    /// If `len` is 0, as for `chunks_mut` of a slice.
    #[track_caller]
    pub fn chunks_mut(&mut self, len: usize) -> Vec<Part<'_, T>> {
        assert!(len > 0, "a part has at least one element");
        let lens = (0..self.len())
            .step_by(len)
            .map(|start| (start, len.min(self.len() - start)));
        self.cut(lens.collect())
    }

    /// Splits the buffer into consecutive parts of these lengths. Elements after the last part
    /// belong to no part.
    ///
    /// # Panics
    /// If their sum is larger than the buffer's length.
    #[track_caller]
    pub fn parts_of(&mut self, lens: &[usize]) -> Vec<Part<'_, T>> {
        let mut end = 0usize;
        let place = |&len: &usize| {
            let start = end;
            end = end.saturating_add(len);
            (start, len)
        };
        let places: Vec<_> = lens.iter().map(place).collect();
        assert!(
            end <= self.len(),
            "the parts have {end} elements together, and the buffer has {}",
            self.len()
        );
        self.cut(places)
    }

    /// Returns one part of the buffer: `buffer.slice_mut(3..=3).copy_from_slice(&[7])` sets an
    /// element.
    ///
    /// # Panics
    /// If the range reaches past the end of the buffer, as for indexing.
    #[track_caller]
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Part<'_, T> {
        let range = within(range, self.len());
        let mut parts = self.cut(vec![(range.start, range.len())]);
        parts.pop().expect("one part was cut")
    }

    /// Returns a piece of the buffer to read. Unlike those of a part, its uses count as uses
    /// of the buffer.
    ///
    /// # Panics
    /// If the range reaches past the end of the buffer, as for indexing.
    #[track_caller]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> View<'_, T> {
        let range = within(range, self.len());
        let address = self.address() + (range.start * size_of::<T>()) as u64;
        // SAFETY: these elements are in the buffer, which is borrowed while the view exists. The
        // view's uses count as the buffer's.
        let buffer =
            unsafe { Self::borrow_ordered(self.device(), address, range.len(), self.order()) };
        View::of(buffer)
    }

    /// Splits the buffer into the elements before `at` and those from `at` on.
    ///
    /// # Panics
    /// If there are fewer than `at` elements, as for `split_at_mut` of a slice.
    #[track_caller]
    pub fn split_at_mut(&mut self, at: usize) -> (Part<'_, T>, Part<'_, T>) {
        let Some(rest) = self.len().checked_sub(at) else {
            panic!(
                "the buffer is split at {at}, and has {} elements",
                self.len()
            );
        };
        let mut parts = self.parts_of(&[at, rest]).into_iter();
        let mut next = || parts.next().expect("two parts were cut");
        (next(), next())
    }

    /// Makes parts from their starts and lengths. They do not overlap.
    fn cut(&mut self, parts: Vec<(usize, usize)>) -> Vec<Part<'_, T>> {
        let orders = self.order().split(parts.len());
        let cut = |((start, len), order)| {
            let address = self.address() + (start * size_of::<T>()) as u64;
            // SAFETY: these elements are in the buffer, which is borrowed while the part exists.
            // The buffer's order includes the part's uses.
            let buffer = unsafe { Self::borrow_ordered(self.device(), address, len, &order) };
            Part::of(buffer)
        };
        parts.into_iter().zip(orders).map(cut).collect()
    }
}

/// Returns the range as indices into a buffer of `len` elements.
#[track_caller]
fn within(range: impl RangeBounds<usize>, len: usize) -> Range<usize> {
    let start = match range.start_bound() {
        Bound::Unbounded => Some(0),
        Bound::Included(&start) => Some(start),
        Bound::Excluded(&before) => before.checked_add(1),
    };
    let end = match range.end_bound() {
        Bound::Unbounded => Some(len),
        Bound::Included(&last) => last.checked_add(1),
        Bound::Excluded(&end) => Some(end),
    };
    match (start, end) {
        (Some(start), Some(end)) if start <= end && end <= len => start..end,
        _ => panic!(
            "the range {:?} is not in a buffer of {len} elements",
            (range.start_bound(), range.end_bound())
        ),
    }
}
