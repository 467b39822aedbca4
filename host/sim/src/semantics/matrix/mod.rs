//! Matrix instructions of a warp: the positions of matrix elements in the lanes' registers,
//! and matrix products.
//!
//! PTX ISA 9.7.14 "Warp Level Matrix Multiply-Accumulate Instructions": `mma.sync`, `wmma`,
//! `ldmatrix`, `stmatrix`, `movmatrix`. A warp's registers are `[[u32; 32]]`: for each register of
//! the instruction, its value in each lane.
//!
//! It also contains `wgmma`, for warpgroups. It does not contain `tcgen05`.

pub(crate) mod element;
pub(crate) mod fragment;
pub(crate) mod load;
pub(crate) mod multiply;
pub(crate) mod scale;
pub(crate) mod sparse;
pub(crate) mod volta;
pub(crate) mod warpgroup;

pub(crate) use element::Element;
pub(crate) use multiply::{Accumulator, BitOp, mma, mma_b1, mma_f64, wmma};
pub(crate) use scale::{Factor, Scale, Scales};
pub(crate) use sparse::mma_sp;
pub(crate) use volta::mma_m8n8k4;
