//! The functions of a mathematical library for the device.
//!
//! Each function consists of few instructions and no calls. It reduces its argument to a range
//! where a polynomial or an instruction of the hardware is accurate, and special values are
//! selected, so that the threads of a warp stay together. Every multiplication that is to be fused
//! says so, so the result does not depend on the build's option for fused
//! operations. The coefficients come from `tools/coefficients.py` of this package. The accuracy of
//! each function is in the book.

/// Computes a polynomial of `x`. The coefficients are those of the highest power first.
macro_rules! horner {
    ($x:expr, $first:expr $(, $coefficient:expr)* $(,)?) => {{
        let x = $x;
        let p = $first;
        $(let p = fma(p, x, $coefficient);)*
        p
    }};
}

mod double;
mod orders;
mod single;

pub(super) use double::*;
pub(super) use orders::{jn, jnf, yn, ynf};
pub(super) use single::*;
