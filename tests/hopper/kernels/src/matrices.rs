//! Products of single tiles, by a warp and by a warpgroup, for each type of elements.

use lanewise_macros::{kernel, shared};
use lanewise_std::half::F16x2;
use lanewise_std::matrix::Element;
use lanewise_std::matrix::element::{B1, Bf16, E4m3, E5m2, F16, S4, S8, Tf32, U4, U8};
use lanewise_std::matrix::warp::{
    self, Left, Multiply, Right, Sum, load_matrices, load_matrices_transposed, multiply_add,
    multiply_add_f64, store_matrices, store_matrices_transposed,
};
use lanewise_std::matrix::warpgroup::{Accumulator, Across, Descriptor};
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
fn by_warp<A: Multiply<B>, B: Element>(input: &[u32], output: GlobalMut<A::Sum>) {
    shared! {
        static LEFT: [SwizzledTile<[u32; 128]>; 1];
        static RIGHT: [SwizzledTile<[u32; 64]>; 1];
    }
    fill(LEFT.tile(0), input, 0, |i| i);
    fill(RIGHT.tile(0), input, 128, |i| i);
    sync_threads();
    let lane = thread_idx_x();
    let index = |i| {
        let (row, column) = Sum::<A::Sum>::position(lane, i);
        row * warp::COLUMNS + column
    };
    // SAFETY: written before the barrier; each element of the output is one lane's.
    unsafe {
        let left = Left::<A>::load(LEFT.tile(0).as_ptr().cast(), warp::BYTES);
        let right = Right::<B>::load_transpose(RIGHT.tile(0).as_ptr().cast(), warp::BYTES);
        let before = core::array::from_fn(|i| output.get(index(i)));
        let sum = multiply_add(&left, &right, Sum::of(before));
        for (i, element) in sum.elements().into_iter().enumerate() {
            output.set(index(i), element);
        }
    }
}

macro_rules! by_warp {
    ($($name:ident: $left:ty, $right:ty, $sum:ty;)*) => {$(
        /// By `mma.sync`; a warp.
        #[kernel]
        #[launch_contract(dims = 1, block = (32))]
        pub fn $name(input: &[u32], output: GlobalMut<$sum>) {
            by_warp::<$left, $right>(input, output);
        }
    )*};
}
by_warp! {
    warp_f16: F16, F16, f32;
    warp_bf16: Bf16, Bf16, f32;
    warp_tf32: Tf32, Tf32, f32;
    warp_s8: S8, S8, i32;
    warp_u8: U8, U8, i32;
    warp_bytes: U8, S8, i32;
    warp_s4: S4, S4, i32;
    warp_nibbles: S4, U4, i32;
    warp_bits: B1, B1, i32;
}

/// By `mma.sync` of `f64`; a warp: 8 rows of 4 of `input` times the transpose of the 8 rows behind them, added to `output`.
#[kernel]
#[launch_contract(dims = 1, block = (32))]
pub fn warp_f64(input: &[f64], output: GlobalMut<f64>) {
    let lane = thread_idx_x() as usize;
    let [left, right] = [0, 32].map(|start| input.get(start + lane).copied().unwrap_or(0.0));
    // SAFETY: each element of the output is one lane's.
    unsafe {
        let before = [output.get(2 * lane), output.get(2 * lane + 1)];
        for (i, sum) in multiply_add_f64(left, right, before)
            .into_iter()
            .enumerate()
        {
            output.set(2 * lane + i, sum);
        }
    }
}

/// 16 rows of 16 bytes of `input` by `ldmatrix`, and to another place by `stmatrix`: by one, by two, by two transposed on both ways, and by one transposed on the way back.
#[kernel]
#[launch_contract(dims = 1, block = (32))]
pub fn matrices_there_and_back(input: &[u32], output: GlobalMut<u32>) {
    shared! {
        static FROM: [SwizzledTile<[u32; 64]>; 1];
        static TO: [SwizzledTile<[u32; 64]>; 1];
    }
    fill(FROM.tile(0), input, 0, |i| i);
    let lane = thread_idx_x() as usize;
    let row =
        |tile: *mut u32, first: usize| tile.cast::<u8>().wrapping_add(16 * (first + lane) % 256);
    for turn in 0..4 {
        sync_threads();
        let (from, to) = (FROM.tile(0).as_ptr(), TO.tile(0).as_ptr());
        // SAFETY: each lane names a row that is there; all lanes come here, and a barrier stands between writes and reads.
        unsafe {
            match turn {
                0 => {
                    let [first] = load_matrices(row(from, 0));
                    let [second] = load_matrices(row(from, 8));
                    store_matrices(row(to, 0), [first]);
                    store_matrices(row(to, 8), [second]);
                }
                1 => store_matrices(row(to, 0), load_matrices::<2>(row(from, 0))),
                2 => store_matrices_transposed(
                    row(to, 0),
                    load_matrices_transposed::<2>(row(from, 0)),
                ),
                _ => {
                    let [first] = load_matrices(row(from, 0));
                    store_matrices_transposed(row(to, 0), [first]);
                }
            }
        }
        sync_threads();
        for i in (lane..64).step_by(32) {
            // SAFETY: stored before the barrier; each element of the output is one lane's.
            unsafe { output.set(64 * turn + i, TO.tile(0).get(i)) };
        }
    }
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
        store_matrices::<4>(row, core::array::from_fn(|i| 100 * lane + i as u32));
    }
    sync_threads();
    for i in (lane as usize..128).step_by(32) {
        // SAFETY: stored before the barrier; each element of the output is one lane's.
        unsafe { output.set(i, tile.get(i)) };
    }
}

/// 64 rows of 128 bytes from word 0 of `input` to one tile, and as many as there is room for from word 2048 on to another; both as `wgmma` wants them.
#[inline(always)]
fn fill_tiles<A, B>(input: &[u32]) -> (*const A, *const B) {
    shared! {
        static LEFT: [SwizzledTile<[u32; 2048]>; 1];
        static RIGHT: [SwizzledTile<[u32; 8192]>; 1];
    }
    let swizzled = |i| tma::swizzled(4 * i) / 4;
    fill(LEFT.tile(0), input, 0, swizzled);
    fill(RIGHT.tile(0), input, 2048, swizzled);
    bulk::fence_proxy_async();
    sync_threads();
    (LEFT.tile(0).as_ptr().cast(), RIGHT.tile(0).as_ptr().cast())
}

macro_rules! by_warpgroup {
    ($($signs:ident $name:ident: $left:ty, $right:ty, $sum:ty, $registers:literal;)*) => {$(
        /// The left tile times the transpose of the right one, twice; by `wgmma`, a warpgroup.
        #[kernel(min_arch = "sm_90a")]
        #[launch_contract(dims = 1, block = (128))]
        pub fn $name(input: &[u32], output: GlobalMut<$sum>) {
            let (left, right) = fill_tiles(input);
            let left = Descriptor::<$left>::of_tile(left);
            let right = Descriptor::<$right>::of_tile(right);
            let mut sum = Accumulator::<$sum, $registers>::zero();
            // SAFETY: written before the fence and the barrier, and by nobody after.
            unsafe {
                sum.multiply_add(left, right);
                let mut products = sum.start();
                products.multiply_add(left, right); // a sum from before counts
                products.wait_for_previous();
                by_warpgroup!(@ $signs products, left, right);
                products.finish();
            }
            sum.for_each(|row, column, element| {
                let index = row * 2 * $registers + column;
                if index < output.len() {
                    // SAFETY: each element is one thread's.
                    unsafe { output.set_unchecked(index, element) };
                }
            });
        }
    )*};
    (@ float $products:ident, $left:ident, $right:ident) => {
        $products.multiply_add($left, $right);
        $products.multiply_subtract($left, $right);
    };
    (@ integer $products:ident, $left:ident, $right:ident) => {};
}
by_warpgroup! {
    float warpgroup_f16: F16, F16, f32, 32;
    float warpgroup_bf16: Bf16, Bf16, f32, 128;
    float warpgroup_tf32: Tf32, Tf32, f32, 64;
    float warpgroup_e4m3: E4m3, E4m3, f32, 4;
    float warpgroup_e5m2: E5m2, E5m2, f32, 96;
    float warpgroup_mixed: E4m3, E5m2, f32, 16;
    integer warpgroup_s8: S8, S8, i32, 64;
    integer warpgroup_u8: U8, U8, i32, 32;
    integer warpgroup_bytes: S8, U8, i32, 48;
    integer warpgroup_bits: B1, B1, i32, 8;
}

/// As the others, with a sum of half floats: 64 columns.
#[kernel(min_arch = "sm_90a")]
#[launch_contract(dims = 1, block = (128))]
pub fn warpgroup_half(input: &[u32], output: GlobalMut<f32>) {
    let (left, right) = fill_tiles(input);
    let left = Descriptor::<F16>::of_tile(left);
    let right = Descriptor::<F16>::of_tile(right);
    let mut sum = Accumulator::<F16x2, 16>::zero();
    // SAFETY: written before the fence and the barrier, and by nobody after.
    unsafe { sum.multiply_add(left, right) };
    sum.map(|_, _, pair| pair + pair);
    sum.for_each(|row, column, pair| {
        for (i, element) in [(0, pair.low), (1, pair.high)] {
            let index = row * 64 + column + i;
            if index < output.len() {
                // SAFETY: each element is one thread's.
                unsafe { output.set_unchecked(index, element.into()) };
            }
        }
    });
}

/// The left operand in registers, from rows of 32 bytes in shared memory: 64 rows of 64 `bf16`, times 64 columns, twice.
#[kernel(min_arch = "sm_90a")]
#[launch_contract(dims = 1, block = (128))]
pub fn warpgroup_registers(input: &[u32], output: GlobalMut<f32>) {
    shared! { static PLAIN: [SwizzledTile<[u32; 2048]>; 1]; }
    fill(PLAIN.tile(0), input, 0, |i| i);
    let (_, right) = fill_tiles::<u16, u16>(input);
    let right = Descriptor::<Bf16>::of_tile(right);
    let rows = PLAIN.tile(0).as_ptr().cast::<u16>();
    let mut sum = Accumulator::<f32, 32>::zero();
    // SAFETY: written before the fence and the barrier, and by nobody after; a warp has 16 rows of 64 elements.
    unsafe {
        let rows = rows.add(thread_idx_x() as usize / 32 * 16 * 64);
        let steps = [0, 16, 32, 48].map(|k| Left::<Bf16>::load(rows.add(k), 128));
        for _ in 0..2 {
            let mut products = sum.start();
            let [first, second, third, fourth] = &steps;
            products.multiply_add_registers(first, right);
            products.multiply_add_registers(second, right.advance(32));
            products.multiply_add_registers(third, right.advance(64));
            products.multiply_add_registers(fourth, right.advance(96));
        }
    }
    sum.for_each(|row, column, element| {
        let index = row * 64 + column;
        if index < output.len() {
            // SAFETY: each element is one thread's.
            unsafe { output.set_unchecked(index, element) };
        }
    });
}

/// Both operands across the inner dimension: the transpose of 64 rows of 64 `bf16` times 64 rows of 64, twice.
#[kernel(min_arch = "sm_90a")]
#[launch_contract(dims = 1, block = (128))]
pub fn warpgroup_across(input: &[u32], output: GlobalMut<f32>) {
    let (left, right) = fill_tiles(input);
    let left = Descriptor::<Bf16, Across>::of_tiles_across(left, 0);
    let right = Descriptor::<Bf16, Across>::of_tiles_across(right, 0);
    let mut sum = Accumulator::<f32, 32>::zero();
    // SAFETY: written before the fence and the barrier, and by nobody after.
    unsafe {
        sum.multiply_add(left, right);
        sum.multiply_add(left, right);
    }
    sum.for_each(|row, column, element| {
        let index = row * 64 + column;
        if index < output.len() {
            // SAFETY: each element is one thread's.
            unsafe { output.set_unchecked(index, element) };
        }
    });
}
