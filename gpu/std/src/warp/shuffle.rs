//! Shuffles: a lane reads another lane's register.
//!
//! With a width of 2, 4, 8 or 16, the warp is divided into segments of that many lanes. Each
//! segment works like a small warp. A lane never reads from another segment. PTX ISA, "shfl.sync";
//! CUDA C++ Programming Guide, "Warp Shuffle Functions".

use crate::intrinsics;

use super::WARP_SIZE;

/// A value that lanes can exchange. It consists of 32-bit words, and each word
/// takes one `shfl.sync`.
///
/// # Safety
/// `map` calls its function on the same number of words in every thread (so that all lanes execute
/// each shuffle), and builds a value from the results. Any bits are a valid value of the type,
/// because the value from a lane that does not take part is unspecified.
pub unsafe trait Shuffle: Copy {
    /// Returns the value whose words are the results of `exchange` on this value's words.
    #[must_use]
    fn map(self, exchange: impl Fn(u32) -> u32) -> Self;
}

macro_rules! shuffle_one_word {
    ($($ty:ty: $to:expr, $from:expr;)*) => {
        $(
            // SAFETY: the value is one word.
            unsafe impl Shuffle for $ty {
                #[inline]
                fn map(self, exchange: impl Fn(u32) -> u32) -> Self {
                    $from(exchange($to(self)))
                }
            }
        )*
    };
}

shuffle_one_word! {
    u32: |x| x, |x| x;
    i32: |x| x as u32, |x| x as i32;
    u16: u32::from, |x| x as u16;
    i16: |x| x as u32, |x| x as i16;
    u8: u32::from, |x| x as u8;
    i8: |x| x as u32, |x| x as i8;
    f32: f32::to_bits, f32::from_bits;
}

// SAFETY: the value is two words, the low one and the high one.
unsafe impl Shuffle for u64 {
    #[inline]
    fn map(self, exchange: impl Fn(u32) -> u32) -> Self {
        let (low, high) = (exchange(self as u32), exchange((self >> 32) as u32));
        u64::from(high) << 32 | u64::from(low)
    }
}

macro_rules! shuffle_two_words {
    ($($ty:ty: $to:expr, $from:expr;)*) => {
        $(
            // SAFETY: as for `u64`.
            unsafe impl Shuffle for $ty {
                #[inline]
                fn map(self, exchange: impl Fn(u32) -> u32) -> Self {
                    $from($to(self).map(exchange))
                }
            }
        )*
    };
}

shuffle_two_words! {
    i64: |x| x as u64, |x| x as i64;
    usize: |x| x as u64, |x| x as usize;
    isize: |x| x as u64, |x| x as isize;
    f64: f64::to_bits, f64::from_bits;
}

// SAFETY: the array has as many words as its elements together, which is the same number
// in every thread.
unsafe impl<T: Shuffle, const N: usize> Shuffle for [T; N] {
    #[inline]
    fn map(self, exchange: impl Fn(u32) -> u32) -> Self {
        <[T; N]>::map(self, |element| element.map(&exchange))
    }
}

macro_rules! shuffle_tuples {
    ($($($part:ident)*;)*) => {
        $(
            // SAFETY: the tuple has as many words as its parts together.
            unsafe impl<$($part: Shuffle),*> Shuffle for ($($part,)*) {
                #[inline]
                fn map(self, exchange: impl Fn(u32) -> u32) -> Self {
                    #[allow(non_snake_case, reason = "the type's name serves as the value's")]
                    let ($($part,)*) = self;
                    ($($part.map(&exchange),)*)
                }
            }
        )*
    };
}

shuffle_tuples! {
    A B;
    A B C;
    A B C D;
}

/// Returns operand c of `shfl.sync` for segments of `width` lanes: the segment mask, and the lane
/// at which a segment ends.
///
/// `last` is 31 for the modes that count up to the segment's end. It is 0 for `up`, which counts
/// down to the segment's start.
#[inline]
fn clamp(width: u32, last: u32) -> u32 {
    debug_assert!(width.is_power_of_two() && width <= WARP_SIZE);
    (WARP_SIZE - width) << 8 | last
}

/// Returns the value of lane `lane`. Every lane in `mask` may pass a different `lane`.
#[doc(alias = "__shfl_sync")]
#[doc(alias = "shfl.sync.idx")]
#[inline]
#[must_use]
pub fn shuffle_sync<T: Shuffle>(mask: u32, value: T, lane: u32) -> T {
    shuffle_sync_width(mask, value, lane, WARP_SIZE)
}

/// Does the same as [`shuffle_sync`] in segments of `width` lanes. The lane is `lane % width`
/// of this segment.
#[doc(alias = "__shfl_sync")]
#[inline]
#[must_use]
pub fn shuffle_sync_width<T: Shuffle>(mask: u32, value: T, lane: u32, width: u32) -> T {
    // SAFETY: a shuffle reads only registers.
    value.map(|word| unsafe { intrinsics::shfl_idx(mask, word, lane, clamp(width, 31)) })
}

/// Returns the value of the lane whose number is lower by `delta`. The lowest `delta` lanes keep
/// their own value.
#[doc(alias = "__shfl_up_sync")]
#[doc(alias = "shfl.sync.up")]
#[inline]
#[must_use]
pub fn shuffle_up_sync<T: Shuffle>(mask: u32, value: T, delta: u32) -> T {
    shuffle_up_sync_width(mask, value, delta, WARP_SIZE)
}

/// Does the same as [`shuffle_up_sync`] in segments of `width` lanes.
#[doc(alias = "__shfl_up_sync")]
#[inline]
#[must_use]
pub fn shuffle_up_sync_width<T: Shuffle>(mask: u32, value: T, delta: u32, width: u32) -> T {
    // SAFETY: a shuffle reads only registers.
    value.map(|word| unsafe { intrinsics::shfl_up(mask, word, delta, clamp(width, 0)) })
}

/// Returns the value of the lane whose number is higher by `delta`. The highest `delta` lanes keep
/// their own value.
#[doc(alias = "__shfl_down_sync")]
#[doc(alias = "shfl.sync.down")]
#[inline]
#[must_use]
pub fn shuffle_down_sync<T: Shuffle>(mask: u32, value: T, delta: u32) -> T {
    shuffle_down_sync_width(mask, value, delta, WARP_SIZE)
}

/// Does the same as [`shuffle_down_sync`] in segments of `width` lanes.
#[doc(alias = "__shfl_down_sync")]
#[inline]
#[must_use]
pub fn shuffle_down_sync_width<T: Shuffle>(mask: u32, value: T, delta: u32, width: u32) -> T {
    // SAFETY: a shuffle reads only registers.
    value.map(|word| unsafe { intrinsics::shfl_down(mask, word, delta, clamp(width, 31)) })
}

/// Returns the value of the lane whose number is this lane's number XOR `lanes`
/// (a butterfly exchange).
#[doc(alias = "__shfl_xor_sync")]
#[doc(alias = "shfl.sync.bfly")]
#[inline]
#[must_use]
pub fn shuffle_xor_sync<T: Shuffle>(mask: u32, value: T, lanes: u32) -> T {
    shuffle_xor_sync_width(mask, value, lanes, WARP_SIZE)
}

/// Does the same as [`shuffle_xor_sync`] in segments of `width` lanes. A lane that would read from
/// a later segment keeps its own value.
#[doc(alias = "__shfl_xor_sync")]
#[inline]
#[must_use]
pub fn shuffle_xor_sync_width<T: Shuffle>(mask: u32, value: T, lanes: u32, width: u32) -> T {
    // SAFETY: a shuffle reads only registers.
    value.map(|word| unsafe { intrinsics::shfl_bfly(mask, word, lanes, clamp(width, 31)) })
}
