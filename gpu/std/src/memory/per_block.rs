//! An output with one element for each block, which the block's first thread writes.
//!
//! It is what a reduction leaves: partial sums, a maximum, a count. The element follows from the
//! block's place in the grid and from nothing that a kernel says, so no two threads can have the
//! same one.

use core::marker::PhantomData;

use crate::thread::{block_number, thread_rank};

/// A slice in global memory with one element for each block of the launch, in the order of the
/// blocks, x fastest.
///
/// The host passes what it passes for a [`DisjointSlice`](crate::DisjointSlice). It is no such
/// slice: there, the elements belong to threads.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::PerBlock;
/// use lanewise_std::collective::{Sum, block_reduce};
/// use lanewise_std::thread::grid_stride;
///
/// #[kernel]
/// pub fn sums(input: &[f32], mut sums: PerBlock<f32>) {
///     shared! { static SCRATCH: [f32; 32]; }
///     let own = grid_stride(input.len()).map(|i| input[i]).sum();
///     let total = block_reduce(own, Sum, &SCRATCH);
///     if let Some(sum) = sums.get_mut() {
///         *sum = total;
///     }
/// }
/// ```
#[derive(Debug)]
pub struct PerBlock<'a, T> {
    pointer: *mut T,
    length: usize,
    memory: PhantomData<&'a mut [T]>,
}

impl<T> PerBlock<'_, T> {
    /// Elements in the slice: it may have more or fewer than the launch has blocks.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// True if there are no elements.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The block's element, in its first thread (the one whose [`thread_rank`] is 0). `None` in all
    /// others, and where the slice has no element for the block.
    #[inline]
    pub fn get_mut(&mut self) -> Option<&mut T> {
        let block = block_number();
        if thread_rank() == 0 && block < self.length {
            // SAFETY: in bounds; no other block has this number, no other thread of the block is
            // here, and this one borrows the whole slice meanwhile.
            Some(unsafe { &mut *self.pointer.add(block) })
        } else {
            None
        }
    }

    /// The first element's address.
    #[inline]
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.pointer
    }

    /// Address and length: what `#[kernel]` passes on when a kernel launches another.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn raw_parts(&self) -> (*mut T, usize) {
        (self.pointer, self.length)
    }

    /// The slice that starts at `pointer`: what `#[kernel]` makes of its two parameters.
    ///
    /// # Safety
    /// `pointer` is aligned, not null, and valid for `length` elements for `'a`, and only the
    /// threads of this launch reach them.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub unsafe fn from_raw_parts(pointer: *mut T, length: usize) -> Self {
        // SAFETY: the caller says so; see `kernel::read_slice`.
        unsafe { core::hint::assert_unchecked(!pointer.is_null()) };
        PerBlock {
            pointer,
            length,
            memory: PhantomData,
        }
    }
}
