//! Grids whose blocks wait for each other.

use lanewise_macros::kernel;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::collective::{Sum, block_exclusive_scan_with_total, block_reduce};
use lanewise_std::groups::{Group, this_grid, this_thread_block};
use lanewise_std::{DisjointSlice, GlobalMut, thread};

/// What a thread reads about its grid. `can_sync` is true only in a cooperative launch.
#[kernel]
pub fn place_in_grid(mut output: DisjointSlice<[usize; 5]>) {
    let (grid, index) = (this_grid(), thread::index_1d());
    let row = [
        grid.rank(),
        grid.size(),
        grid.block_rank(),
        grid.blocks(),
        grid.can_sync().into(),
    ];
    if let Some(output) = output.get_mut(&index) {
        *output = row;
    }
}

/// The same, in a cooperative launch.
#[kernel]
#[cooperative_launch]
pub fn place_in_cooperative_grid(mut output: DisjointSlice<[usize; 5]>) {
    let (grid, index) = (this_grid(), thread::index_1d());
    let row = [
        grid.rank(),
        grid.size(),
        grid.block_rank(),
        grid.blocks(),
        grid.can_sync().into(),
    ];
    if let Some(output) = output.get_mut(&index) {
        *output = row;
    }
}

/// The inclusive sums of a slice of any length, in one launch: sums of the blocks' parts, a grid
/// barrier, and scans of the parts.
#[kernel]
#[cooperative_launch]
pub fn grid_scan(input: &[u32], partial: GlobalMut<u32>, output: GlobalMut<u32>) {
    let (grid, block) = (this_grid(), this_thread_block());
    let (rank, threads) = (block.rank() as usize, block.size() as usize);
    // Each block has a part of whole rounds of its threads.
    let part = input.len().div_ceil(grid.blocks() * threads) * threads;
    let start = grid.block_rank() * part;
    let value = |at: usize| {
        if at < start + part {
            input.get(at).copied().unwrap_or(0)
        } else {
            0
        }
    };

    // ANCHOR: part_sum
    let sum = (0..part).step_by(threads).fold(0u32, |sum, round| {
        sum.wrapping_add(value(start + round + rank))
    });
    let sum = block_reduce(sum, Sum);
    if block.is_first() {
        // SAFETY: each block has an element of its own, which the others read after the barrier
        // of the grid.
        unsafe { partial.set(grid.block_rank(), sum) };
    }
    grid.sync();
    // ANCHOR_END: part_sum

    // ANCHOR: part_scan
    let before = (rank..grid.block_rank())
        .step_by(threads)
        // SAFETY: set before the barrier, and not again.
        .map(|block| unsafe { partial.get(block) })
        .fold(0, u32::wrapping_add);
    let mut before = block_reduce(before, Sum);
    for round in (0..part).step_by(threads) {
        let at = start + round + rank;
        let (scanned, total) = block_exclusive_scan_with_total(value(at), 0u32, Sum);
        if at < output.len() {
            // SAFETY: the parts are disjoint, and in a part each thread has elements of its own.
            unsafe { output.set(at, before.wrapping_add(scanned).wrapping_add(value(at))) };
        }
        before = before.wrapping_add(total);
    }
    // ANCHOR_END: part_scan
}

/// In each round, every block adds its neighbour's previous value. Two arrays take turns.
#[kernel]
#[cooperative_launch]
pub fn rounds(count: u32, even: GlobalMut<u32>, odd: GlobalMut<u32>) {
    let grid = this_grid();
    let (me, next) = (grid.block_rank(), (grid.block_rank() + 1) % grid.blocks());
    for round in 0..count {
        let (from, to) = if round % 2 == 0 {
            (even, odd)
        } else {
            (odd, even)
        };
        if thread::thread_rank() == 0 {
            // SAFETY: one thread a block writes the block's element of one array; all read the
            // other, which was written before the barrier.
            unsafe {
                to.set(
                    me,
                    from.get(me).wrapping_mul(3).wrapping_add(from.get(next)),
                )
            };
        }
        grid.sync();
    }
}

/// Waits for the grid in a launch that is not cooperative.
#[kernel]
pub fn wait_in_vain() {
    this_grid().sync();
}

/// How often each element is a thread's of a block, and a thread's of a warp.
#[kernel]
pub fn shares(of_blocks: &[DeviceAtomicU32], of_warps: &[DeviceAtomicU32]) {
    for i in thread::block_stride(of_blocks.len()) {
        of_blocks[i].fetch_add(1, AtomicOrdering::Relaxed);
    }
    for i in thread::warp_stride(of_warps.len()) {
        of_warps[i].fetch_add(1, AtomicOrdering::Relaxed);
    }
}
