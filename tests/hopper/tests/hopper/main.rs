//! What came with Hopper, part by part.

mod atomics;
mod barriers;
mod blackwell;
mod copies;
mod gemm;
mod grids;
mod matrices;
mod tensors;
mod wrong;
