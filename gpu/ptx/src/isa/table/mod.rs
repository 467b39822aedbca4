//! The rows of the table. Each file has one or two sections of the ISA.

use super::Row;

mod asynchronous;
mod atomic;
mod barrier;
mod compare;
mod control;
mod convert;
mod extended;
mod float;
mod half;
mod integer;
mod logic;
mod matrix;
mod memory;
mod multimem;
mod refused;
mod tensor;
mod texture;
mod video;
mod warp;
mod warpgroup;

pub(super) const PARTS: &[&[Row]] = &[
    integer::ROWS,
    extended::ROWS,
    float::ROWS,
    half::ROWS,
    compare::ROWS,
    logic::ROWS,
    memory::ROWS,
    multimem::ROWS,
    convert::ROWS,
    asynchronous::ROWS,
    tensor::ROWS,
    texture::ROWS,
    control::ROWS,
    barrier::ROWS,
    atomic::ROWS,
    warp::ROWS,
    matrix::ROWS,
    warpgroup::ROWS,
    video::ROWS,
    refused::ROWS,
];
