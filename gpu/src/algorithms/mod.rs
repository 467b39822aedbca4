//! Algorithms: small programs made of earlier chapters, and those of NVIDIA's libraries.

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
