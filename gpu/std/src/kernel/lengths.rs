//! What a launch contract says about lengths: `len(a) == len(b)`, `len(c) >= rows * columns`.
//!
//! A kernel that adds two slices indexes three, and compares each index with each length. If the
//! lengths are equal, one comparison is enough. The kernel cannot see that; the host can.

use crate::{DisjointSlice, GlobalMut, PartPerBlock, PerBlock, PerWarp};

/// A clause of a contract: a slice has as many elements as the product says, or at least as many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthClause {
    /// The clause, as written.
    pub text: &'static str,
    /// The slice's number among the parameters.
    pub slice: usize,
    /// Whether the slice may have more elements.
    pub may_be_longer: bool,
    /// The factors of the product.
    pub factors: &'static [Factor],
}

/// A factor of the number of elements that a slice has to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factor {
    /// The length of the slice with this number among the parameters.
    Length(usize),
    /// The value with this number among the parameters.
    Number(usize),
    /// A constant number.
    Constant(u64),
}

impl LengthClause {
    /// Checks the clause. `length` and `value` return what the launch passes for a parameter.
    ///
    /// # Errors
    /// Returns the number of elements that the slice has to have, and the number that it has. A
    /// product that does not fit in 64 bits is the largest number, which no slice has.
    pub fn check(
        &self,
        length: impl Fn(usize) -> u64,
        value: impl Fn(usize) -> u64,
    ) -> Result<(), [u64; 2]> {
        let wanted = self.factors.iter().fold(1u64, |product, factor| {
            product.saturating_mul(match *factor {
                Factor::Length(of) => length(of),
                Factor::Number(of) => value(of),
                Factor::Constant(number) => number,
            })
        });
        let found = length(self.slice);
        if found == wanted || (self.may_be_longer && found > wanted) {
            Ok(())
        } else {
            Err([wanted, found])
        }
    }
}

/// A value that a contract may compare lengths with: an unsigned integer of at most 64 bits.
///
/// ```compile_fail,E0277
/// use lanewise_macros::kernel;
///
/// #[kernel]
/// #[launch_contract(len(x) == n)]
/// pub fn scale(x: &[f32], n: i32) {}
/// ```
#[diagnostic::on_unimplemented(
    message = "a launch contract compares lengths with unsigned integers, and `{Self}` is none",
    label = "`u32` or `usize` can be compared with a length"
)]
#[doc(hidden)]
pub trait Count: Copy {
    /// Returns the number.
    fn count(self) -> usize;
}

macro_rules! counts {
    ($($ty:ty)*) => {$(
        impl Count for $ty {
            #[inline(always)]
            fn count(self) -> usize {
                self as usize
            }
        }
    )*};
}
counts! { u8 u16 u32 u64 usize }

/// A parameter that has a length: `fn(T)` stands for `T`, as in `Passed`.
///
/// ```compile_fail,E0277
/// use lanewise_macros::kernel;
/// use lanewise_std::RowPerBlock;
///
/// #[kernel]
/// #[launch_contract(len(x) == len(y))]
/// pub fn softmax(x: &[f32], y: RowPerBlock<f32>) {}
/// ```
#[diagnostic::on_unimplemented(
    message = "a launch contract cannot speak of the length of this parameter: `{Self}`",
    label = "`&[T]`, `DisjointSlice<T>`, `PerBlock<T>` and `GlobalMut<T>` have lengths"
)]
#[doc(hidden)]
pub trait HasLength {}

impl<T> HasLength for for<'a> fn(&'a [T]) {}
impl<T, Owner> HasLength for for<'a> fn(DisjointSlice<'a, T, Owner>) {}
impl<T> HasLength for for<'a> fn(PerBlock<'a, T>) {}
impl<T> HasLength for for<'a> fn(PerWarp<'a, T>) {}
impl<T, Order, const EACH: usize> HasLength for for<'a> fn(PartPerBlock<'a, T, Order, EACH>) {}
impl<T> HasLength for for<'a> fn(GlobalMut<'a, T>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_that_overflows_is_no_length() {
        let clause = LengthClause {
            text: "len(a) == n * n",
            slice: 0,
            may_be_longer: false,
            factors: &[Factor::Number(1), Factor::Number(1)],
        };
        let with = |length, value| clause.check(|_| length, |_| value);
        assert_eq!(with(16, 4), Ok(()));
        assert_eq!(with(15, 4), Err([16, 15]));
        // 2^32 squared is 0 in 64 bits.
        assert_eq!(with(0, 1 << 32), Err([u64::MAX, 0]));
    }

    #[test]
    fn a_slice_may_be_longer_if_the_clause_allows_it() {
        let clause = LengthClause {
            text: "len(a) >= len(b) * 2",
            slice: 0,
            may_be_longer: true,
            factors: &[Factor::Length(1), Factor::Constant(2)],
        };
        let with = |a, b| clause.check(|of| [a, b][of], |_| 0);
        assert_eq!((with(6, 3), with(7, 3)), (Ok(()), Ok(())));
        assert_eq!(with(5, 3), Err([6, 5]));
    }
}
