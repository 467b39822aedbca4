//! Tests of the semantics: values measured on an H200, all inputs if there are few, and otherwise
//! references of higher precision.

mod approx;
mod compare;
mod convert;
mod directed;
mod float;
mod half;
mod int;
mod logic;
mod matrix;
mod narrow;
mod texture;
mod texture_gradients;
mod texture_measured;
mod warp;
