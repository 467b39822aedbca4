//! The kernels, one file for each algorithm.

// `lanewise_std::math::Float` gives floats the methods of `std`, which the host has by itself.
#![cfg_attr(not(target_arch = "nvptx64"), allow(unused_imports))]
#![allow(
    clippy::needless_range_loop,
    reason = "an array that is indexed by a constant stays in registers"
)]

mod blocked;
mod look_back;
mod monoid;
mod ranks;
mod sixteen;

pub mod by_key;
pub mod cross_entropy;
pub mod fft;
pub mod fold;
pub mod gather;
pub mod gemm;
pub mod gemm_f64;
pub mod gemv;
pub mod histogram;
pub mod random;
pub mod reduce;
pub mod rows;
pub mod scan;
pub mod segmented;
pub mod select;
pub mod sort;
pub mod spmv;
pub mod spmv_even;
pub mod top;
pub mod transpose;

pub use look_back::Packed;
pub use monoid::Monoid;
pub use sixteen::Number;

lanewise_std::module!();
