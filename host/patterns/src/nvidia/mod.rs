//! NVIDIA's libraries, which are opened at run time, and twins of kernels in CUDA C++, which its
//! compiler compiles then ([`nvcc`]). The benchmark shows their times next to those of the
//! catalog's kernels.
//!
//! They are not needed to build or to run. If one is missing, the benchmark prints which
//! files it searched for. A job does the same work as a variant, on input of the same setup, and is
//! timed in the same way. Its results are not checked.

mod cublas;
mod cufft;
mod curand;
mod cusparse;
pub mod nvcc;
mod open;

pub use cublas::{gemm, gemm_bf16, gemv};
pub use cufft::fft;
pub use curand::random;
pub use cusparse::{Compressed, spmv};

use anyhow::Result;
use lanewise::{DeviceCopy, Stream};

/// A library's implementation of a variant's work, ready to be launched.
pub trait Job {
    /// Returns the library and its version, such as `cuBLAS 13.1.0`.
    fn name(&self) -> &str;

    /// Queues one run on `stream`.
    ///
    /// # Errors
    /// The error of the library.
    fn launch(&mut self, stream: &Stream) -> Result<()>;
}

/// A number type for which the libraries have functions: `f32` and `f64`.
pub trait Number: DeviceCopy + bytemuck::Zeroable + 'static {
    /// Whether the type is `f64`.
    const IS_DOUBLE: bool;
}

impl Number for f32 {
    const IS_DOUBLE: bool = false;
}

impl Number for f64 {
    const IS_DOUBLE: bool = true;
}

/// A job that is a closure. The closure owns what the library needs.
struct Closure<L> {
    name: String,
    launch: L,
}

impl<L: FnMut(&Stream) -> Result<()>> Job for Closure<L> {
    fn name(&self) -> &str {
        &self.name
    }

    fn launch(&mut self, stream: &Stream) -> Result<()> {
        (self.launch)(stream)
    }
}

/// Returns a job that calls this closure.
fn job(name: String, launch: impl FnMut(&Stream) -> Result<()> + 'static) -> Box<dyn Job> {
    Box::new(Closure { name, launch })
}
