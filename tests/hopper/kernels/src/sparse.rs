//! Products whose left operand stores only half of its elements, by a warp and
//! by a warpgroup.

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::half::F16x2;
use lanewise_std::matrix::Element;
use lanewise_std::matrix::element::{Bf16, E4m3, E5m2, F16, S4, S8, Tf32, U4, U8};
use lanewise_std::matrix::sparse::{GROUPS, Metadata, OneOfTwo, SparseElement, TwoOfFour};
use lanewise_std::matrix::warp::{Left, Right, Sum, multiply_add_sparse};
use lanewise_std::matrix::warpgroup::{Accumulator, Descriptor};
use lanewise_std::thread::thread_idx_x;
use lanewise_std::tma::SwizzledTile;

use crate::matrices::{self, fill, fill_tiles, show};

/// The metadata of a group, from a number that the host passes.
trait Choice {
    fn of(number: u32) -> Self;
}
impl Choice for TwoOfFour {
    fn of(number: u32) -> Self {
        TwoOfFour::ALL[number as usize % 6]
    }
}
impl Choice for OneOfTwo {
    fn of(number: u32) -> Self {
        match number % 2 {
            0 => OneOfTwo::First,
            _ => OneOfTwo::Second,
        }
    }
}

/// Where the numbers begin in a warp's input: after 128 words of each operand.
pub const OF_WARP: usize = 256;
/// Where the numbers begin in a warpgroup's input: after both tiles.
pub const OF_WARPGROUP: usize = 2048 + 8192;

/// The metadata of 16 rows and 16 groups from these on, of rows with `groups`; a number for each,
/// from `start` on.
#[inline(always)]
fn metadata<E: SparseElement<Kept: Choice>>(
    input: &[u32],
    start: usize,
    (first_row, first_group, groups): (usize, usize, usize),
) -> Metadata<E> {
    Metadata::from_fn(|row, group| {
        let index = start + (first_row + row) * groups + first_group + group;
        Choice::of(input.get(index).copied().unwrap_or(0))
    })
}

/// 16 stored rows of `8 * L` bytes from word 0 of `input`, times the transpose of 8 rows of
/// `16 * R` bytes from word 128 on, added to `output`.
#[inline(always)]
fn by_warp<A, const L: usize, B: Element, const R: usize, T: Copy, const S: usize>(
    input: &[u32],
    output: GlobalMut<T>,
    multiply: impl Fn(&Left<A, L>, Metadata<A>, &Right<B, R>, Sum<T, S>) -> Sum<T, S>,
) where
    A: SparseElement<Kept: Choice>,
{
    let metadata = metadata::<A>(input, OF_WARP, (0, 0, GROUPS));
    matrices::by_warp(input, output, |left, right, sum| {
        multiply(left, metadata, right, sum)
    });
}

macro_rules! by_warp {
    ($($name:ident: $left:ident $in_left:literal, $right:ident $in_right:literal, $sum:ident $in_sum:literal, $part:literal;)*) => {$(
        /// By `mma.sp`, with one warp. The groups are those of one part.
        #[kernel]
        #[launch_contract(dims = 1, block = (32))]
        pub fn $name(input: &[u32], output: GlobalMut<$sum>) {
            by_warp::<$left, $in_left, $right, $in_right, $sum, $in_sum>(input, output, |left, metadata, right, sum| {
                multiply_add_sparse(left, metadata.part::<$part>(), right, sum)
            });
        }
    )*};
}
by_warp! {
    sparse_f16: F16 4, F16 4, f32 4, 0;
    sparse_f16_second: F16 4, F16 4, f32 4, 1;
    sparse_f16_sum: F16 4, F16 4, F16x2 2, 1;
    sparse_bf16_half: Bf16 2, Bf16 2, f32 4, 2;
    sparse_f16_sum_half: F16 2, F16 2, F16x2 2, 3;
    sparse_tf32: Tf32 4, Tf32 4, f32 4, 1;
    sparse_tf32_half: Tf32 2, Tf32 2, f32 4, 3;
    sparse_floats: E4m3 4, E5m2 4, f32 4, 0;
    sparse_s8: S8 4, S8 4, i32 4, 0;
    sparse_bytes_half: U8 2, S8 2, i32 4, 1;
    sparse_u4: U4 4, U4 4, i32 4, 0;
    sparse_nibbles_half: S4 2, U4 2, i32 4, 1;
}

/// Two products, one after the other along the inner dimension. The stored left tile is 64 bytes
/// wide, and the right tile 128.
macro_rules! by_warpgroup {
    ($($name:ident: $left:ident, $right:ident, $sum:ident $registers:literal, $parts:ident;)*) => {$(
        /// By `wgmma.sp`, with one warpgroup.
        #[kernel(min_arch = "sm_90a")]
        #[launch_contract(dims = 1, block = (128))]
        pub fn $name(input: &[u32], output: GlobalMut<$sum>) {
            let (left, right) = fill_tiles(input);
            let left = Descriptor::<$left>::of_tile(left);
            let right = Descriptor::<$right>::of_tile(right);
            let first_row = thread_idx_x() as usize / 32 * 16;
            let mut sum = Accumulator::<$sum, $registers>::zero();
            let mut products = sum.start();
            // SAFETY: written before the fence and the barrier, and not after.
            unsafe { by_warpgroup!(@ $parts products, input, first_row, left, right, $left) };
            products.finish();
            show(&sum, output);
        }
    )*};
    // 16 groups are the whole depth.
    (@ two $products:ident, $input:ident, $first_row:ident, $left:ident, $right:ident, $element:ident) => {{
        let both = metadata::<$element>($input, OF_WARPGROUP, ($first_row, 0, GROUPS));
        $products.multiply_add_sparse($left, both.part::<0>(), $right);
        $products.multiply_add_sparse($left.advance(32), both.part::<1>(), $right.advance(64));
    }};
    // They are half of it.
    (@ one $products:ident, $input:ident, $first_row:ident, $left:ident, $right:ident, $element:ident) => {{
        let [first, second] = [0, GROUPS].map(|group| {
            metadata::<$element>($input, OF_WARPGROUP, ($first_row, group, 2 * GROUPS))
        });
        $products.multiply_add_sparse($left, first.part::<0>(), $right);
        $products.multiply_add_sparse($left.advance(32), second.part::<0>(), $right.advance(64));
    }};
}
by_warpgroup! {
    warpgroup_sparse_f16: F16, F16, f32 32, two;
    warpgroup_sparse_bf16: Bf16, Bf16, f32 44, two;
    warpgroup_sparse_tf32: Tf32, Tf32, f32 20, two;
    warpgroup_sparse_floats: E4m3, E5m2, f32 8, one;
    warpgroup_sparse_s8: S8, S8, i32 64, one;
    warpgroup_sparse_bytes: U8, S8, i32 24, one;
    warpgroup_sparse_half: F16, F16, F16x2 6, two;
}

/// The stored elements of the left operand in registers, from rows of 128 bytes of which the first
/// 64 are used; 64 columns.
#[kernel(min_arch = "sm_90a")]
#[launch_contract(dims = 1, block = (128))]
pub fn warpgroup_sparse_registers(input: &[u32], output: GlobalMut<f32>) {
    shared! { static PLAIN: [SwizzledTile<[u32; 2048]>; 1]; }
    fill(PLAIN.tile(0), input, 0, |i| i);
    let (_, right) = fill_tiles::<Bf16, Bf16>(input);
    let right = Descriptor::<Bf16>::of_tile(right);
    let first_row = thread_idx_x() as usize / 32 * 16;
    let mut sum = Accumulator::<f32, 32>::zero();
    // SAFETY: written before the fence and the barrier, and not after; a warp has 16 rows
    // of 64 elements.
    unsafe {
        let rows = PLAIN.tile(0).as_ptr().cast::<Bf16>().add(first_row * 64);
        let [first, second] = [0, 16].map(|k| Left::<Bf16>::load(rows.add(k), 128));
        let both = metadata::<Bf16>(input, OF_WARPGROUP, (first_row, 0, GROUPS));
        let mut products = sum.start();
        products.multiply_add_sparse_registers(&first, both.part::<0>(), right);
        products.multiply_add_sparse_registers(&second, both.part::<1>(), right.advance(64));
    }
    show(&sum, output);
}
