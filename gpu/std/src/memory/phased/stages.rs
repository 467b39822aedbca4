//! [`SharedStages`]: copies that run while the threads work on what came before.

use core::convert::Infallible;

use super::{LineView, Memory};
use crate::async_copy::{Destination, commit_group};
use crate::intrinsics;
use crate::kernel::AtEntry;
use crate::memory::shared::declaration;
use crate::state_space::ptx;
use crate::thread::{COPIES, block_size, thread_rank};
use crate::warp::Shuffle;

/// `STAGES` stages of `N` cells in the block's shared memory. Asynchronous copies fill all stages
/// but one, and the threads read that one: `cuda::pipeline` in CUDA C++. Needs `sm_80`.
///
/// A kernel declares it in its first statement, and has at most one.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::{PerBlock, SharedStages, collective::{Sum, block_reduce}, thread};
///
/// /// The sum of all elements. Two tiles are on their way while a third one is added.
/// #[kernel(min_arch = "sm_80")]
/// #[launch_contract(dims = 1, block = 128)]
/// pub fn sums(input: &[f32], mut sums: PerBlock<f32>) {
///     shared! { static TILES: SharedStages<f32, 128, 3>; }
///     let (block, blocks) = (thread::block_idx_x() as usize, thread::grid_dim_x() as usize);
///     let tiles = input.len().div_ceil(128).saturating_sub(block).div_ceil(blocks);
///     let mut sum = 0.0;
///     TILES.for_each::<1>(
///         tiles,
///         |tile, i| input.get((block + tile * blocks) * 128 + i),
///         |_, tile| sum += tile.get(127 - thread::thread_idx_x() as usize),
///     );
///     let sum = block_reduce(sum, Sum);
///     if let Some(output) = sums.get_mut() {
///         *output = sum;
///     }
/// }
/// ```
///
/// The view of a step does not outlive it:
///
/// ```compile_fail,E0521
/// # use lanewise_std::SharedStages;
/// fn keep(tiles: &mut SharedStages<f32, 128, 2>) {
///     let mut kept = None;
///     tiles.for_each::<1>(4, |_, _| None, |_, tile| kept = Some(tile));
/// }
/// ```
///
/// Elsewhere than at the beginning of a kernel it cannot be declared:
///
/// ```compile_fail
/// # use lanewise_macros::shared;
/// # use lanewise_std::SharedStages;
/// shared! { static TILES: SharedStages<f32, 128, 2>; }
/// ```
///
/// # Why no two threads race
///
/// Barrier 13 of the block divides the steps. Nothing else uses it, and a kernel has one such
/// array, which each thread has from its start. So the n-th time that one thread passes the barrier
/// is the n-th time for all threads, as in [`phased`](super). After the n-th time a thread
///
/// - reads only stage n - 1 (all numbers of stages are modulo `STAGES`). A view ends with its step,
///   before the thread waits for the next one;
/// - starts copies only to other stages, and there only to cells of its own, which no other thread
///   has. Before it passes the barrier that opens a stage for reading, it waits for its copies to
///   that stage.
///
/// So a copy to a stage is over before any thread reads the stage, and it begins after the barrier
/// that all threads pass when they have read what was there before. This depends on nothing that
/// the kernel does in its closures, and holds if threads part. Threads with different numbers of
/// steps wait for each other: the simulator reports that. A closure cannot end its thread but by a
/// panic, which ends the kernel, so no thread leaves copies behind. The sources of copies are
/// borrowed until `for_each` has waited for all of them.
///
/// If a thread has exited before, nobody fills its cells. A read of them gives what was in the
/// memory, and all bits are a value ([`Shuffle`]).
#[derive(Debug)]
pub struct SharedStages<T, const N: usize, const STAGES: usize> {
    cells: *mut T,
    /// The stage that the threads read after the next barrier.
    next: usize,
}

impl<T, const N: usize, const STAGES: usize> AtEntry for SharedStages<T, N, STAGES> {
    type Initial = Infallible;

    /// A stage is read after a barrier of its own.
    #[inline(always)]
    fn meeting() -> bool {
        false
    }

    #[inline(always)]
    unsafe fn at_entry<Declaration>(_: Option<Infallible>) -> Self {
        const { assert!(STAGES > 1, "one stage is read while others are filled") };
        SharedStages {
            cells: declaration::<Declaration, Memory<[[T; N]; STAGES], Self>>().cast(),
            next: 0,
        }
    }
}

impl<T: Shuffle, const N: usize, const STAGES: usize> SharedStages<T, N, STAGES> {
    /// The number of stages that are filled while the threads read one.
    const AHEAD: usize = STAGES - 1;

    /// Copies `source(step, i)` to each cell `i`, and calls `body(step, view)` when the copies of
    /// all threads have come, for each of the steps. A cell without a source becomes zeros. Copies
    /// of the next `STAGES - 1` steps are on their way during `body`.
    ///
    /// All threads of the block have to call it with the same number of steps, as with a barrier.
    /// Cells belong to threads as in [`SharedLine::fill`](super::SharedLine::fill), up to `EACH` to
    /// a thread.
    ///
    /// Elements have 4, 8 or 16 bytes and are aligned to that. A source that is not in global
    /// memory is copied by a load and a store.
    #[doc(alias = "cp.async")]
    #[doc(alias = "memcpy_async")]
    #[inline(always)]
    pub fn for_each<'a, const EACH: usize>(
        &mut self,
        steps: usize,
        mut source: impl FnMut(usize, usize) -> Option<&'a T>,
        mut body: impl FnMut(usize, LineView<'_, T>),
    ) where
        T: 'a,
    {
        let (rank, threads) = (thread_rank() as usize, block_size() as usize);
        let to = Destination::new(self.cells);
        let mut copy = |step: usize, stage: usize| {
            if step < steps {
                for cell in (0..EACH).map(|k| rank + k * threads) {
                    if cell < N {
                        // SAFETY: in bounds, as the stage and the cell are. The cell is this
                        // thread's own, and nobody reads the stage before the barrier that opens
                        // it, which is after the wait for this copy. All bits are a value.
                        unsafe { to.copy_or_zero(stage * N + cell, source(step, cell)) };
                    }
                }
            }
            commit_group(); // also of no copies, so that groups count steps
        };
        for step in 0..Self::AHEAD {
            copy(step, Self::stage(self.next + step));
        }
        for step in 0..steps {
            Self::wait_for_copies();
            // SAFETY: barrier 13 exists, and all threads of the block take part in it.
            unsafe { intrinsics::barrier_cta_sync(COPIES) };
            let stage = self.next;
            self.next = Self::stage(stage + 1);
            copy(step + Self::AHEAD, Self::stage(stage + Self::AHEAD));
            let cells = self.cells.wrapping_add(stage * N);
            body(step, LineView::new(cells, N.min(EACH * threads)));
        }
    }

    /// Returns the stage with this number, of those from 0 that begin again after the last one.
    #[inline(always)]
    fn stage(number: usize) -> usize {
        if number < STAGES {
            number
        } else {
            number - STAGES
        }
    }

    /// Waits for this thread's copies of the next step. Those of later steps may still run.
    #[inline(always)]
    fn wait_for_copies() {
        // SAFETY: the instruction only waits for this thread's own copies.
        unsafe {
            ptx!("cp.async.wait_group":
                "cp.async.wait_group {left};",
                left = const Self::AHEAD - 1,
                options(nostack, preserves_flags),
            );
        }
    }
}
