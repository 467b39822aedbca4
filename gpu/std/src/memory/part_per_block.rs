//! A slice that the blocks change in place, step by step, each block its own part of it.
//!
//! It is for reductions whose steps are in memory. In each step a thread has at most one pair of
//! elements, and combines the second one into the first one. A barrier ends the step. Which pair a
//! thread has follows from the number of the step and from the type: see [`Order`].
//!
//! # Why no two threads race
//!
//! A block's elements depend on its position in the grid, so two blocks have different ones. Within
//! the block, a thread reaches elements in steps only, except for the first one, which belongs to
//! the first thread in every step. A step ends with barrier 14 of the block. Nothing else uses this
//! barrier: [`NamedBarrier`](crate::thread::NamedBarrier) refuses the number,
//!
//! ```compile_fail,E0080
//! # use lanewise_macros::kernel;
//! # use lanewise_std::PartPerBlock;
//! #[kernel]
//! pub fn two(a: PartPerBlock<i32>, b: PartPerBlock<i32>) {}
//! ```
//!
//! a kernel cannot have two such parameters, and the parameter can be used once only:
//!
//! ```compile_fail,E0382
//! # use lanewise_std::PartPerBlock;
//! # use lanewise_std::collective::Sum;
//! fn twice(data: PartPerBlock<i32>) {
//!     data.begin(Sum);
//!     data.begin(Sum);
//! }
//! ```
//!
//! So the n-th barrier of one thread is the n-th of all threads, and before it each thread has done
//! its n-th step and no other one. The pairs of one step have no element in common. This holds
//! whatever the kernel does between two steps, and also if threads part, or leave early. A thread
//! that stops before the others is waited for until it exits.
//!
//! There is no order whose last steps belong to one warp, without a barrier of the block: a barrier
//! of the warp has no number, so a lane could pass it together with a lane that waits elsewhere.
//!
//! PTX ISA, "barrier{.cta}.sync"; "Memory Consistency Model".

use core::marker::PhantomData;

use crate::DisjointSlice;
use crate::collective::Operator;
use crate::intrinsics;
use crate::thread::{STEPS, block_number, block_size, thread_rank};

/// A slice in global memory of which each block of the launch owns `EACH` elements for each of its
/// threads, in the order of the blocks, x fastest. Past the end of the slice, a block has fewer or
/// none.
///
/// The host passes the same argument as for a [`DisjointSlice`](crate::DisjointSlice).
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::collective::Sum;
/// use lanewise_std::part_per_block::Halves;
/// use lanewise_std::{PartPerBlock, PerBlock};
///
/// /// Each thread adds four elements by itself, and then the block adds half to half.
/// #[kernel]
/// #[launch_contract(dims = 1)]
/// pub fn sums(data: PartPerBlock<i32, Halves, 4>, mut sums: PerBlock<i32>) {
///     let mut part = data.begin(Sum);
///     while part.has_step() {
///         part.step();
///     }
///     if let Some(sum) = sums.get_mut() {
///         *sum = part.first().unwrap_or(0);
///     }
/// }
/// ```
#[derive(Debug)]
pub struct PartPerBlock<'a, T, Order = Halves, const EACH: usize = 1>(
    DisjointSlice<'a, T>,
    PhantomData<Order>,
);

/// Which pair of elements each thread combines in each step: [`Halves`], [`Pairs`] or
/// [`SparsePairs`].
pub trait Order: sealed::Order {}

mod sealed {
    /// All numbers are those of a block, of at most 1024 threads and as many elements.
    pub trait Order {
        /// What changes from step to step, in the same way in all threads.
        type State: Copy;

        /// Returns the state before the first step.
        fn start(threads: u32, length: u32) -> Self::State;
        /// Returns whether there is another step.
        fn has_step(state: Self::State, threads: u32) -> bool;
        /// Returns the distance of the elements of a pair in the next step.
        fn stride(state: Self::State) -> u32;
        /// Returns the first element of the thread's pair in the next step, if both are below the
        /// length. No two threads' pairs have a common element.
        fn first(thread: u32, state: Self::State, length: u32) -> Option<u32>;
        /// Returns the state after the next step.
        fn next(state: Self::State) -> Self::State;
    }
}

/// The first half of the elements is combined with the second half, then the first quarter with the
/// second quarter, and so on. Thread i has the elements i and i + stride.
#[derive(Clone, Copy, Debug, Default)]
pub struct Halves;

/// Neighbours are combined, then neighbours of these, and so on. Thread i has the elements
/// 2 * stride * i and 2 * stride * i + stride.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pairs;

/// The pairs of [`Pairs`], but each belongs to the thread with the number of its first element. So
/// every second thread has one, then every fourth, and so on.
#[derive(Clone, Copy, Debug, Default)]
pub struct SparsePairs;

impl Order for Halves {}
impl Order for Pairs {}
impl Order for SparsePairs {}

/// The state is the number of pairs, and their stride. Of an odd number of elements, the middle one
/// waits for the next step.
impl sealed::Order for Halves {
    type State = (u32, u32);

    #[inline(always)]
    fn start(_: u32, length: u32) -> (u32, u32) {
        (length / 2, length - length / 2)
    }

    #[inline(always)]
    fn has_step((pairs, _): (u32, u32), _: u32) -> bool {
        pairs > 0
    }

    #[inline(always)]
    fn stride((_, stride): (u32, u32)) -> u32 {
        stride
    }

    #[inline(always)]
    fn first(thread: u32, (pairs, _): (u32, u32), _: u32) -> Option<u32> {
        (thread < pairs).then_some(thread)
    }

    #[inline(always)]
    fn next((_, left): (u32, u32)) -> (u32, u32) {
        Self::start(0, left)
    }
}

/// Neighbours first: the state is the stride, a power of two.
macro_rules! growing {
    ($($order:ty: |$thread:ident, $stride:ident, $length:ident| $first:expr;)*) => {$(
        impl sealed::Order for $order {
            type State = u32;

            #[inline(always)]
            fn start(_: u32, _: u32) -> u32 {
                1
            }

            #[inline(always)]
            fn has_step(stride: u32, threads: u32) -> bool {
                stride < threads
            }

            #[inline(always)]
            fn stride(stride: u32) -> u32 {
                stride
            }

            #[inline(always)]
            fn first($thread: u32, $stride: u32, $length: u32) -> Option<u32> {
                $first
            }

            #[inline(always)]
            fn next(stride: u32) -> u32 {
                2 * stride
            }
        }
    )*};
}

growing! {
    Pairs: |thread, stride, length| {
        let first = 2 * stride * thread;
        (first + stride < length).then_some(first)
    };
    SparsePairs: |thread, stride, length| {
        (thread.is_multiple_of(2 * stride) && thread + stride < length).then_some(thread)
    };
}

impl<'a, T: Copy, O: Order, const EACH: usize> PartPerBlock<'a, T, O, EACH> {
    /// Returns the steps of the block's part, in which `operator` combines elements. All threads of
    /// the block have to call it, and each of the steps, as with a barrier.
    ///
    /// If `EACH` is above 1, each thread first combines its own elements, which are a block's size
    /// apart, into the first one of them. One element for each thread is left then.
    #[inline(always)]
    pub fn begin<P: Operator<T>>(self, operator: P) -> Steps<'a, T, O, P> {
        let (threads, thread) = (block_size() as usize, thread_rank() as usize);
        let (pointer, length) = self.0.raw_parts();
        // No slice is as long as the largest number, to which the products saturate.
        let start = block_number().saturating_mul(threads * EACH).min(length);
        // SAFETY: `start` is at most the length.
        let part = unsafe { pointer.add(start) };
        let live = length - start;
        if EACH > 1 {
            let own = |k: usize| {
                // SAFETY: called for elements of the block's part. No other thread has an index
                // that is `thread` modulo `threads`, and all are before the first barrier.
                unsafe { part.add(thread + k * threads) }
            };
            if live >= threads * EACH {
                // SAFETY: as above. No load waits for another one.
                let values: [T; EACH] = core::array::from_fn(|k| unsafe { own(k).read() });
                let combined = values.into_iter().reduce(|a, b| operator.combine(a, b));
                if let Some(combined) = combined {
                    // SAFETY: as above.
                    unsafe { own(0).write(combined) };
                }
            } else if thread < live {
                let rest = (1..EACH).take_while(|k| thread + k * threads < live);
                // SAFETY: as above; `take_while` ends at the end of the slice.
                let combined = rest.fold(unsafe { own(0).read() }, |sum, k| {
                    // SAFETY: as above.
                    operator.combine(sum, unsafe { own(k).read() })
                });
                // SAFETY: as above.
                unsafe { own(0).write(combined) };
            }
            step_barrier();
        }
        let length = live.min(threads) as u32;
        Steps {
            part,
            length,
            state: O::start(block_size(), length),
            operator,
            memory: PhantomData,
        }
    }
}

/// Waits for all threads of the block at the barrier of steps.
#[inline(always)]
fn step_barrier() {
    // SAFETY: the barrier exists, and all threads of the block take part in it.
    unsafe { intrinsics::barrier_cta_sync(STEPS) };
}

/// The steps of a block's part, from [`PartPerBlock::begin`].
#[derive(Debug)]
pub struct Steps<'a, T, O: Order, P> {
    part: *mut T,
    /// The number of elements, at most one for each thread.
    length: u32,
    /// Where the steps are, as the order counts.
    state: O::State,
    operator: P,
    memory: PhantomData<&'a mut [T]>,
}

impl<T: Copy, O: Order, P: Operator<T>> Steps<'_, T, O, P> {
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

    /// Returns whether there is another step, which is the same in all threads of the block.
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
        (thread_rank() == 0 && self.length > 0).then(|| unsafe { self.part.read() })
    }

    /// Combines this thread's pair of elements, if it has one, and waits for the block. After the
    /// last step, it does nothing.
    #[inline(always)]
    pub fn step(&mut self) {
        if !self.has_step() {
            return;
        }
        if let Some(first) = O::first(thread_rank(), self.state, self.length) {
            // SAFETY: both are below the length of the part, and in this step only this thread has
            // them.
            unsafe {
                let first = self.part.add(first as usize);
                let second = first.add(O::stride(self.state) as usize);
                first.write(self.operator.combine(first.read(), second.read()));
            }
        }
        self.state = O::next(self.state); // before the barrier, where it costs no time
        step_barrier();
    }
}

crate::kernel::wrapper!(PartPerBlock<Order, const EACH: usize>(DisjointSlice, PhantomData));
crate::kernel::outputs!(PartPerBlock<Order, const EACH: usize>, CellSlice, 1);
