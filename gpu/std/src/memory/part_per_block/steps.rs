//! The steps of a block's part.

use core::marker::PhantomData;

use super::order::sealed::Order as _;
use super::{Order, WarpLast};
use crate::atomic::Word;
use crate::atomic::scope::Block;
use crate::collective::Operator;
use crate::intrinsics;
use crate::memory::phased::exclusive;
use crate::memory::words;
use crate::target::WARP_SIZE;
use crate::thread::{STEPS, block_size, sync_threads, thread_rank};
use crate::unroll::unroll;
use crate::warp::{Shuffle, shuffle_down_sync};

/// How the steps of a block load and store elements: [`Plain`] or [`Words`].
pub trait Access<T>: sealed::Access<T> {}

pub(super) mod sealed {
    pub trait Access<T> {
        /// Returns the element.
        ///
        /// # Safety
        /// It is valid, and no access of another thread races with this one.
        unsafe fn read(at: *const T) -> T;

        /// Sets the element.
        ///
        /// # Safety
        /// As for `read`.
        unsafe fn write(at: *mut T, value: T);

        /// Waits for all threads of the block.
        fn barrier();
    }
}

/// As any variable: in global memory. The number of the barrier keeps the threads in the same step.
#[derive(Clone, Copy, Debug)]
pub enum Plain {}

/// Each word atomically: in shared memory.
#[derive(Clone, Copy, Debug)]
pub enum Words {}

impl<T: Copy> Access<T> for Plain {}
impl<T: Copy> sealed::Access<T> for Plain {
    #[inline(always)]
    unsafe fn read(at: *const T) -> T {
        // SAFETY: the caller promises that it is valid, and that there is no race.
        unsafe { at.read() }
    }

    #[inline(always)]
    unsafe fn write(at: *mut T, value: T) {
        // SAFETY: as above.
        unsafe { at.write(value) }
    }

    #[inline(always)]
    fn barrier() {
        // SAFETY: the barrier exists, and all threads of the block take part in it.
        unsafe { intrinsics::barrier_cta_sync(STEPS) };
    }
}

impl<T: Word<Block>> Access<T> for Words {}
impl<T: Word<Block>> sealed::Access<T> for Words {
    #[inline(always)]
    unsafe fn read(at: *const T) -> T {
        // SAFETY: the caller promises that it is valid.
        unsafe { words::load(at) }
    }

    #[inline(always)]
    unsafe fn write(at: *mut T, value: T) {
        // SAFETY: as above.
        unsafe { words::store(at, value) }
    }

    #[inline(always)]
    fn barrier() {
        sync_threads();
    }
}

/// The steps of a block's part, from [`PartPerBlock::begin`](super::PartPerBlock::begin) or
/// [`SharedPart::begin`](super::SharedPart::begin).
#[derive(Debug)]
pub struct Steps<'a, T, O: Order, P, A = Plain> {
    part: *mut T,
    /// The number of elements, at most one for each thread.
    length: u32,
    /// Where the steps are, as the order counts.
    state: O::State,
    operator: P,
    memory: PhantomData<(&'a mut [T], A)>,
}

impl<T, O: Order, P, A: Access<T>> Steps<'_, T, O, P, A> {
    /// Makes the steps of the part that begins here.
    ///
    /// # Safety
    /// All threads of the block pass the same part, which has this length and belongs to the block.
    /// If the accesses are [`Plain`], the block has no other steps.
    #[inline(always)]
    pub(super) unsafe fn new(part: *mut T, length: u32, operator: P) -> Self {
        Steps {
            part,
            length,
            state: O::start(block_size(), length),
            operator,
            memory: PhantomData,
        }
    }
}

impl<T: Word<Block>, O: Order, P> Steps<'_, T, O, P, Words> {
    /// Sets this thread's cell to `value`, waits for the block, and returns the steps.
    ///
    /// # Safety
    /// As for [`new`](Self::new). The part has a cell for this thread, and all accesses to the
    /// cells are atomic.
    #[inline(always)]
    pub(crate) unsafe fn in_shared(cells: *mut T, length: u32, value: T, operator: P) -> Self {
        // SAFETY: the caller promises that the cell is there.
        exclusive(|| unsafe { words::store(cells.add(thread_rank() as usize), value) });
        // SAFETY: as the caller promises.
        unsafe { Steps::new(cells, length, operator) }
    }
}

impl<T: Copy, O: Order, P: Operator<T>, A: Access<T>> Steps<'_, T, O, P, A> {
    /// Returns the distance of the two elements of a pair in the next step, or 0 after the last
    /// step. It is the same in all threads of the block.
    #[inline(always)]
    #[must_use]
    pub fn stride(&self) -> u32 {
        if self.has_step() {
            O::stride(self.state)
        } else {
            0
        }
    }

    /// Returns whether there is another step of the block, which is the same in all of its threads.
    #[inline(always)]
    #[must_use]
    pub fn has_step(&self) -> bool {
        O::has_step(self.state, block_size())
    }

    /// Returns the first element of the block's part, in the block's first thread. Returns `None`
    /// in all other threads, and if the part has no elements. After the last step, it is all of
    /// them combined.
    #[inline(always)]
    #[must_use]
    pub fn first(&self) -> Option<T> {
        // SAFETY: in bounds. Thread 0 has this element in each step, and no other thread has it.
        (thread_rank() == 0 && self.length > 0).then(|| unsafe { A::read(self.part) })
    }

    /// Combines this thread's pair of elements, if it has one, and waits for the block. After the
    /// last step, it does nothing.
    #[inline(always)]
    pub fn step(&mut self) {
        if !self.has_step() {
            return;
        }
        // ANCHOR: step
        let state = self.state;
        self.state = O::next(state); // before the barrier, where it costs no time
        if !O::has_pairs(state, block_size()) {
            return; // all threads of the block, or none
        }
        if let Some(first) = O::first(thread_rank(), state, self.length) {
            // SAFETY: both are below the length of the part. In this step only this thread has
            // them, or the accesses are atomic.
            unsafe {
                let first = self.part.add(first as usize);
                let second = first.add(O::stride(state) as usize);
                A::write(
                    first,
                    self.operator.combine(A::read(first), A::read(second)),
                );
            }
        }
        A::barrier();
        // ANCHOR_END: step
    }
}

impl<T: Shuffle, P: Operator<T>, A: Access<T>> Steps<'_, T, WarpLast, P, A> {
    /// Does the last six steps in the block's first warp, whose lanes wait for each other only. It
    /// does nothing if the block still has a step.
    #[inline(always)]
    pub fn finish(&mut self) {
        let thread = thread_rank();
        if self.has_step() || thread >= WARP_SIZE {
            return;
        }
        let lanes = u32::MAX >> WARP_SIZE.saturating_sub(block_size());
        let has_pair = |stride| WarpLast::first(thread, stride, self.length).is_some();
        // SAFETY: in bounds where it is called. All steps of the block are over in all threads, and
        // after them only thread 0 writes, and only element 0, which no other thread reads.
        let read = |element: u32| unsafe { A::read(self.part.add(element as usize)) };
        // ANCHOR: finish
        // SAFETY: all bits are a value. A lane without an element is in no step.
        let mut sum = unsafe { core::mem::zeroed() };
        if thread < self.length {
            sum = read(thread);
        }
        if has_pair(WARP_SIZE) {
            sum = self.operator.combine(sum, read(thread + WARP_SIZE));
        }
        unroll::<5>(|step| {
            let stride = (WARP_SIZE / 2) >> step;
            let other = shuffle_down_sync(lanes, sum, stride); // waits for the lanes
            if has_pair(stride) {
                sum = self.operator.combine(sum, other);
            }
        });
        if thread == 0 && self.length > 0 {
            // SAFETY: as above.
            unsafe { A::write(self.part, sum) };
        }
        // ANCHOR_END: finish
    }
}
