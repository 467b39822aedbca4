//! Products of single tiles, by a warp and by a warpgroup, for each type of elements.

use lanewise_macros::{kernel, shared};
use lanewise_std::matrix::Element;
use lanewise_std::matrix::element::{Bf16, E4m3, E5m2, F16, S8, Tf32, U8};
use lanewise_std::matrix::warp::{self, Left, Multiply, Right, Sum, multiply_add, store_matrices};
use lanewise_std::matrix::warpgroup::{Accumulator, Descriptor, MultiplyAdd};
use lanewise_std::thread::{block_dim_x, sync_threads, thread_idx_x};
use lanewise_std::tma::{self, SwizzledTile};
use lanewise_std::{GlobalMut, SharedArray, bulk};

/// The words of `input` from `start` on to a tile, `N` of them.
#[inline(always)]
fn fill<const N: usize>(
    tile: SharedArray<u32, N>,
    input: &[u32],
    start: usize,
    place: impl Fn(usize) -> usize,
) {
    for i in (thread_idx_x() as usize..N).step_by(block_dim_x() as usize) {
        let word = input.get(start + i).copied().unwrap_or(0);
        // SAFETY: each word is one thread's, until the barrier that the caller comes to.
        unsafe { tile.set(place(i), word) };
    }
}

/// 16 rows of 32 bytes from word 0 of `input` times the transpose of 8 rows of 32 bytes from word 128 on, added to the words of `output`.
#[inline(always)]
fn by_warp<E: Multiply>(input: &[u32], output: GlobalMut<E::Sum>) {
    shared! {
        static LEFT: [SwizzledTile<[u32; 128]>; 1];
        static RIGHT: [SwizzledTile<[u32; 64]>; 1];
    }
    fill(LEFT.tile(0), input, 0, |i| i);
    fill(RIGHT.tile(0), input, 128, |i| i);
    sync_threads();
    let lane = thread_idx_x();
    let index = |i| {
        let (row, column) = Sum::<E::Sum>::position(lane, i);
        row * warp::COLUMNS + column
    };
    // SAFETY: written before the barrier; each element of the output is one lane's.
    unsafe {
        let left = Left::<E>::load(LEFT.tile(0).as_ptr().cast(), warp::BYTES);
        let right = Right::<E>::load_transpose(RIGHT.tile(0).as_ptr().cast(), warp::BYTES);
        let before = core::array::from_fn(|i| output.get(index(i)));
        let sum = multiply_add(&left, &right, Sum::of(before));
        for (i, element) in sum.elements().into_iter().enumerate() {
            output.set(index(i), element);
        }
    }
}

macro_rules! by_warp {
    ($($name:ident: $element:ty, $sum:ty;)*) => {$(
        /// By `mma.sync`; a warp.
        #[kernel]
        #[launch_contract(dims = 1, block = (32))]
        pub fn $name(input: &[u32], output: GlobalMut<$sum>) {
            by_warp::<$element>(input, output);
        }
    )*};
}
by_warp! {
    warp_f16: F16, f32;
    warp_bf16: Bf16, f32;
    warp_tf32: Tf32, f32;
    warp_s8: S8, i32;
    warp_u8: U8, i32;
}

/// The right operand by its own rows: 16 of 8 half floats from word 128 on.
#[kernel]
#[launch_contract(dims = 1, block = (32))]
pub fn warp_by_rows(input: &[u32], output: GlobalMut<f32>) {
    shared! {
        static LEFT: [SwizzledTile<[u32; 128]>; 1];
        static RIGHT: [SwizzledTile<[u32; 64]>; 1];
    }
    fill(LEFT.tile(0), input, 0, |i| i);
    fill(RIGHT.tile(0), input, 128, |i| i);
    sync_threads();
    // SAFETY: written before the barrier; each element of the output is one lane's.
    unsafe {
        let left = Left::<Bf16>::load(LEFT.tile(0).as_ptr().cast(), warp::BYTES);
        let right = Right::<Bf16>::load(RIGHT.tile(0).as_ptr().cast(), 16);
        let sum = multiply_add(&left, &right, Sum::default());
        for (i, element) in sum.elements().into_iter().enumerate() {
            let (row, column) = Sum::<f32>::position(thread_idx_x(), i);
            output.set(row * warp::COLUMNS + column, element);
        }
    }
}

/// Four registers of each lane to shared memory by `stmatrix`, and from there word by word to `output`: lane `l` gives `100 * l + i`.
#[kernel]
#[launch_contract(dims = 1, block = (32))]
pub fn store_four(output: GlobalMut<u32>) {
    shared! { static TILE: [SwizzledTile<[u32; 128]>; 1]; }
    let lane = thread_idx_x();
    let tile = TILE.tile(0);
    // SAFETY: each lane names a row of its own; read after the barrier.
    unsafe {
        let row = tile.as_ptr().cast::<u8>().add(16 * lane as usize);
        store_matrices(row, core::array::from_fn(|i| 100 * lane + i as u32));
    }
    sync_threads();
    for i in (lane as usize..128).step_by(32) {
        // SAFETY: stored before the barrier; each element of the output is one lane's.
        unsafe { output.set(i, tile.get(i)) };
    }
}

/// 64 rows of 128 bytes from word 0 of `input` times the transpose of as many rows as the sum has columns from word 2048 on, twice.
#[inline(always)]
fn by_warpgroup<E, T, const REGISTERS: usize>(input: &[u32]) -> Accumulator<T, REGISTERS>
where
    E: Element,
    T: Copy + Default,
    Accumulator<T, REGISTERS>: MultiplyAdd<E>,
{
    shared! {
        static LEFT: [SwizzledTile<[u32; 2048]>; 1];
        static RIGHT: [SwizzledTile<[u32; 8192]>; 1];
    }
    let swizzled = |i| tma::swizzled(4 * i) / 4;
    fill(LEFT.tile(0), input, 0, swizzled);
    fill(RIGHT.tile(0), input, 2048, swizzled);
    bulk::fence_proxy_async();
    sync_threads();
    let left = Descriptor::<E>::of_tile(LEFT.tile(0).as_ptr().cast());
    let right = Descriptor::<E>::of_tile(RIGHT.tile(0).as_ptr().cast());
    let mut sum = Accumulator::<T, REGISTERS>::zero();
    // SAFETY: written before the fence and the barrier, and by nobody after.
    unsafe {
        sum.multiply_add(left, right);
        sum.multiply_add(left, right); // a sum from before counts
    }
    sum
}

macro_rules! by_warpgroup {
    ($($name:ident: $element:ty, $sum:ty, $registers:literal;)*) => {$(
        /// By `wgmma`; a warpgroup.
        #[kernel(min_arch = "sm_90a")]
        #[launch_contract(dims = 1, block = (128))]
        pub fn $name(input: &[u32], output: GlobalMut<$sum>) {
            by_warpgroup::<$element, $sum, $registers>(input).for_each(|row, column, element| {
                // SAFETY: each element is one thread's.
                unsafe { output.set(row * 2 * $registers + column, element) };
            });
        }
    )*};
}
by_warpgroup! {
    warpgroup_f16: F16, f32, 32;
    warpgroup_bf16: Bf16, f32, 128;
    warpgroup_tf32: Tf32, f32, 64;
    warpgroup_e4m3: E4m3, f32, 32;
    warpgroup_e5m2: E5m2, f32, 64;
    warpgroup_s8: S8, i32, 64;
    warpgroup_u8: U8, i32, 32;
}
