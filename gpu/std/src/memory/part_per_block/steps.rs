//! The steps of a block's part.

use core::marker::PhantomData;

use super::{Halves, Order, WarpLast};
use crate::atomic::Word;
use crate::collective::Operator;
use crate::intrinsics;
use crate::memory::owned::{Owned, Tail};
use crate::memory::phased::exclusive;
use crate::memory::words;
use crate::scope::Block;
use crate::target::WARP_SIZE;
use crate::thread::{CLOSING, STEPS, block_size, sync_threads, thread_rank};
use crate::unroll::unroll;
use crate::warp::{Shuffle, shuffle_xor_sync};

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
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::PartPerBlock;
/// use lanewise_std::collective::Max;
/// use lanewise_std::part_per_block::{Access, Order, Pairs, Plain, SparsePairs, Steps, Words};
///
/// /// Does the steps of any order, in global memory ([`Plain`]) and in shared memory ([`Words`]).
/// fn all_steps<O: Order, A: Access<u32>>(mut steps: Steps<'_, u32, O, Max, A>) {
///     while steps.has_step() {
///         let distance = steps.stride();
///         steps.step();
///         assert_ne!(distance, 0);
///     }
/// }
///
/// #[kernel]
/// #[launch_contract(dims = 1)]
/// pub fn neighbours_first(data: PartPerBlock<u32, Pairs>) {
///     all_steps(data.begin(Max));
/// }
///
/// #[kernel]
/// #[launch_contract(dims = 1)]
/// pub fn with_parted_lanes(data: PartPerBlock<u32, SparsePairs>) {
///     all_steps(data.begin(Max));
/// }
/// ```
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
        if self.combine_pair() {
            A::barrier();
        }
    }

    /// Combines this thread's pair of elements. Returns whether a barrier has to follow, which is
    /// the same in all threads of the block.
    #[inline(always)]
    fn combine_pair(&mut self) -> bool {
        if !self.has_step() {
            return false;
        }
        let state = self.state;
        self.state = O::next(state); // before the barrier, where it costs no time
        if !O::has_pairs(state, block_size()) {
            return false;
        }
        if let Some(first) = O::first(thread_rank(), state, self.length) {
            // SAFETY: both are below the length of the part. In this step only this thread has
            // them, or the accesses are atomic.
            unsafe {
                let [first, second] = O::pair(self.part, first, O::stride(state));
                A::write(
                    first,
                    self.operator.combine(A::read(first), A::read(second)),
                );
            }
        }
        true
    }
}

impl<'a, T: Copy, P: Operator<T>> Steps<'a, T, Halves, P> {
    /// Does the next step, waits for the block, and returns the elements that are left, in the
    /// block's first thread. They belong to this thread, which may give them to a child: see
    /// [`launch_owned`](crate::dynamic::launch_owned). Returns `None` in all other threads.
    ///
    /// ```
    /// use lanewise_macros::kernel;
    /// use lanewise_std::PartPerBlock;
    /// use lanewise_std::collective::Sum;
    /// use lanewise_std::dynamic::{Shape, launch_in_tail, launch_owned};
    ///
    /// /// Halves what is left until one element is left.
    /// #[kernel(launches)]
    /// pub fn halve(data: PartPerBlock<i32>) {
    ///     if let Some(left) = data.begin(Sum).last_step()
    ///         && left.len() > 1
    ///     {
    ///         launch_owned::<halve>(Shape::new(1, left.len() as u32), (left,));
    ///     }
    /// }
    ///
    /// /// The same without a barrier: a child begins when its parent has ended.
    /// #[kernel(launches)]
    /// pub fn halve_in_tail(data: PartPerBlock<i32>) {
    ///     if let Some(left) = data.begin(Sum).last_step_in_tail()
    ///         && left.len() > 1
    ///     {
    ///         launch_in_tail::<halve_in_tail>(Shape::new(1, left.len() as u32), (left,));
    ///     }
    /// }
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn last_step(mut self) -> Option<Owned<'a, T>> {
        self.combine_pair();
        // SAFETY: the barrier exists, and all threads of the block take part in it.
        unsafe { intrinsics::barrier_cta_sync(CLOSING) };
        self.give()
    }

    /// Does the next step, and returns the elements that are left, in the block's first thread.
    /// They are for a child that begins when the grid has ended: see
    /// [`launch_in_tail`](crate::dynamic::launch_in_tail). Returns `None` in all other threads.
    #[inline(always)]
    #[must_use]
    pub fn last_step_in_tail(mut self) -> Option<Owned<'a, T, Tail>> {
        self.combine_pair();
        self.give()
    }

    #[inline(always)]
    fn give<When>(self) -> Option<Owned<'a, T, When>> {
        let (pairs, stride) = self.state; // of the next step, which combines what is left
        let left = pairs + stride;
        // SAFETY: the elements are in the part. No other thread returns them, or accesses the first
        // one in any step. If the threads have passed the barrier, none has its steps any more: the
        // parameter was used, or its thread has exited.
        (thread_rank() == 0).then(|| unsafe { Owned::new(self.part, left as usize) })
    }
}

impl<T: Shuffle, P: Operator<T>, A: Access<T>> Steps<'_, T, WarpLast, P, A> {
    /// Does the last six steps in the block's first warp, whose lanes wait for each other only.
    /// Returns all elements combined, or `empty` if the part has none, in the block's first thread.
    /// Returns `None` in all other threads, and if the block still has a step.
    #[inline(always)]
    #[must_use]
    pub fn finish(self, empty: T) -> Option<T> {
        let thread = thread_rank();
        if self.has_step() || thread >= WARP_SIZE {
            return None; // a thread that has nothing else to do leaves here
        }
        let lanes = u32::MAX >> WARP_SIZE.saturating_sub(block_size());
        // No lane is at the end if the warp is full, as the compiler knows of whole warps. (The
        // least of the length and a warp's size would say the same, which it does not see.)
        let end = if self.length < WARP_SIZE {
            self.length
        } else {
            u32::MAX
        };
        // SAFETY: in bounds where it is called. All steps of the block are over in all threads, and
        // after them nothing is written.
        let read = |element: u32| unsafe { A::read(self.part.add(element as usize)) };
        // ANCHOR: finish
        // SAFETY: all bits are a value. A lane without an element is in no step.
        let mut sum = unsafe { core::mem::zeroed() };
        if thread < self.length {
            sum = read(thread);
        }
        if thread + WARP_SIZE < self.length {
            sum = self.operator.combine(sum, read(thread + WARP_SIZE));
        }
        unroll::<5>(|step| {
            let stride = (WARP_SIZE / 2) >> step;
            let other = shuffle_xor_sync(lanes, sum, stride); // waits for the lanes
            // Both lanes of a pair combine it, although nobody reads the second one's sum: to
            // find out which lane this is would take longer.
            if thread | stride < end {
                sum = self.operator.combine(sum, other);
            }
        });
        // ANCHOR_END: finish
        (thread == 0).then_some(if self.length > 0 { sum } else { empty })
    }
}
