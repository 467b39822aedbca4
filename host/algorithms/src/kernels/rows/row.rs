//! A thread's part of a row, and what the warps of a row tell each other.

use core::array::from_fn;
use core::marker::PhantomData;

use lanewise_macros::shared;
use lanewise_std::thread::{block_dim_x, block_idx_x, sync_threads, thread_idx_x};
use lanewise_std::unroll::unroll;
use lanewise_std::warp::{lane_id, warp_id, warps_per_block};
use lanewise_std::{DisjointSlice, cluster, gpu_assert};

use super::{CLUSTER, Element, WARPS};

/// Neighbours that are loaded at once, as `f32`. If there are fewer, the others are not used.
pub(super) type Group = [f32; 8];

/// The thread's part of a row, which has a block, or a cluster if `WIDE`: `N` elements, in rounds
/// of sixteen bytes if rows are `ALIGNED`, else of one element.
#[derive(Clone, Copy)]
pub(super) struct Row<E, const ALIGNED: bool, const N: usize, const WIDE: bool> {
    /// The number of the row.
    pub(super) row: u32,
    pub(super) columns: u32,
    /// The block's first column, the thread's first, and the step to that of the next round: below
    /// 2^22, for a cluster has at most 16 blocks.
    pub(super) of_block: u32,
    first: u32,
    pub(super) step: u32,
    element: PhantomData<E>,
}

impl<E: Element, const ALIGNED: bool, const N: usize, const WIDE: bool> Row<E, ALIGNED, N, WIDE> {
    /// Elements of a round.
    pub(super) const LANES: usize = if ALIGNED { E::LANES } else { 1 };
    /// Rounds of a thread.
    pub(super) const ROUNDS: usize = N / Self::LANES;

    #[inline(always)]
    pub(super) fn new(columns: u32) -> Self {
        let (row, rank) = if WIDE {
            (block_idx_x() / cluster::num_blocks(), cluster::block_rank())
        } else {
            (block_idx_x(), 0)
        };
        gpu_assert!(
            warps_per_block() <= WARPS as u32,
            "the block has too many warps"
        );
        let step = block_dim_x() * Self::LANES as u32;
        let of_block = rank * Self::ROUNDS as u32 * step;
        Row {
            row,
            columns,
            of_block,
            first: of_block + thread_idx_x() * Self::LANES as u32,
            step,
            element: PhantomData,
        }
    }

    /// Calls `body` with the number of each round.
    #[inline(always)]
    pub(super) fn rounds(mut body: impl FnMut(usize)) {
        unroll::<32>(|round| {
            if round < Self::ROUNDS {
                body(round);
            }
        });
    }

    /// Returns the thread's first column of a round.
    #[inline(always)]
    pub(super) fn column(&self, round: usize) -> u32 {
        self.first + round as u32 * self.step
    }

    /// Returns the number of the row's first element.
    #[inline(always)]
    pub(super) fn start(&self) -> usize {
        self.row as usize * self.columns as usize
    }

    /// Returns whether the neighbours of a round are in a row. All are, or none.
    #[inline(always)]
    pub(super) fn has(&self, round: usize) -> bool {
        self.column(round) + Self::LANES as u32 <= self.columns
    }

    /// Returns the number of the thread's elements.
    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        let mut count = 0;
        Self::rounds(|round| count += u32::from(self.has(round)));
        count * Self::LANES as u32
    }

    /// Returns the elements of a round at their place.
    ///
    /// # Safety
    /// They can be read, and are aligned to sixteen bytes if rows are `ALIGNED`.
    #[inline(always)]
    pub(super) unsafe fn read(place: *const E) -> Group {
        let mut group = [0.0; 8];
        if ALIGNED {
            // SAFETY: the caller promises the same.
            let neighbours = unsafe { place.cast::<E::Neighbours>().read() };
            for lane in 0..Self::LANES {
                group[lane] = neighbours.as_ref()[lane].widen();
            }
        } else {
            // SAFETY: the caller promises the same.
            group[0] = unsafe { place.read() }.widen();
        }
        group
    }

    /// Returns the thread's elements: of each round that is in the row, what `of` returns. `past`
    /// stands for columns past the end.
    #[inline(always)]
    pub(super) fn collect(&self, past: f32, mut of: impl FnMut(usize) -> Group) -> [f32; N] {
        let mut values = [past; N];
        Self::rounds(|round| {
            if self.has(round) {
                let group = of(round);
                for lane in 0..Self::LANES {
                    values[round * Self::LANES + lane] = group[lane];
                }
            }
        });
        values
    }

    /// Returns what reads a round of this row of a matrix; only rounds that are in the row.
    #[inline(always)]
    pub(super) fn of(self, matrix: &[E]) -> impl Fn(usize) -> Group + Copy {
        let place = self.places(matrix, self.start());
        // SAFETY: the round is in the row, which is aligned: `places` asserts that.
        move |round| unsafe { Self::read(place.wrapping_add(self.column(round) as usize)) }
    }

    /// Returns what reads a round of factors, one for each column; only rounds that are in the row.
    #[inline(always)]
    pub(super) fn factors(self, factors: &[E]) -> impl Fn(usize) -> Group + Copy {
        let place = self.places(factors, 0);
        // SAFETY: as above.
        move |round| unsafe { Self::read(place.wrapping_add(self.column(round) as usize)) }
    }

    /// Returns the address of the row that begins at element `start`.
    #[inline(always)]
    fn places(&self, matrix: &[E], start: usize) -> *const E {
        let row = matrix[start..start + self.columns as usize].as_ptr();
        gpu_assert!(self.are_aligned(row), "rows are not aligned");
        row
    }

    /// Returns whether all groups of neighbours are aligned, of a row that begins here.
    #[inline(always)]
    pub(super) fn are_aligned(&self, row: *const E) -> bool {
        !ALIGNED
            || row.cast::<E::Neighbours>().is_aligned()
                && self.columns.is_multiple_of(E::LANES as u32)
    }

    /// Writes what `of` returns for a round and one of its elements.
    #[inline(always)]
    pub(super) fn store(&self, matrix: &mut DisjointSlice<E>, mut of: impl FnMut(usize) -> Group) {
        let start = self.start();
        gpu_assert!(
            start + self.columns as usize <= matrix.len(),
            "the output is too short"
        );
        let row = matrix.as_mut_ptr().wrapping_add(start);
        gpu_assert!(self.are_aligned(row), "rows are not aligned");
        Self::rounds(|round| {
            if !self.has(round) {
                return;
            }
            let place = row.wrapping_add(self.column(round) as usize);
            let values = of(round);
            if ALIGNED {
                let values = E::neighbours(|lane| values[lane]);
                // SAFETY: in the row, and aligned: that was asserted. Each row has one block or
                // cluster, and each of its threads columns of its own.
                unsafe { place.cast::<E::Neighbours>().write(values) };
            } else {
                // SAFETY: as above.
                unsafe { place.write(E::narrow(values[0])) };
            }
        });
    }

    /// Returns a group with what `of` returns for the number of each of its elements.
    #[inline(always)]
    pub(super) fn group(round: usize, of: impl Fn(usize, usize) -> f32) -> Group {
        from_fn(|lane| {
            if lane < Self::LANES {
                of(round * Self::LANES + lane, lane)
            } else {
                0.0
            }
        })
    }

    /// Passes what the warps of the row have to `then`, in all threads of the row: each lane has
    /// the parts of some warps, and `past` for warps that there are not.
    ///
    /// A kernel that has several rows passes a barrier of its block between two calls.
    #[inline(always)]
    pub(super) fn exchange<T: Copy>(of_warp: T, past: T, then: impl FnOnce(&[T])) {
        shared! { static PARTS: [T; WARPS]; }
        if lane_id() == 0 {
            // SAFETY: one thread sets the element, and a barrier comes before the reads.
            unsafe { PARTS.set(warp_id() as usize, of_warp) };
        }
        let (half, warp) = (lane_id() / WARPS as u32, lane_id() % WARPS as u32);
        let has_warp = warp < warps_per_block();
        if !WIDE {
            sync_threads();
            let part = if has_warp && half == 0 {
                // SAFETY: set before the barrier, and again only after another.
                unsafe { PARTS.get(warp as usize) }
            } else {
                past
            };
            then(&[part]);
            return;
        }
        gpu_assert!(
            cluster::num_blocks() <= CLUSTER,
            "the cluster has too many blocks"
        );
        cluster::sync_cluster();
        let parts: [T; CLUSTER as usize / 2] = from_fn(|pair| {
            let rank = pair as u32 * 2 + half;
            if has_warp && rank < cluster::num_blocks() {
                // SAFETY: set before the barrier, and again only after the one below, for which
                // its block waits.
                unsafe { PARTS.distributed().get(rank, warp as usize) }
            } else {
                past
            }
        });
        let has_read = cluster::arrive();
        then(&parts);
        has_read.wait();
    }
}
