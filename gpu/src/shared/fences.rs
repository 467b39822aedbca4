//! Barriers and fences: what is needed between one thread's write and another thread's read.
//!
//! `block_barrier`: 1-D grid of 1-D blocks of any size, at least one thread for each element. Each
//! block reverses its part of `input`.
//!
//! The other kernels pass messages. One warp sends `input` in letters of 32 elements to
//! another warp, which writes each letter to `output` so that the whole is reversed. The input
//! may have any length.
//!
//! | kernel | launch | sends | receives | where |
//! | --- | --- | --- | --- | --- |
//! | `fence_block` | a block of 64 threads for each letter | its first warp | its second | shared memory |
//! | `fence_device`, `fence_system`, `volatile_flag` | two blocks of 32 threads for each letter | one | the other | `letters` |
//!
//! `last_block_reduce`: 1-D grid of 1-D blocks. Writes the sum of `input`, modulo 2^32, to
//! `sum[0]`, in one launch.
//! Shows: a flag signals a write, but does not make the data visible. That needs a fence between
//! data and flag on both sides. A barrier does both for a block. With `volatile` and no fence the
//! program has a race, which the race check reports.
//! Source: Professional CUDA C Programming, chapter 5; PTX ISA, "Memory Consistency Model"; CUDA
//! C++ Programming Guide, "Memory Fence Functions".

use lanewise_macros::{kernel, shared};
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicI32, DeviceAtomicU32, SystemAtomicU32};
use lanewise_std::collective::{Sum, block_reduce};
use lanewise_std::fence::{threadfence, threadfence_block, threadfence_system};
use lanewise_std::thread::{
    block_dim_x, block_idx_x, block_stride, grid_dim_x, grid_stride, index_1d, sync_threads,
    sync_threads_or, thread_idx_x,
};
use lanewise_std::warp::{FULL_MASK, WARP_SIZE, lane_id, shuffle_sync, sync_warp, warp_id};
use lanewise_std::{DisjointSlice, GlobalMut, SharedAtomics, SharedLine, gpu_assert};

/// Elements of a letter: one for each lane.
pub const LETTER: usize = WARP_SIZE as usize;
/// The most threads that a block can have.
const THREADS: usize = 1024;

/// Each thread reads what the opposite one has written. A barrier is between the two.
#[kernel]
#[launch_contract(dims = 1)]
pub fn block_barrier(input: &[i32], mut output: DisjointSlice<i32>) {
    shared! { static PART: SharedLine<i32, THREADS>; }
    let (thread, threads) = (thread_idx_x() as usize, block_dim_x() as usize);
    let start = block_idx_x() as usize * threads;
    let live = input.len().saturating_sub(start).min(threads);
    let part = PART.fill::<1>(|i| if i < live { input[start + i] } else { 0 });
    if thread < live
        && let Some(place) = output.get_mut(index_1d())
    {
        *place = part.get(live - 1 - thread);
    }
}

/// Sends from warp to warp of a block, with a flag of the block's scope and its fences.
#[kernel]
#[launch_contract(dims = 1, block = (2 * LETTER))]
pub fn fence_block(input: &[i32], mut output: DisjointSlice<i32>) {
    shared! {
        static PAPER: SharedAtomics<i32, LETTER>;
        static FLAG: SharedAtomics<u32, 1>;
    }
    let [flag] = &*FLAG;
    if thread_idx_x() == 0 {
        flag.store(0, AtomicOrdering::Relaxed);
    }
    sync_threads(); // shared memory starts with anything

    let (start, lane) = (block_idx_x() as usize * LETTER, lane_id() as usize);
    let live = input.len().saturating_sub(start).min(LETTER);
    // ANCHOR: letter
    if warp_id() == 0 {
        if lane < live {
            PAPER[lane].store(input[start + lane], AtomicOrdering::Relaxed);
        }
        sync_warp(FULL_MASK); // lane 0 speaks for all lanes
        if lane == 0 {
            threadfence_block(); // the letter before the flag
            flag.store(1, AtomicOrdering::Relaxed);
        }
    } else {
        if lane == 0 {
            while flag.load(AtomicOrdering::Relaxed) == 0 {}
            threadfence_block(); // the flag before the letter
        }
        sync_warp(FULL_MASK); // what lane 0 has seen, all lanes have
        if lane < live {
            let opposite = PAPER[live - 1 - lane].load(AtomicOrdering::Relaxed);
            // SAFETY: one warp of a block writes its letter's elements. No type has the warp that
            // receives a letter as the owner of elements.
            if let Some(place) = unsafe { output.get_unique_mut(start + lane) } {
                *place = opposite;
            }
        }
    }
    // ANCHOR_END: letter
}

/// Sends from block to block, with a flag of the device's scope and its fences.
///
/// # Safety
/// All `flags` are zero, and nothing else uses them or `letters` meanwhile.
#[kernel]
#[launch_contract(dims = 1, block = (LETTER))]
pub unsafe fn fence_device(
    input: &[i32],
    letters: GlobalMut<i32>,
    flags: &[DeviceAtomicU32],
    output: DisjointSlice<i32>,
) {
    let (letter, sends) = role(|| flags[0].fetch_add(1, AtomicOrdering::Relaxed));
    let flag = &flags[1 + letter];
    if sends {
        write(input, letters, letter);
        if lane_id() == 0 {
            threadfence(); // the letter before the flag
            flag.store(1, AtomicOrdering::Relaxed);
        }
    } else {
        if lane_id() == 0 {
            while flag.load(AtomicOrdering::Relaxed) == 0 {}
            threadfence(); // the flag before the letter
        }
        read(input.len(), letters, letter, output);
    }
}

/// Sends in the scope of the whole system, which is needed if the receiver is the host
/// or another device.
///
/// # Safety
/// As for [`fence_device`].
#[kernel]
#[launch_contract(dims = 1, block = (LETTER))]
pub unsafe fn fence_system(
    input: &[i32],
    letters: GlobalMut<i32>,
    flags: &[SystemAtomicU32],
    output: DisjointSlice<i32>,
) {
    let (letter, sends) = role(|| flags[0].fetch_add(1, AtomicOrdering::Relaxed));
    let flag = &flags[1 + letter];
    if sends {
        write(input, letters, letter);
        if lane_id() == 0 {
            threadfence_system(); // the letter before the flag
            flag.store(1, AtomicOrdering::Relaxed);
        }
    } else {
        if lane_id() == 0 {
            while flag.load(AtomicOrdering::Relaxed) == 0 {}
            threadfence_system(); // the flag before the letter
        }
        read(input.len(), letters, letter, output);
    }
}

/// Uses a volatile flag and no fences, as older code did. Wrong by design: the receiver may see the
/// flag and not the letter.
///
/// # Safety
/// As for [`fence_device`], and it is a data race. Launch it only to demonstrate that.
#[kernel]
#[launch_contract(dims = 1, block = (LETTER))]
pub unsafe fn volatile_flag(
    input: &[i32],
    letters: GlobalMut<i32>,
    flags: GlobalMut<u32>,
    output: DisjointSlice<i32>,
) {
    // SAFETY: only this atomic uses the first of the flags. No type is a slice of flags of which
    // one counts.
    let tickets = unsafe { DeviceAtomicU32::from_ptr(flags.address_of(0)) };
    let (letter, sends) = role(|| tickets.fetch_add(1, AtomicOrdering::Relaxed));
    let flag = flags.address_of(1 + letter);
    if sends {
        write(input, letters, letter);
        if lane_id() == 0 {
            // SAFETY: in bounds. No type orders what a volatile flag says: that is what this kernel
            // shows.
            unsafe { flag.write_volatile(1) };
        }
    } else {
        if lane_id() == 0 {
            // SAFETY: in bounds. No type orders what a volatile flag says.
            while unsafe { flag.read_volatile() } == 0 {}
        }
        read(input.len(), letters, letter, output);
    }
}

/// Returns the letter of this block, and whether the block sends it.
///
/// Blocks take numbers in the order in which they begin, not by their place in the grid. So a block
/// only waits for one that has begun, and never for one that does not fit on the device.
#[inline(always)]
fn role(take_number: impl FnOnce() -> u32) -> (usize, bool) {
    let mine = if lane_id() == 0 { take_number() } else { 0 };
    let number = shuffle_sync(FULL_MASK, mine, 0) as usize;
    (number / 2, number.is_multiple_of(2))
}

/// Writes a letter, one element per lane. After it, lane 0 may set the flag for all.
#[inline(always)]
fn write(input: &[i32], letters: GlobalMut<i32>, letter: usize) {
    let at = letter * LETTER + lane_id() as usize;
    if let (Some(&element), true) = (input.get(at), at < letters.len()) {
        // SAFETY: in bounds. One block sends this letter, and its receiver reads after the flag is
        // set. No type is a message behind a flag.
        unsafe { letters.set_unchecked(at, element) };
    }
    sync_warp(FULL_MASK);
}

/// Reads a letter of a text of this length from its end, after lane 0 has seen the flag.
#[inline(always)]
fn read(length: usize, letters: GlobalMut<i32>, letter: usize, mut output: DisjointSlice<i32>) {
    sync_warp(FULL_MASK); // what lane 0 has seen, all lanes have
    let (start, lane) = (letter * LETTER, lane_id() as usize);
    let live = length.saturating_sub(start).min(LETTER);
    if lane < live {
        // SAFETY: it was written before the flag was set. No type is a message behind a flag.
        let opposite = unsafe { letters.get(start + live - 1 - lane) };
        // SAFETY: one block receives this letter. No type has the block that receives a letter as
        // the owner of elements.
        if let Some(place) = unsafe { output.get_unique_mut(start + lane) } {
            *place = opposite;
        }
    }
}

/// Each block writes its sum and increments the count. The last block finds all sums there
/// and adds them. `done[0]` is zero before; the last block sets it to zero again.
#[kernel]
#[launch_contract(dims = 1)]
pub fn last_block_reduce(
    input: &[i32],
    partials: &[DeviceAtomicI32],
    done: &[DeviceAtomicU32],
    sum: &[DeviceAtomicI32],
) {
    let blocks = grid_dim_x();
    gpu_assert!(
        partials.len() >= blocks as usize && !done.is_empty() && !sum.is_empty(),
        "there is no room for the sums"
    );
    let add = |a: i32, i: usize| a.wrapping_add(input[i]);
    let mine = block_reduce(grid_stride(input.len()).fold(0, add), Sum);

    // ANCHOR: last
    let mut is_last = false;
    if thread_idx_x() == 0 {
        partials[block_idx_x() as usize].store(mine, AtomicOrdering::Relaxed);
        threadfence(); // the sum before the count
        is_last = done[0].fetch_add(1, AtomicOrdering::Relaxed) == blocks - 1;
        threadfence(); // the count before the other blocks' sums
    }
    // ANCHOR_END: last
    if !sync_threads_or(is_last) {
        return; // all threads of the block, or none
    }
    let mut total = 0i32;
    for block in block_stride(blocks as usize) {
        // Written before the count, which this block was the last to increment.
        total = total.wrapping_add(partials[block].load(AtomicOrdering::Relaxed));
    }
    let total = block_reduce(total, Sum);
    if thread_idx_x() == 0 {
        sum[0].store(total, AtomicOrdering::Relaxed);
        done[0].store(0, AtomicOrdering::Relaxed);
    }
}
