//! [`SharedPerWarp`]: a cell for each warp.

use super::{Declared, LineView, Memory, exclusive};
use crate::memory::shared::declaration;
use crate::target::WARP_SIZE;
use crate::thread::thread_rank;
use crate::warp::{Shuffle, warp_id, warps_per_block};

/// The most warps of a block.
const WARPS: usize = 32;

/// A cell for each warp in the block's shared memory, for what warps computed. The cells are filled
/// and read in phases: see [`phased`](super). The first thread of a warp fills the warp's cell.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::collective::{Sum, warp_reduce};
/// use lanewise_std::{DisjointSlice, SharedPerWarp, thread};
///
/// /// For each thread of a block, the sum of the numbers of all warps.
/// #[kernel]
/// #[launch_contract(dims = 1, whole_warps)]
/// pub fn sums(mut output: DisjointSlice<u32>) {
///     shared! { static SUMS: SharedPerWarp<u32>; }
///     let sums = SUMS.fill(warp_reduce(thread::thread_idx_x(), Sum));
///     if let Some(output) = output.get_mut(thread::index_1d()) {
///         *output = (0..sums.len()).map(|warp| sums.get(warp)).sum();
///     }
/// }
/// ```
#[derive(Debug)]
pub struct SharedPerWarp<T> {
    cells: *mut T,
}

impl<T> Declared for SharedPerWarp<T> {
    #[inline]
    fn of_declaration<Declaration>() -> Self {
        SharedPerWarp {
            cells: declaration::<Declaration, Memory<[T; WARPS], Self>>().cast(),
        }
    }
}

impl<T: Shuffle> SharedPerWarp<T> {
    /// Writes the value of each warp's first thread to the warp's cell, and returns the view in
    /// which all threads read the cells of all warps. All threads of the block have to call it, as
    /// with a barrier.
    #[inline(always)]
    pub fn fill(&mut self, value: T) -> LineView<'_, T> {
        exclusive(|| {
            if thread_rank().is_multiple_of(WARP_SIZE) {
                // SAFETY: in bounds, as a block has at most 32 warps. No other thread of the warp
                // has such a rank, and nobody reads now.
                unsafe { self.cells.add(warp_id() as usize).write(value) };
            }
        });
        LineView::new(self.cells, warps_per_block() as usize)
    }
}
