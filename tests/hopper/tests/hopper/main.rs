//! The features of Hopper, one file per part.

mod atomics;
mod barriers;
mod blackwell;
mod bulk;
mod changes;
mod copies;
mod gemm;
mod grids;
mod matrices;
mod multimem;
mod parted;
mod sparse;
mod tensors;
mod wrong;
