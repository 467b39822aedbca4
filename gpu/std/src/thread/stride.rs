//! Loops in which the threads of a grid, of a block or of a warp share the elements of a slice.
//!
//! In the grid-stride loop, a grid of any size processes a slice of any length.
//! The thread with index i (see [`index_1d`]) takes elements i, i + G, i + 2G, ..., where G is the
//! number of threads in the grid. At each step neighbouring threads take neighbouring elements. An
//! element's index modulo G is the index of its thread, so no two threads take the same element. So
//! the [`GridStride::indices`] are proofs of that, as the result of `index_1d` is.

use core::marker::PhantomData;

use super::*;
use crate::target::WARP_SIZE;

/// Every `step`-th number of a range; see [`block_stride`] and [`warp_stride`].
#[derive(Clone, Debug)]
pub struct Stride {
    next: usize,
    end: usize,
    step: usize,
}

impl Stride {
    #[inline]
    pub(crate) fn new(first: usize, end: usize, step: usize) -> Self {
        // No slice is longer, and the sum of two such numbers does not overflow. An index that
        // wrapped around to 0 would belong to another thread.
        const MOST: usize = isize::MAX as usize;
        Stride {
            next: first,
            end: end.min(MOST),
            step: step.min(MOST),
        }
    }
}

impl Iterator for Stride {
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

/// Returns this thread's share of `0..length` if the threads of its block share it: its
/// [`thread_rank`], and on in steps of [`block_size`].
///
/// The same as `(thread_rank..length).step_by(block_size)`, which divides before the loop to know
/// the number of its steps.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::collective::{Sum, block_reduce};
/// use lanewise_std::{PerBlock, thread};
///
/// #[kernel]
/// #[launch_contract(dims = 1)]
/// pub fn sums_of_rows(input: &[f32], mut sums: PerBlock<f32>, columns: u32) {
///     let first = thread::block_idx_x() as usize * columns as usize;
///     let row = &input[first..first + columns as usize];
///     let mut sum = 0.0;
///     for column in thread::block_stride(row.len()) {
///         sum += row[column];
///     }
///     let sum = block_reduce(sum, Sum);
///     if let Some(output) = sums.get_mut() {
///         *output = sum;
///     }
/// }
/// ```
#[inline]
#[must_use]
pub fn block_stride(length: usize) -> Stride {
    Stride::new(thread_rank() as usize, length, block_size() as usize)
}

/// Returns this thread's share of `0..length` if the lanes of its warp share it: its
/// [`lane_id`](crate::warp::lane_id), and on in steps of 32. Use it where every warp is full.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::collective::{Sum, warp_reduce};
/// use lanewise_std::warp::{lane_id, warp_id};
/// use lanewise_std::{PerBlock, thread};
///
/// #[kernel]
/// #[launch_contract(dims = 1, block = 32)]
/// pub fn products_with_rows(matrix: &[f32], x: &[f32], mut y: PerBlock<f32>) {
///     let first = thread::block_idx_x() as usize * x.len();
///     let row = &matrix[first..first + x.len()];
///     let mut sum = 0.0;
///     for column in thread::warp_stride(x.len()) {
///         sum += row[column] * x[column];
///     }
///     let sum = warp_reduce(sum, Sum);
///     if let Some(y) = y.get_mut() {
///         *y = sum;
///     }
/// }
/// ```
#[inline]
#[must_use]
pub fn warp_stride(length: usize) -> Stride {
    // SAFETY: every thread may read its special registers at any time.
    let lane = unsafe { intrinsics::laneid() };
    Stride::new(lane as usize, length, WARP_SIZE as usize)
}

/// The indices of this thread's elements of a slice; see [`grid_stride`].
#[derive(Clone, Debug)]
pub struct GridStride {
    indices: Stride,
    /// Makes the type neither `Send` nor `Sync`, because the indices belong to this thread.
    own: PhantomData<*mut ()>,
}

/// Returns this thread's share of `0..length` as numbers, for elements that it reads. For elements
/// that it writes, use [`GridStride::indices`] or
/// [`DisjointSlice::grid_stride`](crate::DisjointSlice::grid_stride).
#[inline]
#[must_use]
pub fn grid_stride(length: usize) -> GridStride {
    let threads = (block_size() as usize).saturating_mul(grid_size());
    GridStride::of(index_1d(), threads, length)
}

impl GridStride {
    /// Makes the loop of a thread: `first` is the thread's own index, and `threads` is the number
    /// of threads in the grid.
    #[inline]
    fn of(first: ThreadIndex, threads: usize, length: usize) -> Self {
        GridStride {
            indices: Stride::new(first.get(), length, threads),
            own: PhantomData,
        }
    }

    /// Returns the same indices as proofs that no other thread has these elements.
    ///
    /// ```
    /// use lanewise_macros::kernel;
    /// use lanewise_std::{DisjointSlice, thread};
    ///
    /// #[kernel]
    /// pub fn split(numbers: &[u32], mut whole: DisjointSlice<u32>, mut rest: DisjointSlice<u32>) {
    ///     for i in thread::grid_stride(numbers.len()).indices() {
    ///         if let (Some(whole), Some(rest)) = (whole.get_mut(&i), rest.get_mut(&i)) {
    ///             (*whole, *rest) = (numbers[i.get()] / 10, numbers[i.get()] % 10);
    ///         }
    ///     }
    /// }
    /// ```
    #[inline]
    #[must_use]
    pub fn indices(self) -> GridStrideIndices {
        GridStrideIndices(self)
    }
}

impl Iterator for GridStride {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        self.indices.next()
    }
}

/// Indices that only this thread has; see [`GridStride::indices`].
#[derive(Debug)]
pub struct GridStrideIndices(GridStride);

impl Iterator for GridStrideIndices {
    type Item = ThreadIndex;

    #[inline]
    fn next(&mut self) -> Option<ThreadIndex> {
        self.0.next().map(ThreadIndex::own)
    }
}

/// A number that one block has, or one warp, and no other: see [`grid_stride_by_blocks`],
/// [`grid_stride_by_warps`] and [`grid_stride_by_tiles`]. `By` is [`Blocks`], [`Warps`], [`Tiles`]
/// or [`Clusters`].
///
/// It cannot be made from a number:
///
/// ```compile_fail,E0423
/// use lanewise_std::thread::{TeamIndex, Warps};
///
/// fn forge() -> TeamIndex<Warps> { TeamIndex(0, core::marker::PhantomData) }
/// ```
#[derive(Debug)]
pub struct TeamIndex<By>(usize, PhantomData<(By, *mut ())>);

/// The blocks of the grid have the numbers.
#[derive(Clone, Copy, Debug)]
pub struct Blocks;

/// The warps of the grid have the numbers.
#[derive(Clone, Copy, Debug)]
pub struct Warps;

/// The tiles of `N` neighbouring threads have the numbers, all those of the grid's warps.
#[derive(Clone, Copy, Debug)]
pub struct Tiles<const N: u32>;

/// The clusters of the grid have the numbers: see [`cluster::index`](crate::cluster::index).
#[derive(Clone, Copy, Debug)]
pub struct Clusters;

impl TeamIndex<Clusters> {
    /// Makes the index of this thread's cluster.
    #[inline]
    pub(crate) fn of_cluster(number: usize) -> Self {
        TeamIndex(number, PhantomData)
    }
}

impl<By> TeamIndex<By> {
    /// Returns the index as a number.
    #[inline]
    #[must_use]
    pub fn get(&self) -> usize {
        self.0
    }
}

/// Returns this block's share of `0..length` if the blocks of the grid share it: its number in the
/// grid, and on in steps of the number of blocks. All threads of the block get the same numbers.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::collective::{Sum, block_reduce};
/// use lanewise_std::{Matrix, PerBlock, thread};
///
/// /// The sum of each row, with a grid of any size.
/// #[kernel]
/// #[launch_contract(dims = 1)]
/// pub fn sums_of_rows(a: Matrix<f32>, mut sums: PerBlock<f32>) {
///     for row in thread::grid_stride_by_blocks(sums.len()) {
///         let own: f32 = thread::block_stride(a.columns()).map(|i| a.row(row.get())[i]).sum();
///         let sum = block_reduce(own, Sum);
///         if let Some(output) = sums.get_mut_at(&row) {
///             *output = sum;
///         }
///     }
/// }
/// ```
#[inline]
#[must_use]
pub fn grid_stride_by_blocks(length: usize) -> TeamStride<Blocks> {
    TeamStride(
        Stride::new(block_number(), length, grid_size()),
        PhantomData,
    )
}

/// Returns this warp's share of `0..length` if the warps of the grid share it: its number in the
/// grid, and on in steps of the number of warps. All threads of the warp get the same numbers.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::collective::{Sum, warp_reduce};
/// use lanewise_std::{Matrix, PerWarp, thread};
///
/// /// The sum of each row, with a warp for a row.
/// #[kernel]
/// #[launch_contract(dims = 1, whole_warps)]
/// pub fn sums_of_rows(a: Matrix<f32>, mut sums: PerWarp<f32>) {
///     for row in thread::grid_stride_by_warps(sums.len()) {
///         let own: f32 = thread::warp_stride(a.columns()).map(|i| a.row(row.get())[i]).sum();
///         let sum = warp_reduce(own, Sum);
///         if let Some(output) = sums.get_mut(&row) {
///             *output = sum;
///         }
///     }
/// }
/// ```
#[inline]
#[must_use]
pub fn grid_stride_by_warps(length: usize) -> TeamStride<Warps> {
    let warps = block_size().div_ceil(WARP_SIZE) as usize;
    let own = block_number() * warps + (thread_rank() / WARP_SIZE) as usize;
    TeamStride(
        Stride::new(own, length, warps.saturating_mul(grid_size())),
        PhantomData,
    )
}

/// The numbers of a block or of a warp; see [`grid_stride_by_blocks`].
#[derive(Debug)]
pub struct TeamStride<By>(Stride, PhantomData<(By, *mut ())>);

impl<By> Iterator for TeamStride<By> {
    type Item = TeamIndex<By>;

    #[inline]
    fn next(&mut self) -> Option<TeamIndex<By>> {
        self.0.next().map(|index| TeamIndex(index, PhantomData))
    }
}

/// Returns the share of `0..length` of this thread's tile, if the tiles of `N` neighbouring threads
/// share it: all threads of a tile get the same numbers. `N` is 1, 2, 4, 8, 16 or 32.
///
/// The tiles of a warp loop together, so that all lanes take part in its operations. So the last
/// numbers of a tile may be `length` or more.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::disjoint_matrix::RowPer;
/// use lanewise_std::groups::{Group, WarpGroup, this_thread_block};
/// use lanewise_std::thread::{Tiles, grid_stride_by_tiles};
/// use lanewise_std::collective::Sum;
/// use lanewise_std::{DisjointMatrix, Matrix};
///
/// /// The sum of each row, with eight threads for a row.
/// #[kernel]
/// #[launch_contract(dims = 1, whole_warps)]
/// pub fn sums_of_rows(a: Matrix<f32>, mut sums: DisjointMatrix<f32, RowPer<Tiles<8>>>) {
///     let tile = this_thread_block().tiled_partition::<8>();
///     for row in grid_stride_by_tiles::<8>(a.rows()) {
///         let elements = a.row(row.get()).iter().skip(tile.rank() as usize).step_by(8);
///         let sum = tile.reduce(elements.sum(), Sum);
///         if let Some(place) = sums.in_row(&row, 0) {
///             *place = sum;
///         }
///     }
/// }
/// ```
#[inline]
#[must_use]
pub fn grid_stride_by_tiles<const N: u32>(length: usize) -> TileStride<N> {
    const {
        assert!(
            N.is_power_of_two() && N <= WARP_SIZE,
            "a tile has 1, 2, 4, 8, 16 or 32 threads"
        )
    };
    let tiles = (WARP_SIZE / N) as usize;
    let warps = block_size().div_ceil(WARP_SIZE) as usize;
    let rank = thread_rank();
    let warp = block_number() * warps + (rank / WARP_SIZE) as usize;
    let step = warps.saturating_mul(grid_size()).saturating_mul(tiles);
    TileStride {
        of_warp: Stride::new(warp * tiles, length, step),
        tile: (rank % WARP_SIZE / N) as usize,
        own: PhantomData,
    }
}

/// The numbers of a tile; see [`grid_stride_by_tiles`].
#[derive(Debug)]
pub struct TileStride<const N: u32> {
    /// The numbers of the warp's first tile.
    of_warp: Stride,
    /// The tile's number in its warp.
    tile: usize,
    own: PhantomData<*mut ()>,
}

impl<const N: u32> Iterator for TileStride<N> {
    type Item = TeamIndex<Tiles<N>>;

    #[inline]
    fn next(&mut self) -> Option<TeamIndex<Tiles<N>>> {
        let first = self.of_warp.next()?;
        Some(TeamIndex(first + self.tile, PhantomData))
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::vec;
    use std::vec::Vec;

    use super::*;

    fn share(thread: usize, threads: usize, length: usize) -> GridStride {
        GridStride::of(ThreadIndex::own(thread), threads, length)
    }

    #[test]
    fn every_element_is_one_threads() {
        for (threads, length) in [(1, 0), (1, 5), (3, 10), (8, 8), (8, 7), (100, 9)] {
            let mut owners = vec![0; length];
            for thread in 0..threads {
                for i in share(thread, threads, length).indices() {
                    assert_eq!(i.get() % threads, thread);
                    owners[i.get()] += 1;
                }
            }
            assert!(owners.iter().all(|&owners| owners == 1), "{owners:?}");
        }
    }

    /// The index does not wrap around to the first elements, not even if the number of threads
    /// overflows or the length is longer than any slice.
    #[test]
    fn no_index_begins_again() {
        let most = isize::MAX as usize;
        assert_eq!(share(7, usize::MAX, usize::MAX).last(), Some(7));
        let far: Vec<_> = share(5, most / 2, usize::MAX).collect();
        assert_eq!(far, [5, 5 + most / 2]);
        assert_eq!(share(5, most, usize::MAX).collect::<Vec<_>>(), [5]);
    }
}
