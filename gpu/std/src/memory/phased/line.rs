//! [`SharedLine`]: one dimension.

use core::array::from_fn;
use core::marker::PhantomData;

use super::{Declared, Memory, exclusive};
use crate::async_copy::{Destination, wait_all};
use crate::memory::bounds::check;
use crate::memory::shared::declaration;
use crate::thread::{block_size, thread_rank};
use crate::warp::Shuffle;

/// `N` cells in the block's shared memory, which are filled and read in phases: see
/// [`phased`](super).
///
/// The first cell of thread 0 is `FIRST`, the next thread has the next cell, and after the last
/// cell comes cell 0. A `FIRST` other than 0 keeps loads aligned if the line begins with a halo:
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::thread::{block_idx_x, index_1d, thread_idx_x};
/// use lanewise_std::{DisjointSlice, SharedLine};
///
/// /// The sum of each number and its two neighbours.
/// #[kernel]
/// #[launch_contract(dims = 1, block = 128)]
/// pub fn three(input: &[u32], mut output: DisjointSlice<u32>) {
///     shared! { static SAMPLES: SharedLine<u32, { 128 + 2 }, 1>; }
///     let first = block_idx_x() as usize * 128;
///     let samples = SAMPLES.fill::<2>(|i| match (first + i).checked_sub(1) {
///         Some(i) => input.get(i).copied().unwrap_or(0),
///         None => 0,
///     });
///     if let Some(output) = output.get_mut(index_1d()) {
///         let i = thread_idx_x() as usize;
///         *output = samples.get(i) + samples.get(i + 1) + samples.get(i + 2);
///     }
/// }
/// ```
#[derive(Debug)]
pub struct SharedLine<T, const N: usize, const FIRST: usize = 0> {
    cells: *mut T,
}

impl<T, const N: usize, const FIRST: usize> Declared for SharedLine<T, N, FIRST> {
    #[inline]
    fn of_declaration<Declaration>() -> Self {
        const {
            assert!(
                FIRST < N || FIRST == 0,
                "the first cell is one of the line's"
            )
        };
        SharedLine {
            cells: declaration::<Declaration, Memory<[T; N], Self>>().cast(),
        }
    }
}

impl<T: Shuffle, const N: usize, const FIRST: usize> SharedLine<T, N, FIRST> {
    /// Writes `value(i)` to each cell `i`, and returns the view in which all threads read all
    /// cells. All threads of the block have to call it, as with a barrier.
    ///
    /// The thread of rank r (x fastest) has `STEPS` cells, which are a block's size apart, from
    /// cell `FIRST + r` on. If the block has fewer threads than the line has cells, and `STEPS` is
    /// too small for all of them, the view has only the cells that were written.
    ///
    /// # Panics
    /// If `FIRST` is not 0 and `STEPS` is too small for all cells.
    #[inline(always)]
    #[track_caller]
    pub fn fill<const STEPS: usize>(
        &mut self,
        mut value: impl FnMut(usize) -> T,
    ) -> LineView<'_, T> {
        let own = Self::own_cells(STEPS);
        let values: [Option<T>; STEPS] = from_fn(|step| own.cell(step).map(&mut value));
        exclusive(|| {
            for (step, value) in values.iter().enumerate() {
                if let (Some(cell), Some(value)) = (own.cell(step), value) {
                    // SAFETY: the cell is below N, because its number and FIRST are. No other
                    // thread has the number, so none has the cell, and nobody reads now.
                    unsafe { self.cells.add(cell).write(*value) };
                }
            }
        });
        self.view(own.length)
    }

    /// Copies `source(i)` to each cell `i`, and returns the view in which all threads read all
    /// cells. The bytes do not pass through registers. A cell without a source becomes zeros. Needs
    /// `sm_80`.
    ///
    /// Everything else is as for [`fill`](Self::fill). Elements have 4, 8 or 16 bytes and are
    /// aligned to that. A source that is not in global memory is copied by a load and a store.
    ///
    /// ```
    /// use lanewise_macros::{kernel, shared};
    /// use lanewise_std::{DisjointSlice, SharedLine, thread};
    ///
    /// /// Each block reverses its part.
    /// #[kernel(min_arch = "sm_80")]
    /// #[launch_contract(dims = 1, block = 256)]
    /// pub fn reverse_parts(input: &[i32], mut output: DisjointSlice<i32>) {
    ///     shared! { static PART: SharedLine<i32, 256>; }
    ///     let first = thread::block_idx_x() as usize * 256;
    ///     let part = PART.fill_by_copies::<1>(|i| input.get(first + i));
    ///     if let Some(output) = output.get_mut(thread::index_1d()) {
    ///         *output = part.get(255 - thread::thread_idx_x() as usize);
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    /// As for [`fill`](Self::fill).
    #[doc(alias = "cp.async")]
    #[doc(alias = "memcpy_async")]
    #[inline(always)]
    #[track_caller]
    pub fn fill_by_copies<'a, const STEPS: usize>(
        &mut self,
        mut source: impl FnMut(usize) -> Option<&'a T>,
    ) -> LineView<'_, T>
    where
        T: 'a,
    {
        let own = Self::own_cells(STEPS);
        let sources: [_; STEPS] = from_fn(|step| own.cell(step).map(&mut source));
        let to = Destination::new(self.cells);
        exclusive(|| {
            for (step, source) in sources.into_iter().enumerate() {
                if let (Some(cell), Some(source)) = (own.cell(step), source) {
                    // SAFETY: as in `fill`. The wait is before the barrier.
                    unsafe { to.copy_or_zero(cell, source) };
                }
            }
            wait_all();
        });
        self.view(own.length)
    }

    /// Writes each item to its cell, and returns the view of all cells.
    ///
    /// # Safety
    /// All threads of the block call it together, and no two items of theirs have the same cell.
    ///
    /// # Panics
    /// If a cell is past the end.
    #[inline(always)]
    #[track_caller]
    pub(crate) unsafe fn scatter<const ITEMS: usize>(
        &mut self,
        items: [T; ITEMS],
        cells: [usize; ITEMS],
    ) -> LineView<'_, T> {
        for cell in cells {
            check(cell, N);
        }
        exclusive(|| {
            for (cell, item) in cells.into_iter().zip(items) {
                // SAFETY: in bounds. The caller promises that no other item has the cell.
                unsafe { self.cells.add(cell).write(item) };
            }
        });
        self.view(N)
    }

    /// Returns which cells are this thread's, of `steps` for each thread.
    ///
    /// # Panics
    /// As for [`fill`](Self::fill).
    #[inline(always)]
    #[track_caller]
    fn own_cells(steps: usize) -> OwnCells<N, FIRST> {
        let threads = block_size() as usize;
        let length = N.min(steps * threads);
        assert!(
            FIRST == 0 || length == N,
            "the steps of `fill` are too few for a line that does not begin with thread 0"
        );
        OwnCells {
            rank: thread_rank() as usize,
            threads,
            length,
        }
    }

    #[inline(always)]
    fn view(&self, length: usize) -> LineView<'_, T> {
        LineView::new(self.cells, length)
    }
}

/// The cells of a line that belong to this thread.
#[derive(Clone, Copy)]
struct OwnCells<const N: usize, const FIRST: usize> {
    rank: usize,
    threads: usize,
    /// The number of cells that the block writes.
    length: usize,
}

impl<const N: usize, const FIRST: usize> OwnCells<N, FIRST> {
    /// Returns this step's cell, if it is one of the line's.
    #[inline(always)]
    fn cell(self, step: usize) -> Option<usize> {
        let number = self.rank + step * self.threads;
        let cell = FIRST + number;
        (number < N).then_some(if cell < N { cell } else { cell.wrapping_sub(N) })
    }
}

/// The cells of a [`SharedLine`] while all threads read them.
#[derive(Clone, Copy, Debug)]
pub struct LineView<'a, T> {
    cells: *const T,
    length: usize,
    line: PhantomData<&'a T>,
}

impl<T> LineView<'_, T> {
    /// Makes the view of cells that nobody writes while it lives.
    #[inline(always)]
    pub(super) fn new(cells: *const T, length: usize) -> Self {
        LineView {
            cells,
            length,
            line: PhantomData,
        }
    }
}

impl<T: Shuffle> LineView<'_, T> {
    /// Returns the number of cells that were written.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns whether there are no cells.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the value of the cell at `index`, or `other` past the end.
    #[inline]
    #[must_use]
    pub fn get_or(&self, index: usize, other: T) -> T {
        if index < self.length {
            self.get(index)
        } else {
            other
        }
    }

    /// Returns the value of the cell at `index`.
    ///
    /// # Panics
    /// If `index` is past the end.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn get(&self, index: usize) -> T {
        check(index, self.length);
        // SAFETY: in bounds. No thread writes now, and all bits are a value: see `phased`.
        unsafe { self.cells.add(index).read() }
    }
}
