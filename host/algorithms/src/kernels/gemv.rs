//! `y = alpha A x + beta y` and `y = alpha A' x + beta y`, for matrices that are read once.
//!
//! Each element of the matrix is used once, so the time is that of reading it. If the vector goes
//! along the rows, the threads of a group share [`ROWS`] rows: what a thread loads of `x` serves
//! all of them, and eight loads of sixteen bytes of the matrix are under way in each thread. If it
//! goes across, a warp has neighbouring columns, and adds up rows that are [`WARPS`] apart; the
//! blocks of a cluster have a part of the rows each, and add up their sums through distributed
//! shared memory. So every sum has the same order in each run.

use core::array::from_fn;

use lanewise_macros::{kernel, shared};
use lanewise_std::collective::warp_reduce;
use lanewise_std::half::Bf16;
use lanewise_std::kernel::Value;
use lanewise_std::math::Float;
use lanewise_std::thread::{block_idx_x, sync_threads, thread_idx_x};
use lanewise_std::warp::{lane_id, warp_id};
use lanewise_std::{DisjointSlice, cluster, gpu_assert};

use super::sixteen::Sixteen;

/// Threads of a block.
pub const THREADS: usize = 32 * WARPS;
/// Warps of a block.
pub const WARPS: usize = 8;
/// Rows that a group of threads has at once.
pub const ROWS: usize = 2;
/// The most blocks of a cluster.
pub const CLUSTER: u32 = 8;
/// Loads of each row that a thread has under way.
const UNROLL: usize = 4;
/// Rows that a warp has under way, where the vector goes across.
const DEEP: usize = 8;
/// The same of elements of 16 bits.
const DEEP_HALF: usize = 32;

/// An element of a matrix and a vector. Kernels read memory as these, so no other crate can
/// implement it.
pub trait Term: Value + Sealed {
    /// The type of sums.
    type Sum: Float;
    /// As many as have sixteen bytes.
    type Neighbours: Copy + AsRef<[Self]>;
    /// As many as a lane loads at once where the vector goes across.
    type Across: Copy + AsRef<[Self]>;
    /// Returns the same number in the type of sums.
    fn widen(self) -> Self::Sum;
}

mod sealed {
    pub trait Sealed {}
}
use sealed::Sealed;

macro_rules! terms {
    ($($ty:ident: $sum:ident, $across:ty, $widen:expr;)*) => {$(
        impl Sealed for $ty {}
        impl Term for $ty {
            type Sum = $sum;
            type Neighbours = Sixteen<$ty, { 16 / size_of::<$ty>() }>;
            type Across = $across;

            #[inline(always)]
            fn widen(self) -> $sum {
                $widen(self)
            }
        }
    )*};
}

terms! {
    f32: f32, Sixteen<f32, 4>, |x| x;
    f64: f64, Sixteen<f64, 2>, |x| x;
    // Twice as many rows under way need as many registers.
    Bf16: f32, Eight, Bf16::to_f32;
}

/// Eight bytes of neighbours.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug)]
pub struct Eight([Bf16; 4]);

impl AsRef<[Bf16]> for Eight {
    #[inline(always)]
    fn as_ref(&self) -> &[Bf16] {
        &self.0
    }
}

/// The shape of a matrix, and where the vectors are long enough for it.
#[derive(Clone, Copy)]
struct Shape {
    rows: usize,
    columns: usize,
}

impl Shape {
    /// Returns the shape of a matrix that has all of its elements; `x` has to be as long as the
    /// vector, and `y` as the result.
    #[inline(always)]
    fn new(
        [rows, columns]: [u32; 2],
        a: usize,
        [x, of_x]: [usize; 2],
        [y, of_y]: [usize; 2],
    ) -> Self {
        let (rows, columns) = (rows as usize, columns as usize);
        gpu_assert!(
            a >= rows * columns && x >= of_x && y >= of_y,
            "a matrix or a vector is shorter than its shape says"
        );
        Shape { rows, columns }
    }
}

/// Writes the sum, and what was there before if `beta` is not 0.
#[inline(always)]
pub(super) fn finish<S: Float>(old: &mut S, sum: S, [alpha, beta]: [S; 2]) {
    let product = alpha * sum;
    *old = if beta == S::default() {
        product
    } else {
        product + beta * *old
    };
}

/// Returns the number of elements in a group of neighbours that are loaded at once: a
/// [`Term::Neighbours`], or an array of one.
const fn lanes<T, G>() -> usize {
    size_of::<G>() / size_of::<T>()
}

/// The most elements of a group.
const LANES: usize = 8;

/// Returns whether groups of neighbours may be loaded from rows of this length.
#[inline(always)]
fn are_aligned<T, G>(elements: &[T], columns: usize) -> bool {
    elements.as_ptr().cast::<G>().is_aligned() && columns.is_multiple_of(const { lanes::<T, G>() })
}

/// Computes `y = alpha A x + beta y`, where `shape` is the rows and columns of `A`. `GROUP` threads
/// share [`ROWS`] rows. If rows are `ALIGNED`, a load has sixteen bytes, else it has one element.
/// The grid has a group for each `ROWS` rows.
#[kernel(instances(
    (f32, false, 32), (f32, true, 32), (f32, false, 256), (f32, true, 256),
    (f64, false, 32), (f64, true, 32), (f64, false, 256), (f64, true, 256),
    (Bf16, false, 32), (Bf16, true, 32), (Bf16, false, 256), (Bf16, true, 256)
))]
#[launch_contract(dims = 1, block = (THREADS))]
pub fn gemv<T: Term, const ALIGNED: bool, const GROUP: usize>(
    a: &[T],
    x: &[T],
    y: DisjointSlice<<T as Term>::Sum>,
    shape: [u32; 2],
    factors: [<T as Term>::Sum; 2],
) {
    if ALIGNED {
        add_columns::<T, T::Neighbours, GROUP>(a, x, y, shape, factors);
    } else {
        add_columns::<T, [T; 1], GROUP>(a, x, y, shape, factors);
    }
}

/// The body of [`gemv`].
#[inline(always)]
fn add_columns<T: Term, G: Copy + AsRef<[T]>, const GROUP: usize>(
    a: &[T],
    x: &[T],
    mut y: DisjointSlice<<T as Term>::Sum>,
    shape: [u32; 2],
    factors: [<T as Term>::Sum; 2],
) {
    let lanes = const { lanes::<T, G>() };
    let shape = Shape::new(
        shape,
        a.len(),
        [x.len(), shape[1] as usize],
        [y.len(), shape[0] as usize],
    );
    let columns = shape.columns;
    gpu_assert!(
        are_aligned::<T, G>(a, columns) && are_aligned::<T, G>(x, 0),
        "rows are not aligned"
    );
    let thread = thread_idx_x() as usize;
    let first = (block_idx_x() as usize * (THREADS / GROUP) + thread / GROUP) * ROWS;
    // Past the end, a row is the last one. A group without a row has no columns either.
    let columns = if first < shape.rows { columns } else { 0 };
    let rows: [*const T; ROWS] = from_fn(|i| {
        let row = (first + i).min(shape.rows.saturating_sub(1));
        a.as_ptr().wrapping_add(row * shape.columns)
    });
    let mut sums = [[T::Sum::default(); ROWS]; UNROLL];
    let step = GROUP * lanes;
    let mut add = |of_x: G, of_a: [G; ROWS], k: usize| {
        for i in 0..ROWS {
            for lane in 0..lanes {
                sums[k][i] += of_a[i].as_ref()[lane].widen() * of_x.as_ref()[lane].widen();
            }
        }
    };
    let mut column = thread % GROUP * lanes;
    while column + (UNROLL - 1) * step < columns {
        // SAFETY: a group of elements begins below the end, and so it is in the row: rows are
        // whole groups, as was asserted.
        let loaded: [_; UNROLL] = from_fn(|k| unsafe {
            let at = column + k * step;
            (
                x.as_ptr().add(at).cast::<G>().read(),
                rows.map(|row| row.add(at).cast::<G>().read()),
            )
        });
        for k in 0..UNROLL {
            add(loaded[k].0, loaded[k].1, k);
        }
        column += UNROLL * step;
    }
    while column < columns {
        // SAFETY: as above.
        unsafe {
            add(
                x.as_ptr().add(column).cast::<G>().read(),
                rows.map(|row| row.add(column).cast::<G>().read()),
                0,
            );
        }
        column += step;
    }
    let sum: [T::Sum; ROWS] = from_fn(|i| (sums[0][i] + sums[1][i]) + (sums[2][i] + sums[3][i]));
    let mut sum = sum.map(|sum| warp_reduce(sum, |a, b| a + b));
    if GROUP > 32 {
        shared! { static PARTS: [T::Sum; WARPS * ROWS]; }
        let (warp, lane) = (warp_id() as usize, lane_id() as usize);
        if lane == 0 {
            for i in 0..ROWS {
                // SAFETY: one thread sets the element, and a barrier comes before the reads.
                unsafe { PARTS.set(warp * ROWS + i, sum[i]) };
            }
        }
        sync_threads();
        // SAFETY: set before the barrier, and not again.
        sum = from_fn(|i| unsafe {
            (1..WARPS).fold(PARTS.get(i), |sum, warp| sum + PARTS.get(warp * ROWS + i))
        });
    }
    if thread.is_multiple_of(GROUP) {
        for i in 0..ROWS {
            if first + i < shape.rows {
                // SAFETY: only the first thread of the group has this row.
                if let Some(y) = unsafe { y.get_unique_mut(first + i) } {
                    finish(y, sum[i], factors);
                }
            }
        }
    }
}

macro_rules! across {
    ($($(#[$doc:meta])* $name:ident($wide:literal, [$($option:tt)*]);)*) => {$(
        $(#[$doc])*
        #[kernel($($option)* instances((f32, false), (f32, true), (f64, false), (f64, true), (Bf16, false), (Bf16, true)))]
        #[launch_bounds(256, 2)]
        #[launch_contract(dims = 1, block = (THREADS))]
        pub fn $name<T: Term, const ALIGNED: bool>(
            a: &[T],
            x: &[T],
            y: DisjointSlice<<T as Term>::Sum>,
            shape: [u32; 2],
            factors: [<T as Term>::Sum; 2],
        ) {
            match (ALIGNED, size_of::<T>()) {
                (true, 2) => add_rows::<T, T::Across, $wide, DEEP_HALF>(a, x, y, shape, factors),
                (true, _) => add_rows::<T, T::Across, $wide, DEEP>(a, x, y, shape, factors),
                (false, _) => add_rows::<T, [T; 1], $wide, DEEP>(a, x, y, shape, factors),
            }
        }
    )*};
}

across! {
    /// Computes `y = alpha A' x + beta y`, where `shape` is the rows and columns of `A`. The grid
    /// has a block for each 32 loads' columns: of a [`Term::Across`] if rows are `ALIGNED`, else of
    /// one element.
    gemv_across(false, []);
    /// As [`gemv_across`], with a cluster of blocks for these columns.
    gemv_across_wide(true, [min_arch = "sm_90",]);
}

#[inline(always)]
fn add_rows<T: Term, G: Copy + AsRef<[T]>, const WIDE: bool, const DEEP: usize>(
    a: &[T],
    x: &[T],
    mut y: DisjointSlice<<T as Term>::Sum>,
    shape: [u32; 2],
    factors: [<T as Term>::Sum; 2],
) {
    shared! { static PARTS: [T::Sum; WARPS * 32 * LANES]; }
    let lanes = const { lanes::<T, G>() };
    let Shape { rows, columns } = Shape::new(
        shape,
        a.len(),
        [x.len(), shape[0] as usize],
        [y.len(), shape[1] as usize],
    );
    gpu_assert!(are_aligned::<T, G>(a, columns), "rows are not aligned");
    let (rank, blocks) = if WIDE {
        (cluster::block_rank(), cluster::num_blocks())
    } else {
        (0, 1)
    };
    let (warp, lane) = (warp_id() as usize, lane_id() as usize);
    let first = (block_idx_x() / blocks) as usize * 32 * lanes;
    let column = first + lane * lanes;
    let mut sums = [[T::Sum::default(); LANES]; 2];
    if column < columns {
        // The blocks of a cluster take turns, so that their parts differ by a row at most.
        let step = WARPS * blocks as usize;
        let mut row = rank as usize * WARPS + warp;
        let place = |row: usize| a.as_ptr().wrapping_add(row * columns + column);
        while row + (DEEP - 1) * step < rows {
            // SAFETY: the row and the columns are in the matrix, and `x` has an element for
            // each row; the columns are whole groups, as was asserted.
            let loaded: [_; DEEP] = from_fn(|k| unsafe {
                let row = row + k * step;
                (place(row).cast::<G>().read(), *x.get_unchecked(row))
            });
            for k in 0..DEEP {
                for i in 0..lanes {
                    sums[k % 2][i] += loaded[k].0.as_ref()[i].widen() * loaded[k].1.widen();
                }
            }
            row += DEEP * step;
        }
        while row < rows {
            // SAFETY: as above.
            let (of_a, x) = unsafe { (place(row).cast::<G>().read(), *x.get_unchecked(row)) };
            for i in 0..lanes {
                sums[0][i] += of_a.as_ref()[i].widen() * x.widen();
            }
            row += step;
        }
    }
    for i in 0..lanes {
        // The elements of a warp that are stored together are neighbours.
        // SAFETY: each thread has elements of its own, and a barrier comes before the reads.
        unsafe { PARTS.set((warp * lanes + i) * 32 + lane, sums[0][i] + sums[1][i]) };
    }
    sync_threads();
    let thread = thread_idx_x() as usize;
    // Thread `i * 32 + lane` has column `lane * lanes + i` of the block's.
    let mut sum = T::Sum::default();
    if thread < 32 * lanes {
        for warp in 0..WARPS {
            // SAFETY: set before the barrier, and set again only after the next one.
            sum += unsafe { PARTS.get(warp * lanes * 32 + thread) };
        }
    }
    if WIDE {
        gpu_assert!(blocks <= CLUSTER, "the cluster has too many blocks");
        sync_threads();
        if thread < 32 * lanes {
            // SAFETY: each thread has an element of its own, which all have read.
            unsafe { PARTS.set(thread, sum) };
        }
        cluster::sync_cluster();
        if rank == 0 && thread < 32 * lanes {
            for other in 1..blocks {
                // SAFETY: set before the barrier, and not again; the block waits for this one.
                sum += unsafe { PARTS.distributed().get(other, thread) };
            }
        }
        cluster::sync_cluster();
    }
    let column = first + thread % 32 * lanes + thread / 32;
    if rank == 0 && thread < 32 * lanes && column < columns {
        // SAFETY: the column belongs to this thread of the cluster's first block.
        if let Some(y) = unsafe { y.get_unique_mut(column) } {
            finish(y, sum, factors);
        }
    }
}
