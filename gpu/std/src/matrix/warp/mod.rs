//! Products by a warp: `mma.sync`. They need `sm_80`, and `sm_89` for floats of 8 bits.
//!
//! A product has 16 rows, 8 columns, and 32 bytes along the inner dimension: 16 half floats, 8
//! `tf32`, 32 bytes, 64 half bytes, or 256 bits. Or its inner dimension is half as long. The
//! operands are in registers, distributed over the 32 lanes: a [`Left`], a [`Right`], and the
//! [`Sum`]. `ldmatrix` fills the first two from shared memory. All lanes of the warp have to call
//! each of these functions.
//!
//! | elements | sum | left and right operand | of a [sparse](super::sparse) left one |
//! | --- | --- | --- | --- |
//! | `F16` | `Sum<f32>`, `Sum<F16x2, 2>` | `Left<E>` and `Right<E>`; `Left<E, 2>` and `Right<E, 1>` | `Left<E>` and `Right<E, 4>`; `Left<E, 2>` and `Right<E, 2>` |
//! | `Bf16`, `Tf32` | `Sum<f32>` | as of `F16` | as of `F16` |
//! | `E4m3`, `E5m2`, either with either | `Sum<f32>`, `Sum<F16x2, 2>` | as of `F16` | `Left<E>` and `Right<E, 4>`, `Sum<f32>` |
//! | `S8`, `U8`, either with either; `S4`, `U4`, either with either | `Sum<i32>` | as of `F16` | as of `F16` |
//! | `B1`: how many bits both have | `Sum<i32>` | as of `F16` | |
//! | `f64` | `[f64; 2]`, `Sum<f64>` | [`multiply_add_f64`], [`multiply_add_f64_deep`] | |
//!
//! Operands and sums that have no product together do not compile:
//!
//! ```compile_fail,E0277
//! use lanewise_std::matrix::element::F16;
//! use lanewise_std::matrix::warp::{Left, Right, Sum, multiply_add};
//!
//! fn twice_as_deep(left: &Left<F16>, right: &Right<F16, 4>, sum: Sum<f32>) -> Sum<f32> {
//!     multiply_add(left, right, sum) // the right operand of a sparse left one
//! }
//! ```
//!
//! PTX ISA, "Matrix Fragments for mma.m16n8k16" and its neighbours, "mma",
//! "mma.sp", "ldmatrix", "stmatrix".

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unused_mut, unreachable_code, dead_code)
)]

mod double;
mod fragment;
mod owner;
mod product;
mod rows;

pub use double::{multiply_add_f64, multiply_add_f64_deep};
pub use fragment::{BYTES, COLUMNS, Left, ROWS, Right, Sum};
pub use owner::SumsPerWarp;
pub use product::{
    Multiply, MultiplySparse, Saturate, multiply_add, multiply_add_saturating, multiply_add_sparse,
};
pub use rows::{
    load_matrices, load_matrices_transposed, store_matrices, store_matrices_transposed,
};
