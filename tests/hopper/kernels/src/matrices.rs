//! Products of single tiles, by a warp and by a warpgroup, for each type of elements.

use lanewise_macros::{kernel, shared};
use lanewise_std::fence::fence_proxy_async_shared;
use lanewise_std::half::F16x2;
use lanewise_std::matrix::element::{B1, Bf16, E4m3, E5m2, F16, S4, S8, Tf32, U4, U8};
use lanewise_std::matrix::warp::{
    self, Left, Right, Sum, load_matrices, load_matrices_transposed, multiply_add,
    multiply_add_f64, multiply_add_f64_deep, multiply_add_saturating, store_matrices,
    store_matrices_transposed,
};
use lanewise_std::matrix::warpgroup::{
    Accumulator, Accumulator64, Across, Descriptor, SumRegisters,
};
use lanewise_std::matrix::{Element, Register};
use lanewise_std::thread::{block_dim_x, sync_threads, thread_idx_x};
use lanewise_std::tma::{self, SwizzledTile};
use lanewise_std::{GlobalMut, SharedArray};

/// Copies the words of `input` from `start` on to a tile, `N` of them.
#[inline(always)]
pub(crate) fn fill<const N: usize>(
    tile: SharedArray<u32, N>,
    input: &[u32],
    start: usize,
    place: impl Fn(usize) -> usize,
) {
    for i in (thread_idx_x() as usize..N).step_by(block_dim_x() as usize) {
        let word = input.get(start + i).copied().unwrap_or(0);
        let place = place(i);
        // A panic would call a function, which has ptxas run `wgmma` one after another.
        if place < N {
            // SAFETY: in bounds; each word is one thread's, until the barrier that the
            // caller comes to.
            unsafe { tile.set_unchecked(place, word) };
        }
    }
}

/// 16 rows of `8 * L` bytes from word 0 of `input` times the transpose of 8 rows of `16 * R` bytes
/// from word 128 on, added to the words of `output`.
#[inline(always)]
pub(crate) fn by_warp<
    A: Element,
    const L: usize,
    B: Element,
    const R: usize,
    T: Copy,
    const S: usize,
>(
    input: &[u32],
    output: GlobalMut<T>,
    multiply: impl Fn(&Left<A, L>, &Right<B, R>, Sum<T, S>) -> Sum<T, S>,
) {
    shared! {
        static LEFT: [SwizzledTile<[u32; 128]>; 1];
        static RIGHT: [SwizzledTile<[u32; 128]>; 1];
    }
    fill(LEFT.tile(0), input, 0, |i| i);
    fill(RIGHT.tile(0), input, 128, |i| i);
    sync_threads();
    let lane = thread_idx_x();
    // Registers that hold two neighbours are elements of the output as they are.
    let index = |i| {
        let (row, column) = Sum::<T, S>::position(lane, i);
        (row * warp::COLUMNS + column) * S / 4
    };
    // SAFETY: written before the barrier; each element of the output is one lane's.
    unsafe {
        let left = Left::<A, L>::load(LEFT.tile(0).as_ptr().cast(), 8 * L);
        let right = Right::<B, R>::load_transpose(RIGHT.tile(0).as_ptr().cast(), 16 * R);
        let before = core::array::from_fn(|i| output.get(index(i)));
        let sum = multiply(&left, &right, Sum::of(before));
        for (i, element) in sum.elements().into_iter().enumerate() {
            output.set(index(i), element);
        }
    }
}

macro_rules! by_warp {
    ($($name:ident: $left:ident $in_left:literal, $right:ident $in_right:literal, $sum:ident $in_sum:literal, $multiply:expr;)*) => {$(
        /// By `mma.sync`, with one warp.
        #[kernel]
        #[launch_contract(dims = 1, block = (32))]
        pub fn $name(input: &[u32], output: GlobalMut<$sum>) {
            by_warp::<$left, $in_left, $right, $in_right, $sum, $in_sum>(input, output, $multiply);
        }
    )*};
}
by_warp! {
    warp_f16: F16 4, F16 2, f32 4, multiply_add;
    warp_bf16: Bf16 4, Bf16 2, f32 4, multiply_add;
    warp_tf32: Tf32 4, Tf32 2, f32 4, multiply_add;
    warp_e4m3: E4m3 4, E4m3 2, f32 4, multiply_add;
    warp_e5m2: E5m2 4, E5m2 2, f32 4, multiply_add;
    warp_floats: E4m3 4, E5m2 2, f32 4, multiply_add;
    warp_s8: S8 4, S8 2, i32 4, multiply_add;
    warp_u8: U8 4, U8 2, i32 4, multiply_add;
    warp_bytes: U8 4, S8 2, i32 4, multiply_add;
    warp_s4: S4 4, S4 2, i32 4, multiply_add;
    warp_nibbles: S4 4, U4 2, i32 4, multiply_add;
    warp_bits: B1 4, B1 2, i32 4, multiply_add;
    warp_f16_half: F16 2, F16 1, f32 4, multiply_add;
    warp_bf16_half: Bf16 2, Bf16 1, f32 4, multiply_add;
    warp_tf32_half: Tf32 2, Tf32 1, f32 4, multiply_add;
    warp_e4m3_half: E4m3 2, E4m3 1, f32 4, multiply_add;
    warp_s8_half: S8 2, S8 1, i32 4, multiply_add;
    warp_nibbles_half: U4 2, S4 1, i32 4, multiply_add;
    warp_bits_half: B1 2, B1 1, i32 4, multiply_add;
    warp_f16_sum: F16 4, F16 2, F16x2 2, multiply_add;
    warp_f16_sum_half: F16 2, F16 1, F16x2 2, multiply_add;
    warp_e5m2_sum: E5m2 4, E5m2 2, F16x2 2, multiply_add;
    warp_floats_sum_half: E5m2 2, E4m3 1, F16x2 2, multiply_add;
    warp_s8_saturating: S8 4, S8 2, i32 4, multiply_add_saturating;
    warp_u4_saturating: U4 2, U4 1, i32 4, multiply_add_saturating;
}

/// By `mma.sync` of `f64`, with one warp: 8 rows of 4 of `input` times the transpose of the 8 rows
/// after them, added to `output`.
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

/// By `mma.sync` of `f64`, `4 * R` deep, with one warp: 16 rows of `input` times the transpose of
/// the 8 rows after them, added to `output`.
#[kernel(instances(1, 2, 4))]
#[launch_contract(dims = 1, block = (32))]
pub fn warp_f64_deep<const R: usize>(input: &[f64], output: GlobalMut<f64>) {
    let lane = thread_idx_x() as usize;
    let element = |row: usize, k: usize| input.get(row * 4 * R + k).copied().unwrap_or(0.0);
    let right: [f64; R] = core::array::from_fn(|i| element(16 + lane / 4, lane % 4 + 4 * i));
    let left = |i: usize| element(lane / 4 + 8 * (i % 2), lane % 4 + 4 * (i / 2));
    let index = |i| {
        let (row, column) = Sum::<f64>::position(lane as u32, i);
        row * warp::COLUMNS + column
    };
    // SAFETY: each element of the output is one lane's.
    unsafe {
        let before = Sum::of(core::array::from_fn(|i| output.get(index(i))));
        // Twice as many of the left operand as of the right one, which a const
        // parameter cannot say.
        let sum = match R {
            1 => multiply_add_f64_deep::<2, 1>(
                core::array::from_fn(left),
                core::array::from_fn(|i| right[i]),
                before,
            ),
            2 => multiply_add_f64_deep::<4, 2>(
                core::array::from_fn(left),
                core::array::from_fn(|i| right[i % R]),
                before,
            ),
            _ => multiply_add_f64_deep::<8, 4>(
                core::array::from_fn(left),
                core::array::from_fn(|i| right[i % R]),
                before,
            ),
        };
        for (i, element) in sum.elements().into_iter().enumerate() {
            output.set(index(i), element);
        }
    }
}

/// 16 rows of 16 bytes of `input` by `ldmatrix`, and to another place by `stmatrix`: one matrix,
/// two, two that are transposed both ways, and one that is transposed on the way back.
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
        // SAFETY: each lane names a row that is there; all lanes come here, and a barrier stands
        // between writes and reads.
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

/// The right operand in row-major order: 16 rows of 8 half floats from word 128 on.
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

/// Four registers of each lane to shared memory by `stmatrix`, and from there word by word to
/// `output`: lane `l` gives `100 * l + i`.
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

/// Copies 64 rows of 128 bytes from word 0 of `input` to one tile, and as many as fit from word
/// 2048 on to another. Both are in the layout that `wgmma` needs.
#[inline(always)]
pub(crate) fn fill_tiles<A, B>(input: &[u32]) -> (*const A, *const B) {
    shared! {
        static LEFT: [SwizzledTile<[u32; 2048]>; 1];
        static RIGHT: [SwizzledTile<[u32; 8192]>; 1];
    }
    let swizzled = |i| tma::swizzled(4 * i) / 4;
    fill(LEFT.tile(0), input, 0, swizzled);
    fill(RIGHT.tile(0), input, 2048, swizzled);
    fence_proxy_async_shared();
    sync_threads();
    (LEFT.tile(0).as_ptr().cast(), RIGHT.tile(0).as_ptr().cast())
}

/// Writes a sum row by row, one register per element.
#[inline(always)]
pub(crate) fn show<T: Register, const REGISTERS: usize>(
    sum: &Accumulator<T, REGISTERS>,
    output: GlobalMut<T>,
) where
    [u32; REGISTERS]: SumRegisters,
{
    sum.for_each(|row, column, register| {
        let index = (row * Accumulator::<T, REGISTERS>::COLUMNS + column) / T::ELEMENTS;
        if index < output.len() {
            // SAFETY: each element is one thread's.
            unsafe { output.set_unchecked(index, register) };
        }
    });
}

macro_rules! by_warpgroup {
    ($($signs:ident $name:ident: $left:ty, $right:ty, $sum:ty, $registers:literal;)*) => {$(
        /// The left tile times the transpose of the right one, twice, by `wgmma`; one warpgroup.
        #[kernel(min_arch = "sm_90a")]
        #[launch_contract(dims = 1, block = (128))]
        pub fn $name(input: &[u32], output: GlobalMut<$sum>) {
            let (left, right) = fill_tiles(input);
            let left = Descriptor::<$left>::of_tile(left);
            let right = Descriptor::<$right>::of_tile(right);
            let mut sum = Accumulator::<$sum, $registers>::zero();
            // SAFETY: written before the fence and the barrier, and not after.
            unsafe {
                sum.multiply_add(left, right);
                let mut products = sum.start();
                products.multiply_add(left, right); // a sum from before counts
                products.wait_for_previous();
                by_warpgroup!(@ $signs products, left, right);
                products.finish();
            }
            show(&sum, output);
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
    float warpgroup_24: F16, F16, f32, 12;
    float warpgroup_40: Bf16, Bf16, f32, 20;
    float warpgroup_136: E5m2, E4m3, f32, 68;
    float warpgroup_248: Tf32, Tf32, f32, 124;
    integer warpgroup_48: U8, S8, i32, 24;
    integer warpgroup_112: S8, S8, i32, 56;
    integer warpgroup_240: B1, B1, i32, 120;
}

macro_rules! by_warpgroup_in_halves {
    ($($name:ident: $left:ty, $right:ty, $registers:literal;)*) => {$(
        /// As the others, with a sum of half floats, which is doubled at the end.
        #[kernel(min_arch = "sm_90a")]
        #[launch_contract(dims = 1, block = (128))]
        pub fn $name(input: &[u32], output: GlobalMut<f32>) {
            let (left, right) = fill_tiles(input);
            let left = Descriptor::<$left>::of_tile(left);
            let right = Descriptor::<$right>::of_tile(right);
            let mut sum = Accumulator::<F16x2, $registers>::zero();
            // SAFETY: written before the fence and the barrier, and not after.
            unsafe { sum.multiply_add(left, right) };
            sum.map(|_, _, pair| pair + pair);
            sum.for_each(|row, column, pair| {
                for (i, element) in [(0, pair.low), (1, pair.high)] {
                    let index = row * 4 * $registers + column + i;
                    if index < output.len() {
                        // SAFETY: each element is one thread's.
                        unsafe { output.set_unchecked(index, element.into()) };
                    }
                }
            });
        }
    )*};
}
by_warpgroup_in_halves! {
    warpgroup_half: F16, F16, 16;
    warpgroup_half_8: E4m3, E5m2, 2;
    warpgroup_half_104: F16, F16, 26;
    warpgroup_half_200: E5m2, E5m2, 50;
}

/// The left operand in registers, from rows of 32 bytes in shared memory: 64 rows of 64 `bf16`,
/// times 64 columns, twice.
#[kernel(min_arch = "sm_90a")]
#[launch_contract(dims = 1, block = (128))]
pub fn warpgroup_registers(input: &[u32], output: GlobalMut<f32>) {
    shared! { static PLAIN: [SwizzledTile<[u32; 2048]>; 1]; }
    fill(PLAIN.tile(0), input, 0, |i| i);
    let (_, right) = fill_tiles::<Bf16, Bf16>(input);
    let right = Descriptor::<Bf16>::of_tile(right);
    let rows = PLAIN.tile(0).as_ptr().cast::<Bf16>();
    let mut sum = Accumulator64::<f32>::zero();
    // SAFETY: written before the fence and the barrier, and not after; a warp has 16 rows
    // of 64 elements.
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
    show(&sum, output);
}

/// Both operands in the layout with the other major dimension: the transpose of 64 rows of 64
/// `bf16` times 64 rows of 64, twice.
#[kernel(min_arch = "sm_90a")]
#[launch_contract(dims = 1, block = (128))]
pub fn warpgroup_across(input: &[u32], output: GlobalMut<f32>) {
    let (left, right) = fill_tiles(input);
    let left = Descriptor::<Bf16, Across>::of_tiles_across(left, 0);
    let right = Descriptor::<Bf16, Across>::of_tiles_across(right, 0);
    let mut sum = Accumulator64::<f32>::zero();
    // SAFETY: written before the fence and the barrier, and not after.
    unsafe {
        sum.multiply_add(left, right);
        sum.multiply_add(left, right);
    }
    show(&sum, output);
}
