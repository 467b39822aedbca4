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
//! In [`WarpLast`], one warp does the last steps without a barrier of the block. No thread is in
//! one of the block's steps then: their number is the same for all threads of the block, and the
//! last one ends with the barrier. The lanes read elements of their own and pass the rest on by
//! shuffles, and nothing is written. A lane that is in another step than the others computes a
//! wrong number, and does not race.
//!
//! [`SharedPart`] has the same steps in shared memory. A kernel may have several of them, and use
//! each one again. So all of its accesses are atomic.
//!
//! PTX ISA, "barrier{.cta}.sync"; "shfl.sync"; "Memory Consistency Model".

mod order;
mod own;
mod shared;
mod steps;

use core::marker::PhantomData;

use crate::DisjointSlice;
use crate::collective::Operator;
use crate::thread::{block_number, block_size, thread_rank};

pub use order::{Halves, Order, Pairs, SparsePairs, WarpLast};
pub use own::combine_own;
pub use shared::SharedPart;
pub use steps::{Access, Plain, Steps, Words};

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
        let start = block_number().saturating_mul(threads * EACH);
        // Past the end of the slice it is not used.
        let part = pointer.wrapping_add(start);
        let live = length.saturating_sub(start);
        let own = |k: usize| {
            // SAFETY: called for elements of the block's part. No other thread has an index that is
            // `thread` modulo `threads`, and all are before the first barrier.
            unsafe { part.add(thread + k * threads) }
        };
        // The first step waits for this number, so it is not one minimum after another.
        let length = if start.saturating_add(threads * EACH) <= length {
            if EACH > 1 {
                // SAFETY: as above. No load waits for another one.
                let values: [T; EACH] = core::array::from_fn(|k| unsafe { own(k).read() });
                let combined = values.into_iter().reduce(|a, b| operator.combine(a, b));
                if let Some(combined) = combined {
                    // SAFETY: as above.
                    unsafe { own(0).write(combined) };
                }
            }
            threads as u32
        } else {
            if EACH > 1 && thread < live {
                let rest = (1..EACH).take_while(|k| thread + k * threads < live);
                // SAFETY: as above; `take_while` ends at the end of the slice.
                let combined = rest.fold(unsafe { own(0).read() }, |sum, k| {
                    // SAFETY: as above.
                    operator.combine(sum, unsafe { own(k).read() })
                });
                // SAFETY: as above.
                unsafe { own(0).write(combined) };
            }
            // With one element for each thread there are fewer than threads here.
            (if EACH > 1 { live.min(threads) } else { live }) as u32
        };
        if EACH > 1 {
            <Plain as steps::sealed::Access<T>>::barrier();
        }
        // SAFETY: the part has these elements. The kernel has one such parameter, which is used
        // once.
        unsafe { Steps::new(part, length, operator) }
    }
}

crate::kernel::wrapper!(PartPerBlock<Order, const EACH: usize>(DisjointSlice, PhantomData));
crate::kernel::outputs!(PartPerBlock<Order, const EACH: usize>, CellSlice, 1);
