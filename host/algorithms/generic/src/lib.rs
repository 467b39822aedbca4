//! The kernels of `lanewise-algorithms` that are generic over an operator, a predicate or a
//! folding, and how a crate of kernels makes those of its own. The functions that launch them are
//! in `lanewise-algorithms`, and take an operator of any crate as they take `Sum`.
//!
//! | macro | it makes kernels for | launched by |
//! | --- | --- | --- |
//! | [`reductions!`] | an [`Operator`](lanewise_std::collective::Operator) that is a [`Monoid`] | `Reduction` |
//! | [`scans!`] | the same | `Scan` |
//! | [`selections!`] | a [`Predicate`] | `Select` |
//! | [`by_keys!`] | an operator that is a [`Monoid`], for values of 32 bits | `ByKey` |
//! | [`folds!`] | a [`Folding`] | `Fold` |
//!
//! Each takes the name of a module, which it makes, and for each operator the types of elements.
//! The crate depends on `lanewise-std` and `lanewise-macros`, as all crates of kernels do.
//!
//! ```
//! use lanewise_algorithms_generic::Monoid;
//! use lanewise_std::collective::Operator;
//!
//! /// What follows each other: `x -> a x + b` modulo 2^16, with `a` in the upper half of the bits.
//! #[derive(Clone, Copy, Default)]
//! pub struct Compose;
//!
//! impl Operator<u32> for Compose {
//!     fn combine(&self, first: u32, then: u32) -> u32 {
//!         let (a, b) = (then >> 16, then & 0xFFFF);
//!         a.wrapping_mul(first >> 16) << 16 | (a * (first & 0xFFFF) + b) & 0xFFFF
//!     }
//! }
//!
//! impl Monoid<u32> for Compose {
//!     const NEUTRAL: u32 = 1 << 16;
//! }
//!
//! lanewise_algorithms_generic::reductions!(sums: Compose for u32);
//! lanewise_algorithms_generic::scans!(running: Compose for u32);
//! # type Ptx = lanewise_std::kernel::NoPtx;
//! # fn main() {}
//! ```
#![no_std]
#![allow(
    clippy::needless_range_loop,
    reason = "an array that is indexed by a constant stays in registers"
)]

mod blocked;
pub mod by_key;
pub mod fold;
#[doc(hidden)]
pub mod look_back;
mod monoid;
#[doc(hidden)]
pub mod ranks;
pub mod reduce;
pub mod scan;
pub mod select;
#[doc(hidden)]
pub mod sixteen;

use monoid::combined;

pub use fold::Folding;
pub use monoid::Monoid;
#[doc(hidden)]
pub use monoid::assert_no_fields;
pub use select::Predicate;
pub use sixteen::Number;
