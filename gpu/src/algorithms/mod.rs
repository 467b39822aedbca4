//! Algorithms: what the notes build of the chapters before, and what NVIDIA has libraries for.

mod complex;
pub mod distance;
pub mod fft;
pub mod gemm;
pub mod gemv;
pub mod matvec;
pub mod philox;
pub mod real;
pub mod solver;
pub mod spmv;
