//! Ladders: one problem, each rung faster than the one before.

mod attention;
mod product_bf16;
mod scan;
mod softmax;
mod sort;
