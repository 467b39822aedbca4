//! The kernels, one file for each algorithm. Those that an operator of another crate may have, too,
//! are in `lanewise-algorithms-generic`.

// `lanewise_std::math::Float` gives floats the methods of `std`, which the host has by itself.
#![cfg_attr(not(target_arch = "nvptx64"), allow(unused_imports))]
#![allow(
    clippy::needless_range_loop,
    reason = "an array that is indexed by a constant stays in registers"
)]

pub mod cross_entropy;
pub mod fft;
pub mod gather;
pub mod gemm;
pub mod gemm_f64;
pub mod gemv;
pub mod histogram;
pub mod random;
pub mod rows;
pub mod run_lengths;
pub mod segmented;
pub mod sort;
pub mod spmv;
pub mod spmv_even;
pub mod top;
pub mod transpose;
pub mod unique;

use lanewise_algorithms_generic::fold::{ArgMax, ArgMin, MeanVariance, Moments, Place};
use lanewise_algorithms_generic::select::NotZero;
use lanewise_algorithms_generic::{
    Monoid, Number, by_keys, folds, look_back, ranks, reductions, scans, selections, sixteen,
};
use lanewise_std::collective::{Max, Min, Sum};

lanewise_std::module!();

reductions!(reduce:
    Sum for i32 u32 i64 u64 f32 f64,
    Min for i32 u32 i64 u64 f32 f64,
    Max for i32 u32 i64 u64 f32 f64
);

folds!(fold:
    ArgMin -> Place for i32 u32 f32 f64,
    ArgMax -> Place for i32 u32 f32 f64,
    MeanVariance -> Moments for i32 f32 f64
);

scans!(scan: Sum for i32 u32 i64 u64 f32 f64, Min for i32 u32 f32, Max for i32 u32 f32);

selections!(select: NotZero for i32 u32 f32 i64 u64 f64);

by_keys!(by_key: Sum for i32 u32 f32, Min for i32 f32, Max for i32 f32);
