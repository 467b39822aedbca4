//! Algorithms as a library: functions with checked shapes that any program may call, and the
//! patterns that use them.
//!
//! Each function takes buffers on the device and queues its kernels on a stream. Shapes that do not
//! fit together are an [`AlgorithmError`] before anything is launched.

pub mod distance;
pub mod fft;
pub mod gemm;
pub mod gemv;
pub mod matvec;
pub mod philox;
pub mod precision;
pub mod solver;
pub mod spmv;

use anyhow::Result;
use lanewise::testing::{self, Agreement, Expected, Mismatch};
use lanewise::{DeviceBuffer, LaunchConfig, LaunchError, MemoryError, Stream};

use crate::{Case, Work};
use precision::Precision;

/// Why an algorithm did not run.
#[derive(Debug, thiserror::Error)]
pub enum AlgorithmError {
    /// A buffer has another length than its shape requires.
    #[error("{what} has {given} elements, and the shape says {expected}")]
    Length {
        /// Which of the operands it is.
        what: &'static str,
        /// The length of the operand.
        given: usize,
        /// The length that it should have at least.
        expected: usize,
    },
    /// A side does not fit in 32 bits, or an area in 64.
    #[error("{what} is too large: {given}")]
    TooLarge {
        /// Which side of the matrix it is.
        what: &'static str,
        /// The size of that side.
        given: usize,
    },
    /// The launch was refused.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// Memory could not be allocated or copied. The fault of a kernel is reported here too.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

/// Checks that a length is large enough.
pub(crate) fn at_least(
    what: &'static str,
    given: usize,
    expected: usize,
) -> Result<(), AlgorithmError> {
    if given < expected {
        return Err(AlgorithmError::Length {
            what,
            given,
            expected,
        });
    }
    Ok(())
}

/// Converts a side of a matrix to the type that kernels take.
pub(crate) fn side(what: &'static str, given: usize) -> Result<u32, AlgorithmError> {
    u32::try_from(given).map_err(|_| AlgorithmError::TooLarge { what, given })
}

/// Returns the number of elements of a matrix.
pub(crate) fn area(
    what: &'static str,
    rows: usize,
    columns: usize,
) -> Result<usize, AlgorithmError> {
    let area = rows.checked_mul(columns);
    area.ok_or(AlgorithmError::TooLarge { what, given: rows })
}

/// Returns a grid with one warp for each row, up to a limit. A device runs fewer at once, and the
/// kernels loop over the rest.
pub(crate) fn warp_each(rows: usize, block: u32) -> LaunchConfig {
    LaunchConfig::cover_1d(rows.min(1 << 20).saturating_mul(32), block)
}

/// A launch that fills a buffer with floats, each with its own tolerance.
pub(crate) struct Floats<T: Precision, L> {
    output: DeviceBuffer<T>,
    /// Values and tolerances.
    expected: Vec<(f64, f64)>,
    work: Work,
    launch: L,
}

impl<T, L> Floats<T, L>
where
    T: Precision,
    L: FnMut(&Stream, &mut DeviceBuffer<T>) -> Result<()> + 'static,
{
    /// Makes the case of `launch`.
    pub(crate) fn boxed(
        output: DeviceBuffer<T>,
        expected: Vec<(f64, f64)>,
        work: Work,
        launch: L,
    ) -> Box<dyn Case> {
        Box::new(Self {
            output,
            expected,
            work,
            launch,
        })
    }
}

impl<T, L> Case for Floats<T, L>
where
    T: Precision,
    L: FnMut(&Stream, &mut DeviceBuffer<T>) -> Result<()>,
{
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        (self.launch)(stream, &mut self.output)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let expected = self.expected.iter().enumerate();
        let expected = expected.map(|(index, &(value, tolerance))| Expected {
            index,
            value,
            tolerance,
        });
        Ok(testing::within(&self.output.to_vec()?, expected))
    }

    fn work(&self) -> Work {
        self.work
    }
}

/// Returns a sum of products in double precision, and the tolerance for the same sum in the
/// precision of its factors, in any order of additions.
pub(crate) fn dot<T: Precision>(products: impl Iterator<Item = (T, T)>) -> (f64, f64) {
    let (mut sum, mut size, mut count) = (0.0, 0.0, 1.0);
    for (a, b) in products {
        let product = a.into() * b.into();
        sum += product;
        size += product.abs();
        count += 1.0;
    }
    // Each addition and each product rounds once. In a tree of additions there are fewer roundings
    // on the way to the root. The sum here is rounded too.
    (sum, size * 2.0 * T::UNIT * f64::min(count, 64.0))
}
