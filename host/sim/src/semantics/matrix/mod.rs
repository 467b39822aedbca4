//! Matrix instructions of a warp: where the elements of a matrix lie in the lanes' registers, and their product.
//!
//! PTX ISA 9.7.14 "Warp Level Matrix Multiply-Accumulate Instructions": `mma.sync`, `wmma`, `ldmatrix`, `stmatrix`,
//! `movmatrix`. A warp's registers are `[[u32; 32]]`: for each register of the instruction, its value in each lane.
//!
//! And of a warpgroup: `wgmma`. Not here: block scaling, `tcgen05`.

pub mod element;
pub mod fragment;
pub mod load;
pub mod multiply;
pub mod sparse;
pub mod volta;
pub mod warpgroup;

pub use element::Element;
pub use multiply::{Accumulator, BitOp, mma, mma_b1, mma_f64, wmma};
pub use sparse::mma_sp;
pub use volta::mma_m8n8k4;
