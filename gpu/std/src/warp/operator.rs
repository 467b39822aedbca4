//! The operators of reductions and scans, which combine two values into one.

use crate::warp;

/// An associative function of two values: the way that values are paired does not change the result
/// (for floats, it only changes the rounding).
///
/// Closures and functions are operators, for example `|a: u32, b: u32| a.min(b)`. Values are always
/// combined in the order of their threads, so an operator need not be commutative. The structs of
/// this module are the usual operators. For some of them the hardware has an instruction.
pub trait Operator<T>: Copy {
    /// Whether `combine(a, b)` and `combine(b, a)` are the same, bit for bit.
    const COMMUTATIVE: bool = false;

    /// Whether [`redux`](Self::redux) returns a value.
    #[doc(hidden)]
    const HAS_REDUX: bool = false;

    /// Combines two values; `a` belongs to the thread with the lower number.
    fn combine(&self, a: T, b: T) -> T;

    /// Returns the values of all lanes in `mask`, combined by one instruction (or one for each 32
    /// bits), if `sm_80` has such an instruction.
    #[doc(hidden)]
    #[inline(always)]
    fn redux(&self, mask: u32, value: T) -> Option<T> {
        let _ = (mask, value);
        None
    }
}

impl<T, F: Fn(T, T) -> T + Copy> Operator<T> for F {
    #[inline(always)]
    fn combine(&self, a: T, b: T) -> T {
        self(a, b)
    }
}

macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $name;
        )*
    };
}

operators! {
    /// The sum. A sum of integers is modulo 2^n for integers of n bits.
    #[doc(alias = "cg::plus")]
    #[doc(alias = "cuda::std::plus")]
    Sum;
    /// The product. A product of integers is modulo 2^n for integers of n bits.
    #[doc(alias = "cuda::std::multiplies")]
    Product;
    /// The minimum. It is NaN only if both values are NaN.
    #[doc(alias = "cg::less")]
    #[doc(alias = "cuda::minimum")]
    Min;
    /// The maximum. It is NaN only if both values are NaN.
    #[doc(alias = "cg::greater")]
    #[doc(alias = "cuda::maximum")]
    Max;
    /// The bits that are set in all values.
    #[doc(alias = "cg::bit_and")]
    BitAnd;
    /// The bits that are set in any value.
    #[doc(alias = "cg::bit_or")]
    BitOr;
    /// The bits that are set in an odd number of values.
    #[doc(alias = "cg::bit_xor")]
    BitXor;
}

/// Implements one operator for one type: the function of two values, and the function of a warp
/// where there is an instruction for it.
macro_rules! operator {
    ($name:ident on $ty:ty: |$a:ident, $b:ident| $combined:expr $(, |$mask:ident, $value:ident| $redux:expr)?) => {
        impl Operator<$ty> for $name {
            const COMMUTATIVE: bool = true;

            #[inline(always)]
            fn combine(&self, $a: $ty, $b: $ty) -> $ty {
                $combined
            }

            $(
                const HAS_REDUX: bool = true;

                #[inline(always)]
                fn redux(&self, $mask: u32, $value: $ty) -> Option<$ty> {
                    Some($redux)
                }
            )?
        }
    };
}

/// Implements the operators for integers that fit in the 32 bits of `$word`, which has
/// the same signedness.
macro_rules! narrow {
    ($($ty:ident as $word:ident;)*) => {
        $(
            operator!(Sum on $ty: |a, b| a.wrapping_add(b), |mask, value| warp::redux_sync_add(mask, value as $word) as $ty);
            operator!(Product on $ty: |a, b| a.wrapping_mul(b));
            operator!(Min on $ty: |a, b| a.min(b), |mask, value| warp::redux_sync_min(mask, value as $word) as $ty);
            operator!(Max on $ty: |a, b| a.max(b), |mask, value| warp::redux_sync_max(mask, value as $word) as $ty);
            operator!(BitAnd on $ty: |a, b| a & b, |mask, value| warp::redux_sync_and(mask, value as u32) as $ty);
            operator!(BitOr on $ty: |a, b| a | b, |mask, value| warp::redux_sync_or(mask, value as u32) as $ty);
            operator!(BitXor on $ty: |a, b| a ^ b, |mask, value| warp::redux_sync_xor(mask, value as u32) as $ty);
        )*
    };
}

narrow! {
    u8 as u32;
    u16 as u32;
    u32 as u32;
    i8 as i32;
    i16 as i32;
    i32 as i32;
}

/// Performs a bitwise operation on 64 bits as two operations on 32 bits.
#[inline(always)]
fn halves(value: u64, on_half: impl Fn(u32) -> u32) -> u64 {
    u64::from(on_half((value >> 32) as u32)) << 32 | u64::from(on_half(value as u32))
}

macro_rules! wide {
    ($($ty:ident)*) => {
        $(
            operator!(Sum on $ty: |a, b| a.wrapping_add(b));
            operator!(Product on $ty: |a, b| a.wrapping_mul(b));
            operator!(Min on $ty: |a, b| a.min(b));
            operator!(Max on $ty: |a, b| a.max(b));
            operator!(BitAnd on $ty: |a, b| a & b, |mask, value| halves(value as u64, |half| warp::redux_sync_and(mask, half)) as $ty);
            operator!(BitOr on $ty: |a, b| a | b, |mask, value| halves(value as u64, |half| warp::redux_sync_or(mask, half)) as $ty);
            operator!(BitXor on $ty: |a, b| a ^ b, |mask, value| halves(value as u64, |half| warp::redux_sync_xor(mask, half)) as $ty);
        )*
    };
}

wide! { u64 i64 usize isize }

macro_rules! floats {
    ($($ty:ident)*) => {
        $(
            operator!(Sum on $ty: |a, b| a + b);
            operator!(Product on $ty: |a, b| a * b);
            operator!(Min on $ty: |a, b| a.min(b));
            operator!(Max on $ty: |a, b| a.max(b));
        )*
    };
}

floats! { f32 f64 }
