//! The owner of rows: a thread, a part of a warp, a warp, a block or a cluster.

use core::marker::PhantomData;

use super::DisjointMatrix;
use crate::cluster;
use crate::target::WARP_SIZE;
use crate::thread::{Blocks, Clusters, TeamIndex, ThreadIndex, Tiles, Warps, thread_rank};

/// The thread with index i owns row i, or the team of threads with index i, whose first thread
/// writes it. `By` is [`Threads`], [`Tiles<N>`](Tiles), [`Warps`], [`Blocks`] or [`Clusters`]. With
/// one column, these are elements of the teams.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::Matrix;
/// use lanewise_std::disjoint_matrix::{DisjointMatrix, RowPer};
/// use lanewise_std::thread::grid_stride;
///
/// /// Writes the least and the greatest element of each row.
/// #[kernel]
/// #[launch_contract(dims = 1)]
/// pub fn ranges(input: Matrix<f32>, mut ranges: DisjointMatrix<f32, RowPer>) {
///     for row in grid_stride(input.rows()).indices() {
///         let elements = input.row(row.get()).iter().copied();
///         let range = [elements.clone().reduce(f32::min), elements.reduce(f32::max)];
///         for (column, value) in range.into_iter().enumerate() {
///             if let (Some(place), Some(value)) = (ranges.in_row(&row, column), value) {
///                 *place = value;
///             }
///         }
///     }
/// }
/// ```
///
/// An index of a thread is none of a matrix whose rows belong to blocks:
///
/// ```compile_fail,E0308
/// use lanewise_std::disjoint_matrix::{DisjointMatrix, RowPer};
/// use lanewise_std::thread::{Blocks, index_1d};
///
/// fn row(mut output: DisjointMatrix<f32, RowPer<Blocks>>) {
///     let _ = output.in_row(&index_1d(), 0);
/// }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct RowPer<By = Threads>(PhantomData<By>);

/// The threads of the grid have the numbers.
#[derive(Clone, Copy, Debug)]
pub struct Threads;

/// Who has the numbers of rows: see [`RowPer`].
pub trait Numbered: sealed::Numbered {}

mod sealed {
    pub trait Numbered {
        /// The proof of a number.
        type Index;

        /// Returns the number in the thread that writes for its owner, and `None` in all others.
        fn number(index: &Self::Index) -> Option<usize>;
    }
}

impl Numbered for Threads {}
impl sealed::Numbered for Threads {
    type Index = ThreadIndex;

    #[inline(always)]
    fn number(index: &ThreadIndex) -> Option<usize> {
        Some(index.get())
    }
}

impl Numbered for Blocks {}
impl sealed::Numbered for Blocks {
    type Index = TeamIndex<Blocks>;

    #[inline(always)]
    fn number(index: &TeamIndex<Blocks>) -> Option<usize> {
        (thread_rank() == 0).then_some(index.get())
    }
}

impl Numbered for Warps {}
impl sealed::Numbered for Warps {
    type Index = TeamIndex<Warps>;

    #[inline(always)]
    fn number(index: &TeamIndex<Warps>) -> Option<usize> {
        thread_rank()
            .is_multiple_of(WARP_SIZE)
            .then_some(index.get())
    }
}

impl<const N: u32> Numbered for Tiles<N> {}
impl<const N: u32> sealed::Numbered for Tiles<N> {
    type Index = TeamIndex<Tiles<N>>;

    #[inline(always)]
    fn number(index: &TeamIndex<Tiles<N>>) -> Option<usize> {
        thread_rank().is_multiple_of(N).then_some(index.get())
    }
}

impl Numbered for Clusters {}
impl sealed::Numbered for Clusters {
    type Index = TeamIndex<Clusters>;

    #[inline(always)]
    fn number(index: &TeamIndex<Clusters>) -> Option<usize> {
        (cluster::thread_rank() == 0).then_some(index.get())
    }
}

impl<T, By: Numbered> DisjointMatrix<'_, T, RowPer<By>> {
    /// Returns the element of the owner's row in this column, in the thread that writes the row.
    /// Returns `None` in all other threads, and outside of the matrix.
    #[inline]
    pub fn in_row(&mut self, index: &By::Index, column: usize) -> Option<&mut T> {
        let index = self.place(By::number(index)?, column)?;
        // SAFETY: in bounds. No other thread has this number, so none has the row, and this
        // thread's reference borrows the matrix.
        Some(unsafe { &mut *self.pointer.add(index) })
    }
}
