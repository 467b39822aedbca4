//! Which thread has which pair of elements in which step.

#[cfg(doc)]
use crate::part_per_block::Steps;
use crate::target::WARP_SIZE;

/// The most threads of a block. Source: CUDA C++ Programming Guide, "Compute Capabilities".
const MOST_THREADS: u32 = 1024;

/// Which pair of elements each thread combines in each step: [`Halves`], [`Pairs`],
/// [`SparsePairs`] or [`WarpLast`].
pub trait Order: sealed::Order {}

pub(super) mod sealed {
    /// All numbers are those of a block, of at most 1024 threads and as many elements.
    pub trait Order {
        /// What changes from step to step, in the same way in all threads.
        type State: Copy;

        /// Returns the state before the first step.
        fn start(threads: u32, length: u32) -> Self::State;
        /// Returns whether there is another step.
        fn has_step(state: Self::State, threads: u32) -> bool;
        /// Returns whether the next step has a pair for any block of this many threads.
        #[inline(always)]
        fn has_pairs(_: Self::State, _: u32) -> bool {
            true
        }
        /// Returns the distance of the elements of a pair in the next step.
        fn stride(state: Self::State) -> u32;
        /// Returns the first element of the thread's pair in the next step, if both are below the
        /// length. No two threads' pairs have a common element.
        fn first(thread: u32, state: Self::State, length: u32) -> Option<u32>;

        /// Returns the addresses of a pair of elements. The second one is computed from the first
        /// one, which is the same in all steps.
        ///
        /// # Safety
        /// Both elements are in the part.
        #[inline(always)]
        unsafe fn pair<T>(part: *mut T, first: u32, stride: u32) -> [*mut T; 2] {
            // SAFETY: the caller promises that they are there.
            unsafe {
                let first = part.add(first as usize);
                [first, first.add(stride as usize)]
            }
        }

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

/// As in [`Halves`], with strides that are powers of two. When 64 elements are left, the block's
/// first warp does the last six steps by itself: [`Steps::finish`]. The other orders have a barrier
/// of the block after each step.
#[derive(Clone, Copy, Debug, Default)]
pub struct WarpLast;

impl Order for Halves {}
impl Order for Pairs {}
impl Order for SparsePairs {}
impl Order for WarpLast {}

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

            // Each address is computed from the part's, so that no one waits for the other.
            #[inline(always)]
            unsafe fn pair<T>(part: *mut T, first: u32, stride: u32) -> [*mut T; 2] {
                // SAFETY: the caller promises that they are there.
                [first, first.wrapping_add(stride)].map(|at| unsafe { part.add(at as usize) })
            }
        }
    )*};
}

growing! {
    Pairs: |thread, stride, length| {
        let second = stride * (2 * thread + 1); // the one that may be past the end
        (second < length).then(|| second - stride)
    };
    SparsePairs: |thread, stride, length| {
        (thread.is_multiple_of(2 * stride) && thread + stride < length).then_some(thread)
    };
}

/// The state is the stride. It begins with the one of the largest block, so that strides are
/// constants in unrolled code. The last one of the block leaves two elements for each lane of a
/// warp.
impl sealed::Order for WarpLast {
    type State = u32;

    #[inline(always)]
    fn start(_: u32, _: u32) -> u32 {
        MOST_THREADS / 2
    }

    #[inline(always)]
    fn has_pairs(stride: u32, threads: u32) -> bool {
        stride < threads
    }

    #[inline(always)]
    fn has_step(stride: u32, _: u32) -> bool {
        stride > WARP_SIZE
    }

    #[inline(always)]
    fn stride(stride: u32) -> u32 {
        stride
    }

    #[inline(always)]
    fn first(thread: u32, stride: u32, length: u32) -> Option<u32> {
        (thread < stride && thread + stride < length).then_some(thread)
    }

    #[inline(always)]
    fn next(stride: u32) -> u32 {
        stride / 2
    }
}
