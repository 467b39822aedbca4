//! [`SharedPart`]: the same steps in shared memory.

use core::marker::PhantomData;

use super::{Halves, Order, Steps, Words};
use crate::atomic::Word;
use crate::collective::Operator;
use crate::memory::bounds::check;
use crate::memory::phased::{Declared, Memory};
use crate::memory::shared::declaration;
use crate::scope::Block;
use crate::thread::{block_size, thread_rank};

/// `N` cells of shared memory, one for each thread of the block, which the block changes step by
/// step. `Order` says which thread has which pair of cells.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::collective::Sum;
/// use lanewise_std::part_per_block::WarpLast;
/// use lanewise_std::{PerBlock, SharedPart, thread};
///
/// /// The sum of a block's elements: half to half, and the last six steps by one warp.
/// #[kernel]
/// #[launch_contract(dims = 1, block = 256)]
/// pub fn sums(input: &[i32], mut sums: PerBlock<i32>) {
///     shared! { static PART: SharedPart<i32, 256, WarpLast>; }
///     let own = input.get(thread::index_1d().get()).copied().unwrap_or(0);
///     let mut part = PART.begin(own, Sum);
///     while part.has_step() {
///         part.step();
///     }
///     if let Some(total) = part.finish(0) && let Some(sum) = sums.get_mut() {
///         *sum = total;
///     }
/// }
/// ```
///
/// The steps borrow the cells, so a second `begin` ends the first steps:
///
/// ```compile_fail,E0499
/// # use lanewise_std::SharedPart;
/// # use lanewise_std::collective::Sum;
/// fn twice(part: &mut SharedPart<i32, 64>) {
///     let mut first = part.begin(1, Sum);
///     part.begin(2, Sum);
///     first.step();
/// }
/// ```
#[derive(Debug)]
pub struct SharedPart<T, const N: usize, Order = Halves> {
    cells: *mut T,
    order: PhantomData<Order>,
}

impl<T, const N: usize, O> Declared for SharedPart<T, N, O> {
    #[inline]
    fn of_declaration<Declaration>() -> Self {
        SharedPart {
            cells: declaration::<Declaration, Memory<[T; N], Self>>().cast(),
            order: PhantomData,
        }
    }
}

impl<T: Word<Block>, const N: usize, O: Order> SharedPart<T, N, O> {
    /// Sets this thread's cell to `value`, and returns the steps in which `operator` combines the
    /// cells of the block. All threads of the block have to call it, and each of the steps, as with
    /// a barrier.
    ///
    /// # Panics
    /// If the block has more than `N` threads.
    #[inline(always)]
    #[track_caller]
    pub fn begin<P: Operator<T>>(&mut self, value: T, operator: P) -> Steps<'_, T, O, P, Words> {
        check(thread_rank() as usize, N);
        // SAFETY: each thread has a cell, or the kernel has panicked. All accesses are atomic.
        unsafe { Steps::in_shared(self.cells, block_size().min(N as u32), value, operator) }
    }
}
