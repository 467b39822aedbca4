//! An output slice in which each thread writes only its own elements.
//!
//! All threads of a launch get the same slice, so it cannot be a `&mut [T]`. A [`DisjointSlice`]
//! hands out one element at a time, to a thread whose [`ThreadIndex`] proves that no other thread
//! can get that element.
//!
//! Which elements belong to a thread is part of the slice's type, its `Owner`:
//!
//! | owner | elements of a thread | how it reaches them |
//! | --- | --- | --- |
//! | [`Linear`] | the one at its index, and those a grid's number of threads apart | `get_mut`, `grid_stride` |
//! | [`Unrolled<N>`](Unrolled) | `N`, a block apart | `fill` |
//! | [`Neighbors<N>`](Neighbors) | `N` neighbours, and those a grid's number of threads of such groups apart | `fill_groups` |
//!
//! An offset is not part of the type: the host passes the part of the buffer that begins there.

use core::array::from_fn;
use core::marker::PhantomData;

use crate::memory::bounds::check;
use crate::memory::vector::{Sixteen, Vector};
use crate::thread::{
    Stride, ThreadIndex, block_number, block_size, grid_stride, index_1d, thread_rank,
};

pub use crate::disjoint_matrix::Unrolled;

/// The thread with index i owns element i, and every element whose number leaves i as the remainder
/// when it is divided by the number of threads in the grid.
#[derive(Clone, Copy, Debug, Default)]
pub struct Linear;

/// The slice is divided into groups of `N` neighbours. The thread with index i owns group i, and
/// every group whose number leaves i as the remainder when it is divided by the number of threads
/// in the grid. See [`fill_groups`](DisjointSlice::fill_groups).
///
/// ```compile_fail,E0599
/// use lanewise_std::disjoint::{DisjointSlice, Neighbors};
///
/// fn groups_and_vectors(output: DisjointSlice<f32, Neighbors<4>>) {
///     let _ = output.grid_stride();
/// }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Neighbors<const N: usize>;

/// Proof that an element belongs to this thread alone: a [`ThreadIndex`], borrowed or by value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not show that no other thread has the same element",
    label = "a `ThreadIndex` belongs here",
    note = "`thread::index_1d()` is this thread's: `output.get_mut(&index)`",
    note = "where the algorithm chooses another element, say so: `unsafe {{ output.get_unique_mut(i) }}`, or take a `GlobalMut<T>`"
)]
pub trait OwnIndex {
    /// Returns the thread's own index.
    fn own_index(&self) -> &ThreadIndex;
}

impl OwnIndex for ThreadIndex {
    #[inline]
    fn own_index(&self) -> &ThreadIndex {
        self
    }
}

impl<T: OwnIndex> OwnIndex for &T {
    #[inline]
    fn own_index(&self) -> &ThreadIndex {
        (**self).own_index()
    }
}

/// A slice in global memory in which each element belongs to one thread. `Owner` says to which one:
/// see [the module](self).
///
/// An element by index of a slice with another owner is refused, because two threads could get it:
///
/// ```compile_fail,E0599
/// use lanewise_std::disjoint::{DisjointSlice, Unrolled};
///
/// fn element(mut output: DisjointSlice<f32, Unrolled<4>>) {
///     let _ = output.get_mut(lanewise_std::thread::index_1d());
/// }
/// ```
#[derive(Debug)]
pub struct DisjointSlice<'a, T, Owner = Linear> {
    pointer: *mut T,
    length: usize,
    memory: PhantomData<(&'a mut [T], Owner)>,
}

impl<T, Owner> DisjointSlice<'_, T, Owner> {
    /// Returns the number of elements in the slice.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns whether there are no elements.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Shortens the slice to at most its first `length` elements.
    #[inline]
    pub fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    /// Returns the address of the first element.
    #[inline]
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.pointer
    }

    /// Returns the address and the length, which `#[kernel]` passes on when a
    /// kernel launches another.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn raw_parts(&self) -> (*mut T, usize) {
        (self.pointer, self.length)
    }

    /// Makes the slice that starts at `pointer`. `#[kernel]` calls it with the
    /// slice's two parameters.
    ///
    /// # Safety
    /// `pointer` is aligned to [`slice_alignment`](crate::kernel::slice_alignment), not null, and
    /// valid for `length` elements for `'a`, and only the threads of this launch access them.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub unsafe fn from_raw_parts(pointer: *mut T, length: usize) -> Self {
        // SAFETY: the caller promises it; see `kernel::read_slice`.
        unsafe { crate::kernel::assume_slice(pointer, length) };
        DisjointSlice {
            pointer,
            length,
            memory: PhantomData,
        }
    }
}

impl<'a, T> DisjointSlice<'a, T> {
    /// Returns this thread's element, or `None` past the end of the slice (the grid is rounded up
    /// to whole blocks).
    ///
    /// The index is the proof that no other thread gets this element. Pass it by reference
    /// or by value.
    #[inline]
    pub fn get_mut(&mut self, index: impl OwnIndex) -> Option<&mut T> {
        let index = index.own_index();
        if index.get() < self.length {
            // SAFETY: in bounds; no other thread has this index, and this thread's reference
            // borrows the whole slice.
            Some(unsafe { &mut *self.pointer.add(index.get()) })
        } else {
            None
        }
    }

    /// Returns this thread's element with its index, for a 1-D launch; `None` past the end.
    #[inline]
    pub fn get_mut_indexed(&mut self) -> Option<(&mut T, ThreadIndex)> {
        let index = index_1d();
        let element = self.get_mut(&index)?;
        Some((element, index))
    }

    /// Returns this thread's elements, each with its index, so that the grid processes the whole
    /// slice: see [`grid_stride`](crate::thread::grid_stride).
    ///
    /// ```
    /// use lanewise_macros::kernel;
    /// use lanewise_std::DisjointSlice;
    ///
    /// #[kernel]
    /// pub fn add(a: &[f32], b: &[f32], mut sum: DisjointSlice<f32>) {
    ///     for (i, sum) in sum.grid_stride() {
    ///         *sum = a[i] + b[i];
    ///     }
    /// }
    /// ```
    #[inline]
    pub fn grid_stride(&mut self) -> impl Iterator<Item = (usize, &mut T)> {
        let pointer = self.pointer;
        grid_stride(self.length).map(move |i| {
            // SAFETY: in bounds; each index comes once, no other thread has it, and this thread's
            // references borrow the whole slice.
            (i, unsafe { &mut *pointer.add(i) })
        })
    }

    /// Returns the element at `index`, or `None` past the end. For algorithms in which no other
    /// thread uses this element.
    ///
    /// # Safety
    /// While the kernel runs, no other thread reads or writes the element at `index`.
    #[inline]
    pub unsafe fn get_unique_mut(&mut self, index: usize) -> Option<&mut T> {
        if index < self.length {
            // SAFETY: in bounds; the caller promises that the element belongs to this thread, and
            // the reference borrows the slice.
            Some(unsafe { &mut *self.pointer.add(index) })
        } else {
            None
        }
    }

    /// Returns the element at `index`, which belongs to this thread, without a bounds check.
    ///
    /// # Safety
    /// As for [`get_unique_mut`](Self::get_unique_mut), and `index` is below the length.
    #[inline]
    pub unsafe fn get_unchecked_mut(&mut self, index: usize) -> &mut T {
        debug_assert!(index < self.length);
        // SAFETY: the caller promises that the element is in bounds and belongs to this thread. The
        // reference borrows the slice.
        unsafe { &mut *self.pointer.add(index) }
    }

    /// Writes `value` at `index`, for algorithms in which no other thread uses this element.
    ///
    /// # Safety
    /// While the kernel runs, no other thread reads or writes the element at `index`.
    ///
    /// # Panics
    /// If `index` is past the end.
    #[inline]
    #[track_caller]
    pub unsafe fn write_unique(&mut self, index: usize, value: T) {
        check(index, self.length);
        // SAFETY: in bounds; the caller promises that the element belongs to this thread.
        unsafe { self.pointer.add(index).write(value) }
    }

    /// Returns the slice as vectors, which belong to the threads as elements do, and the elements
    /// that are left over after them. Returns `None` if the first element is not where a vector may
    /// begin.
    ///
    /// It is unsafe because the owners change: thread 1 owns element 1 of the slice, and elements 4
    /// to 7 of the slice as vectors of four. Safe kernels take a slice of vectors, for which the
    /// host passes `buffer.as_vectors_mut()`.
    ///
    /// # Safety
    /// While the kernel runs, no thread accesses an element of these vectors by the slice itself,
    /// or by vectors of another length.
    #[inline]
    #[must_use]
    pub unsafe fn into_vectors<V>(self) -> Option<(DisjointSlice<'a, V>, DisjointSlice<'a, T>)>
    where
        V: Vector<Element = T>,
    {
        if !self.pointer.cast::<V>().is_aligned() {
            return None;
        }
        let (vectors, rest) = (self.length / V::LANES, self.length % V::LANES);
        // SAFETY: a vector is this many elements one after another, so the vectors and the rest are
        // disjoint pieces of the slice. The caller promises that nothing else accesses them.
        unsafe {
            Some((
                DisjointSlice::from_raw_parts(self.pointer.cast(), vectors),
                DisjointSlice::from_raw_parts(self.pointer.add(self.length - rest), rest),
            ))
        }
    }
}

impl<T, const N: usize> DisjointSlice<'_, T, Unrolled<N>> {
    /// Sets each of this thread's elements to `value(i)`, where `i` is the element's number. A
    /// block has `N` times as many neighbouring elements as threads. In each of `N` steps,
    /// neighbouring threads have neighbouring ones.
    ///
    /// The function is called for elements of the slice only. If the thread has all `N`, all values
    /// are computed before the first element is set, so no load waits for another.
    ///
    /// ```
    /// use lanewise_macros::kernel;
    /// use lanewise_std::disjoint::{DisjointSlice, Unrolled};
    ///
    /// #[kernel]
    /// #[launch_contract(dims = 1, len(a) == len(sum), len(b) == len(sum))]
    /// pub fn add(a: &[f32], b: &[f32], mut sum: DisjointSlice<f32, Unrolled<4>>) {
    ///     sum.fill(|i| a[i] + b[i]);
    /// }
    /// ```
    #[inline(always)]
    pub fn fill(&mut self, mut value: impl FnMut(usize) -> T) {
        let step = block_size() as usize;
        // No slice is as long as the largest number, to which these saturate.
        let of_block = block_number().saturating_mul(N * step);
        let first = of_block.saturating_add(thread_rank() as usize);
        let last = first.saturating_add(N.saturating_sub(1) * step);
        if last < self.length {
            let values: [T; N] = from_fn(|k| value(first + k * step));
            for (k, value) in values.into_iter().enumerate() {
                // SAFETY: in bounds, as the last one is. No other block has these elements, and no
                // other thread of the block has this rank.
                unsafe { *self.pointer.add(first + k * step) = value };
            }
        } else {
            // At the end of the slice these are fewer than `N`.
            for i in Stride::new(first, self.length, step) {
                let value = value(i);
                // SAFETY: in bounds, and no other thread's, as above.
                unsafe { *self.pointer.add(i) = value };
            }
        }
    }
}

impl<T: Copy, const N: usize> DisjointSlice<'_, T, Neighbors<N>> {
    /// Sets the elements of each of this thread's groups to `values(group)`, where `group` is the
    /// group's number: its first element has the index `N * group`. Values past the end of the
    /// slice are left out. One instruction stores a group of 16 bytes that begins at a multiple of
    /// 16.
    ///
    /// ```
    /// use lanewise_macros::kernel;
    /// use lanewise_std::disjoint::{DisjointSlice, Neighbors};
    ///
    /// /// Writes the bytes of each number, the lowest first.
    /// #[kernel]
    /// #[launch_contract(dims = 1)]
    /// pub fn bytes(numbers: &[u32], mut output: DisjointSlice<u8, Neighbors<4>>) {
    ///     output.fill_groups(|i| numbers.get(i).map_or([0; 4], |number| number.to_le_bytes()));
    /// }
    /// ```
    #[inline(always)]
    pub fn fill_groups(&mut self, mut values: impl FnMut(usize) -> [T; N]) {
        let whole = self.pointer.cast::<Sixteen<T, N>>();
        let is_whole = const { size_of::<[T; N]>() == 16 } && whole.is_aligned();
        let whole_groups = if is_whole { self.length / N } else { 0 };
        for group in grid_stride(self.length.div_ceil(N)) {
            let values = values(group);
            if group < whole_groups {
                // SAFETY: aligned and in bounds. No other thread has this group.
                unsafe { whole.add(group).write(Sixteen(values)) };
                continue;
            }
            for (i, value) in values.into_iter().enumerate() {
                // Below the length plus `N`: no slice is so long that this overflows.
                let index = group * N + i;
                if index < self.length {
                    // SAFETY: in bounds, and no other thread's, as above.
                    unsafe { self.pointer.add(index).write(value) };
                }
            }
        }
    }
}

crate::kernel::outputs!(DisjointSlice<Owner>, WriteSlice);
