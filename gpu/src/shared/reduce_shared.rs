//! Sum of a slice, with the steps of the reduction in global memory and in shared memory.
//!
//! Launch: 1-D grid of 1-D blocks of whole warps, with at least one thread for each element
//! (`unroll4`: for every four); the kernels named `dyn` with 4 bytes of dynamic shared memory a
//! thread. Block b sums its part, `block_dim_x` elements (`unroll4`: four times that), and writes
//! the sum to `sums[b]`. The kernels named `gmem` overwrite their data. The slice may have any
//! length; a part past its end sums to zero.
//! Shows: all kernels take the same steps. With the steps in shared memory, every element is
//! loaded from global memory once, and a block stores only its sum; the rest of the traffic stays
//! on the multiprocessor.
//! Source: Professional CUDA C Programming, chapter 5.

use lanewise_macros::{kernel, shared};
use lanewise_std::collective::Sum;
use lanewise_std::part_per_block::{Access, Steps, WarpLast, combine_own};
use lanewise_std::unroll::unroll;
use lanewise_std::{DynamicShared, PartPerBlock, PerBlock, SharedPart};

/// The most threads that a block can have.
const THREADS: usize = 1024;
/// The number of elements that a thread of the unrolled kernels first adds by itself.
const UNROLL: usize = 4;

/// Does all steps in global memory.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_gmem(data: PartPerBlock<i32, WarpLast>, sums: PerBlock<i32>) {
    add_up(data.begin(Sum), sums);
}

/// Copies an element of each thread to shared memory, and does all steps there.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_smem(input: &[i32], sums: PerBlock<i32>) {
    shared! { static PARTIALS: SharedPart<i32, THREADS, WarpLast>; }
    add_up(PARTIALS.begin(load::<1>(input), Sum), sums);
}

/// Does the same in dynamic shared memory, whose size the launch gives.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_smem_dyn(input: &[i32], sums: PerBlock<i32>) {
    let mut partials = DynamicShared::new().part::<i32, WarpLast>();
    add_up(partials.begin(load::<1>(input), Sum), sums);
}

/// Adds four elements of each thread in registers to one in global memory; all steps there.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_gmem_unroll4(data: PartPerBlock<i32, WarpLast, UNROLL>, sums: PerBlock<i32>) {
    add_up(data.begin(Sum), sums);
}

/// Adds four elements of each thread in registers to one in shared memory; all steps there.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_smem_unroll4(input: &[i32], sums: PerBlock<i32>) {
    shared! { static PARTIALS: SharedPart<i32, THREADS, WarpLast>; }
    add_up(PARTIALS.begin(load::<UNROLL>(input), Sum), sums);
}

/// Does the same in dynamic shared memory, whose size the launch gives.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_smem_unroll4_dyn(input: &[i32], sums: PerBlock<i32>) {
    let mut partials = DynamicShared::new().part::<i32, WarpLast>();
    add_up(partials.begin(load::<UNROLL>(input), Sum), sums);
}

/// Returns the sum of this thread's elements, a block apart; those past the end are zero.
#[inline(always)]
fn load<const ELEMENTS: usize>(input: &[i32]) -> i32 {
    combine_own::<ELEMENTS, _>(input, Sum).unwrap_or(0)
}

/// Adds half to half, with the last six steps by one warp, and writes the sum.
#[inline(always)]
fn add_up<A: Access<i32>>(mut part: Steps<i32, WarpLast, Sum, A>, mut sums: PerBlock<i32>) {
    unroll::<4>(|_| part.step()); // a block of 1024 threads has all four
    if let Some(total) = part.finish(0)
        && let Some(sum) = sums.get_mut()
    {
        *sum = total;
    }
}
