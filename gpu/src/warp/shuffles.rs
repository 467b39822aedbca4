//! The forms of the shuffle: which lane each lane reads from.
//!
//! Launch: 1-D grid of 1-D blocks of whole warps, at least one thread for each element (for
//! `shfl_xor_array`, `shfl_xor_int4` and `shfl_swap`: for each four). A warp is divided into
//! segments of `width` lanes, 2, 4, 8, 16 or 32. Each thread takes its
//! element of `input`, exchanges it within its segment, and writes the result to its element of
//! `output`. All lanes take part. Lanes without an element use zero; elements past the end of
//! either slice are left alone.
//! Shows: a lane names the lane that it reads *from*: by its number (`broadcast`, `wrap`), by a
//! distance below or above (`up`, `down`; lanes whose source would lie outside the segment keep
//! their own value), or by flipping bits of its own number (`xor`: lanes exchange in pairs).
//! Source: Professional CUDA C Programming, chapter 5; PTX ISA, "shfl.sync".

use lanewise_macros::{Value, kernel};
use lanewise_std::DisjointSlice;
use lanewise_std::thread;
use lanewise_std::warp::{
    FULL_MASK, lane_id, shuffle_down_sync_width, shuffle_sync_width, shuffle_up_sync_width,
    shuffle_xor_sync_width,
};

/// Four integers that are loaded and stored whole.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Value)]
pub struct Int4(pub [i32; 4]);

/// The element that the lower lane of a pair gives in `shfl_swap`.
pub const FIRST: usize = 0;
/// The element that the upper lane gives.
pub const SECOND: usize = 3;

/// Every lane reads lane `lane` of its segment.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn shfl_broadcast(input: &[i32], output: DisjointSlice<i32>, lane: u32, width: u32) {
    exchange(input, output, |value| {
        shuffle_sync_width(FULL_MASK, value, lane, width)
    });
}

/// Every lane reads the lane `delta` below: values move up.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn shfl_up(input: &[i32], output: DisjointSlice<i32>, delta: u32, width: u32) {
    exchange(input, output, |value| {
        shuffle_up_sync_width(FULL_MASK, value, delta, width)
    });
}

/// Every lane reads the lane `delta` above: values move down.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn shfl_down(input: &[i32], output: DisjointSlice<i32>, delta: u32, width: u32) {
    exchange(input, output, |value| {
        shuffle_down_sync_width(FULL_MASK, value, delta, width)
    });
}

/// Every lane reads the lane `offset` further on in the segment. A number past the segment's end
/// wraps around to its start.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn shfl_wrap(input: &[i32], output: DisjointSlice<i32>, offset: i32, width: u32) {
    exchange(input, output, |value| {
        let from = lane_id().wrapping_add_signed(offset);
        shuffle_sync_width(FULL_MASK, value, from, width)
    });
}

/// Lanes whose numbers differ in the bits of `mask` exchange their values.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn shfl_xor(input: &[i32], output: DisjointSlice<i32>, mask: u32, width: u32) {
    exchange(input, output, |value| {
        shuffle_xor_sync_width(FULL_MASK, value, mask, width)
    });
}

/// Exchanges four values per lane, with four shuffles. They have the alignment of one integer, but
/// a slice of them begins at a multiple of their size, so one instruction loads all four.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn shfl_xor_array(input: &[[i32; 4]], output: DisjointSlice<[i32; 4]>, mask: u32, width: u32) {
    exchange(input, output, |values| {
        values.map(|value| shuffle_xor_sync_width(FULL_MASK, value, mask, width))
    });
}

/// Exchanges four values that are aligned as a whole, with one load, one store, and the
/// same four shuffles.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn shfl_xor_int4(input: &[Int4], output: DisjointSlice<Int4>, mask: u32, width: u32) {
    exchange(input, output, |Int4(values)| {
        Int4(values.map(|value| shuffle_xor_sync_width(FULL_MASK, value, mask, width)))
    });
}

/// Of two lanes whose numbers differ in the bits of `mask`, the lower gives [`FIRST`] of its four
/// for [`SECOND`] of the upper's.
///
/// A shuffle gives and takes the same register. So the lower lane moves the value that it gives to
/// the position of the upper lane's value, and back afterwards.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn shfl_swap(input: &[[i32; 4]], output: DisjointSlice<[i32; 4]>, mask: u32, width: u32) {
    let is_lower = lane_id() < lane_id() ^ mask;
    exchange(input, output, |mut values| {
        if is_lower {
            values.swap(FIRST, SECOND);
        }
        values[SECOND] = shuffle_xor_sync_width(FULL_MASK, values[SECOND], mask, width);
        if is_lower {
            values.swap(FIRST, SECOND);
        }
        values
    });
}

/// Loads this thread's element, exchanges it among all lanes, and stores the result.
#[inline(always)]
fn exchange<T: Copy + Default>(
    input: &[T],
    mut output: DisjointSlice<T>,
    shuffle: impl FnOnce(T) -> T,
) {
    let index = thread::index_1d();
    let value = input.get(index.get()).copied().unwrap_or_default();
    let value = shuffle(value); // outside of any `if`: the mask says that all lanes come
    if let Some(element) = output.get_mut(index) {
        *element = value;
    }
}
