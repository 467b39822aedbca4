//! The first few elements of each row in their order, with their places: top-k.
//!
//! A block has a row. It goes over the row once, a part at a time, and keeps candidates in shared
//! memory: elements that come before a bound, which at least as many elements as are wanted do not
//! come after. When there are many candidates, the bound is made again: each thread takes the best
//! of its candidates, and the bound is the best of these that has as many others before it as are
//! wanted. What comes after the bound is left out. So after the first part, few elements of a row
//! are candidates at all, unless they are in their opposite order.

use core::array::from_fn;

use lanewise_macros::{kernel, shared};
use lanewise_std::atomic::{AtomicOrdering, BlockAtomicU32};
use lanewise_std::thread::{block_idx_x, block_stride, sync_threads, sync_threads_or, thread_rank};
use lanewise_std::{DisjointSlice, SharedArray};

use super::sort::Bits;

/// The number of threads in a block.
pub const BLOCK: u32 = 256;
/// The greatest number of elements that are wanted of a row.
pub const MOST: usize = 64;
/// The number of elements that a thread loads at once.
const ITEMS: usize = 8;
/// The number of elements in a part of a row.
const PART: usize = BLOCK as usize * ITEMS;
/// With this many candidates the bound is made again.
const MANY: usize = 1280;
/// The number of candidates for which there is memory: another part may have so many.
const CANDIDATES: usize = MANY + PART;
/// The number of candidates that may be left: all of as many threads as elements are wanted.
const LEFT: usize = MOST * CANDIDATES.div_ceil(BLOCK as usize);
const _: () = assert!(LEFT <= MANY && LEFT >= BLOCK as usize && MOST <= BLOCK as usize);

/// Which of two candidates comes first: the one with the greater word, and of equal words the one
/// before in the row. 0 is no candidate.
#[inline(always)]
fn candidate(word: u32, place: usize) -> u64 {
    u64::from(word) << 32 | u64::from(u32::MAX - place as u32)
}

/// The block's candidates, in shared memory. All threads of the block call [`new`](Self::new)
/// and [`narrow`](Self::narrow).
#[derive(Clone, Copy)]
struct Candidates {
    wanted: usize,
    kept: SharedArray<u64, CANDIDATES>,
    /// The best of each thread, and then what is left when the bound is made again.
    left: SharedArray<u64, LEFT>,
    /// How many are kept, and how many are left.
    lens: SharedArray<u32, 2>,
    bound: SharedArray<u64, 1>,
}

impl Candidates {
    /// Begins with the first part of a row: each thread sets candidates of its own among the first
    /// `len`, and then there is a barrier.
    #[inline(always)]
    fn new(wanted: u32, len: usize) -> Self {
        shared! {
            static KEPT: [u64; CANDIDATES];
            static LEFT_OF_THEM: [u64; LEFT];
            static LENS: [u32; 2];
            static BOUND: [u64; 1];
        }
        if thread_rank() == 0 {
            // SAFETY: one thread, and a barrier comes before the others' accesses.
            unsafe {
                LENS.set(0, len as u32);
                BOUND.set(0, 0);
            }
        }
        Candidates {
            wanted: wanted as usize,
            kept: KEPT,
            left: LEFT_OF_THEM,
            lens: LENS,
            bound: BOUND,
        }
    }

    /// Adds a candidate, and returns how many there were. Between two barriers there are as many
    /// calls as a part has elements, at most.
    #[inline(always)]
    fn push(&self, candidate: u64) -> usize {
        let at = self.next(0);
        // SAFETY: no other thread has this place.
        unsafe { self.kept.set(at, candidate) };
        at
    }

    /// Adds 1 to a number of candidates.
    #[inline(always)]
    fn next(&self, of: usize) -> usize {
        // SAFETY: all threads access the number by atomics until the next barrier.
        let len = unsafe { BlockAtomicU32::from_ptr(self.lens.address_of(of)) };
        len.fetch_add(1, AtomicOrdering::Relaxed) as usize
    }

    /// Returns how many there are, after a barrier.
    #[inline(always)]
    fn len(&self) -> usize {
        // SAFETY: a barrier is between this and a change.
        unsafe { self.lens.get(0) as usize }
    }

    /// Returns a candidate, after a barrier.
    #[inline(always)]
    fn get(&self, at: usize) -> u64 {
        // SAFETY: as above.
        unsafe { self.kept.get(at) }
    }

    /// Makes the bound again, leaves out what comes after it, and returns its word. It begins after
    /// a barrier and ends with one.
    #[inline(always)]
    fn narrow(&self) -> u32 {
        let thread = thread_rank() as usize;
        let len = self.len();
        let best = block_stride(len).map(|i| self.get(i)).fold(0, u64::max);
        // SAFETY: each thread sets a cell of its own, and a barrier comes before the reads.
        unsafe { self.left.set(thread, best) };
        sync_threads();
        // Threads without a candidate have 0. If so many have one, one of them has this rank.
        if best > 0 && rank(self.left, BLOCK as usize, best) == self.wanted - 1 {
            // SAFETY: one thread, and a barrier comes before the reads.
            unsafe { self.bound.set(0, best) };
        }
        if thread == 0 {
            // SAFETY: as above.
            unsafe { self.lens.set(1, 0) };
        }
        sync_threads();
        // SAFETY: set before the barrier.
        let bound = unsafe { self.bound.get(0) };
        for i in block_stride(len) {
            let candidate = self.get(i);
            if candidate >= bound {
                let at = self.next(1);
                // SAFETY: no other thread has this place. The best of `wanted` threads are not
                // after the bound, so there is room for all of these threads' candidates.
                unsafe { self.left.set(at, candidate) };
            }
        }
        sync_threads();
        // SAFETY: as above: a barrier is before the reads and after the writes.
        unsafe {
            let left = self.lens.get(1);
            for i in block_stride(left as usize) {
                self.kept.set(i, self.left.get(i));
            }
            if thread == 0 {
                self.lens.set(0, left);
            }
        }
        sync_threads();
        (bound >> 32) as u32
    }
}

/// Returns how many of the first `len` candidates come before this one. They were set before a
/// barrier.
#[inline(always)]
fn rank<const N: usize>(of: SharedArray<u64, N>, len: usize, candidate: u64) -> usize {
    let mut rank = 0;
    for other in 0..len {
        // SAFETY: no thread changes them before the next barrier.
        rank += u32::from(unsafe { of.get(other) } > candidate);
    }
    rank as usize
}

/// Writes the `wanted` greatest words of each row to `output`, the greatest first, and where they
/// are in the row to `places`.
///
/// # Safety
/// There is a block for each row of the input. A row has at least `wanted` elements, of which there
/// are at most [`MOST`]. Both outputs have `wanted` elements for each row.
#[kernel]
#[launch_bounds(256, 6)]
#[launch_contract(dims = 1, block = 256)]
pub unsafe fn top_of_rows(
    input: &[u32],
    columns: u32,
    wanted: u32,
    mut output: DisjointSlice<u32>,
    mut places: DisjointSlice<u32>,
    negative: u32,
    all: u32,
) {
    let bits = Bits { negative, all };
    let (thread, columns) = (thread_rank() as usize, columns as usize);
    let row = block_idx_x() as usize * columns;
    // SAFETY: the caller promises that the row is in the input.
    let row = unsafe { input.get_unchecked(row..row + columns) };
    let best = Candidates::new(wanted, columns.min(PART));
    let mut bound = 0;
    let mut start = 0;
    while start < columns {
        let place = |item: usize| start + item * BLOCK as usize + thread;
        // All loads are on their way before the first is used.
        let words: [u32; ITEMS] = from_fn(|item| match row.get(place(item)) {
            Some(key) => bits.to_word(*key),
            None => 0,
        });
        let mut are_many = start == 0;
        if start == 0 {
            // There is no bound yet.
            for item in 0..ITEMS {
                if place(item) < columns {
                    // SAFETY: each thread sets cells of its own, and a barrier comes before the
                    // reads.
                    unsafe {
                        best.kept
                            .set(place(item), candidate(words[item], place(item)))
                    };
                }
            }
        } else {
            for item in 0..ITEMS {
                // Of equal words the one before counts, and the bound is before.
                if words[item] > bound && place(item) < columns {
                    are_many |= best.push(candidate(words[item], place(item))) >= MANY;
                }
            }
        }
        if sync_threads_or(are_many) {
            bound = best.narrow();
        }
        start += PART;
    }
    if best.len() > BLOCK as usize {
        best.narrow();
    }
    let first = block_idx_x() as usize * wanted as usize;
    for i in block_stride(best.len()) {
        let candidate = best.get(i);
        let rank = rank(best.kept, best.len(), candidate);
        if rank < wanted as usize {
            // SAFETY: the caller promises that the outputs have the row's elements. All candidates
            // are different, so their ranks are.
            unsafe {
                *output.get_unchecked_mut(first + rank) = bits.to_key((candidate >> 32) as u32);
                *places.get_unchecked_mut(first + rank) = u32::MAX - candidate as u32;
            }
        }
    }
}
