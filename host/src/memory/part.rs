//! Parts of a device buffer: disjoint pieces that kernels and copies may work on at the same time.
//!
//! A buffer keeps order among its uses, so two streams can't work on it at once. Its parts can: each keeps an order of its own, and the
//! whole, used again, waits for all of them.

use std::marker::PhantomData;
use std::ops::Range;

use cust::memory::DeviceCopy;

use crate::DeviceBuffer;
use crate::memory::buffer::Borrowed;

/// A piece of a [`DeviceBuffer`], passed where a buffer is: `&part` where a kernel reads, `&mut part` where it writes.
///
/// There is no `&mut DeviceBuffer` to be had from it: the two could be swapped, and the part outlive the whole.
/// ```compile_fail,E0596
/// # use lanewise::{Device, DeviceBuffer};
/// # fn f(mut whole: DeviceBuffer<f32>, mut other: DeviceBuffer<f32>) {
/// let mut parts = whole.parts(4);
/// std::mem::swap(&mut *parts[0], &mut other);
/// # }
/// ```
/// The whole can't be touched while its parts are there:
/// ```compile_fail,E0502
/// # use lanewise::{Device, DeviceBuffer};
/// # fn f(mut whole: DeviceBuffer<f32>) {
/// let parts = whole.parts(4);
/// whole.to_vec();
/// drop(parts);
/// # }
/// ```
#[derive(Debug)]
pub struct Part<'whole, T: DeviceCopy> {
    buffer: Borrowed<T>,
    whole: PhantomData<&'whole mut DeviceBuffer<T>>,
}

impl<T: DeviceCopy> std::ops::Deref for Part<'_, T> {
    type Target = DeviceBuffer<T>;

    fn deref(&self) -> &DeviceBuffer<T> {
        &self.buffer
    }
}

/// A piece of a [`DeviceBuffer`] that is only read.
#[derive(Debug)]
pub struct View<'whole, T: DeviceCopy> {
    buffer: Borrowed<T>,
    whole: PhantomData<&'whole DeviceBuffer<T>>,
}

impl<T: DeviceCopy> std::ops::Deref for View<'_, T> {
    type Target = DeviceBuffer<T>;

    fn deref(&self) -> &DeviceBuffer<T> {
        &self.buffer
    }
}

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// The buffer in pieces of `len` elements. The last may be shorter; an empty buffer has none.
    ///
    /// # Panics
    /// When `len` is 0, as `chunks` does.
    pub fn parts(&mut self, len: usize) -> Vec<Part<'_, T>> {
        assert!(len > 0, "a part has at least one element");
        let lens = (0..self.len())
            .step_by(len)
            .map(|start| (start, len.min(self.len() - start)));
        self.cut(lens.collect())
    }

    /// Pieces of these lengths, one behind another; what is left at the end is in none.
    ///
    /// # Panics
    /// When they are longer than the buffer all together.
    pub fn parts_of(&mut self, lens: &[usize]) -> Vec<Part<'_, T>> {
        let mut end = 0usize;
        let place = |&len: &usize| {
            let start = end;
            end = end.saturating_add(len);
            (start, len)
        };
        let places: Vec<_> = lens.iter().map(place).collect();
        assert!(end <= self.len(), "{end} elements of {}", self.len());
        self.cut(places)
    }

    /// A piece of the buffer to read. Unlike a part's, its uses are the buffer's.
    ///
    /// # Panics
    /// When it reaches past the end, as indexing does.
    pub fn view(&self, range: Range<usize>) -> View<'_, T> {
        assert!(
            range.start <= range.end && range.end <= self.len(),
            "{range:?} of {}",
            self.len()
        );
        let address = self.address() + (range.start * size_of::<T>()) as u64;
        // SAFETY: these elements are in the buffer, which is borrowed as long as the view lives, and which knows the view's uses.
        let buffer =
            unsafe { Self::borrow_ordered(self.device(), address, range.len(), self.order()) };
        View {
            buffer,
            whole: PhantomData,
        }
    }

    /// The elements before `at`, and those from it on.
    ///
    /// # Panics
    /// When there are fewer than `at`, as `split_at` does.
    pub fn split_at(&mut self, at: usize) -> [Part<'_, T>; 2] {
        let rest = self.len().checked_sub(at).expect("within the buffer");
        let mut parts = self.parts_of(&[at, rest]).into_iter();
        [(); 2].map(|()| parts.next().expect("two parts were cut"))
    }

    /// Parts by their starts and lengths, which lie one behind another.
    fn cut(&mut self, parts: Vec<(usize, usize)>) -> Vec<Part<'_, T>> {
        let orders = self.order().split(parts.len());
        let cut = |((start, len), order)| {
            let address = self.address() + (start * size_of::<T>()) as u64;
            // SAFETY: these elements are in the buffer, which is borrowed as long as the part lives; the buffer knows the part's uses.
            let buffer = unsafe { Self::borrow_ordered(self.device(), address, len, &order) };
            Part {
                buffer,
                whole: PhantomData,
            }
        };
        parts.into_iter().zip(orders).map(cut).collect()
    }
}
