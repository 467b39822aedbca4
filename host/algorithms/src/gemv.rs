//! Products of a matrix and a vector.

use lanewise::{DeviceBuffer, DeviceCopy};
use lanewise_std::DisjointSlice;
use lanewise_std::kernel::SafeKernel;
use lanewise_std::math::Float;

use crate::kernels::gemv::{self as kernels, CLUSTER, ROWS, THREADS, Term, WARPS};
use crate::queue::grid;
use crate::{Error, Queue};

/// Blocks for each multiprocessor, where the vector goes across.
const BLOCKS: usize = 2;

/// The parameters of the kernels.
type Params<T, S> = (
    &'static [T],
    &'static [T],
    DisjointSlice<'static, S>,
    [u32; 2],
    [S; 2],
);

/// A product of a matrix and a vector: `y = alpha A x + beta y`.
///
/// The matrix is row after row, of `f32`, `f64` or `Bf16`. Sums of `Bf16` are `f32`. A result is
/// the same in each run.
///
/// ```
/// use lanewise::{Device, DeviceBuffer};
/// use lanewise_algorithms::Gemv;
///
/// let (device, of) = (Device::open()?, Gemv::new(2, 3));
/// let stream = device.stream()?;
/// let a = DeviceBuffer::from_slice(&device, &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let x = DeviceBuffer::from_slice(&device, &[1.0f32, 0.0, 2.0])?;
/// let mut y = DeviceBuffer::<f32>::zeroed(&device, 2)?;
/// of.multiply(&stream, &a, &x, &mut y)?;
/// assert_eq!(y.to_vec()?, [7.0, 16.0]);
///
/// let mut z = DeviceBuffer::<f32>::zeroed(&device, 3)?;
/// of.multiply_transposed(&stream, &a, &y, &mut z)?;
/// assert_eq!(z.to_vec()?, [71.0, 94.0, 117.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gemv<S> {
    /// Rows of the matrix.
    pub rows: u32,
    /// Columns of the matrix.
    pub columns: u32,
    /// The factor of the product.
    pub alpha: S,
    /// The factor of what `y` was before. If it is 0, `y` is not read, and may hold anything.
    pub beta: S,
}

impl<S> Gemv<S> {
    /// Returns the product `y = A x` with a matrix of this shape.
    #[must_use]
    pub fn new(rows: u32, columns: u32) -> Self
    where
        S: From<f32>,
    {
        Gemv {
            rows,
            columns,
            alpha: 1.0.into(),
            beta: 0.0.into(),
        }
    }

    /// Computes `y = alpha A x + beta y`.
    ///
    /// # Errors
    /// [`Error::TooShort`] if a buffer has less than its matrix or vector; [`Error::Launch`],
    /// [`Error::Graph`].
    pub fn multiply<T>(
        self,
        mut queue: impl Queue,
        a: &DeviceBuffer<T>,
        x: &DeviceBuffer<T>,
        y: &mut DeviceBuffer<S>,
    ) -> Result<(), Error>
    where
        T: Term<Sum = S> + DeviceCopy,
        S: Float + DeviceCopy,
        kernels::gemv<T, true, 32>: SafeKernel<Params = Params<T, S>>,
        kernels::gemv<T, false, 32>: SafeKernel<Params = Params<T, S>>,
        kernels::gemv<T, true, THREADS>: SafeKernel<Params = Params<T, S>>,
        kernels::gemv<T, false, THREADS>: SafeKernel<Params = Params<T, S>>,
    {
        self.unless_enough(
            a,
            [x.len(), self.columns as usize],
            [y.len(), self.rows as usize],
        )?;
        // A block has a row's loads four times over, or a warp has them.
        let is_long = self.columns as usize * size_of::<T>() >= 16 * THREADS * 4;
        let group = if is_long { THREADS } else { 32 };
        let groups = (self.rows as usize).div_ceil(ROWS);
        let Some(config) = grid(groups.div_ceil(THREADS / group), THREADS as u32)? else {
            return Ok(());
        };
        let is_aligned = self.are_rows_aligned(a) && x.address().is_multiple_of(16);
        let arguments = (a, x, y, [self.rows, self.columns], [self.alpha, self.beta]);
        match (is_aligned, is_long) {
            (true, false) => queue.launch(kernels::gemv::<T, true, 32>, config, arguments),
            (false, false) => queue.launch(kernels::gemv::<T, false, 32>, config, arguments),
            (true, true) => queue.launch(kernels::gemv::<T, true, THREADS>, config, arguments),
            (false, true) => queue.launch(kernels::gemv::<T, false, THREADS>, config, arguments),
        }
    }

    /// Computes `y = alpha A' x + beta y`, where `A'` is the transpose: `x` has an element for each
    /// row, and `y` one for each column.
    ///
    /// # Errors
    /// As [`Self::multiply`].
    pub fn multiply_transposed<T>(
        self,
        mut queue: impl Queue,
        a: &DeviceBuffer<T>,
        x: &DeviceBuffer<T>,
        y: &mut DeviceBuffer<S>,
    ) -> Result<(), Error>
    where
        T: Term<Sum = S> + DeviceCopy,
        S: Float + DeviceCopy,
        kernels::gemv_across<T, true>: SafeKernel<Params = Params<T, S>>,
        kernels::gemv_across<T, false>: SafeKernel<Params = Params<T, S>>,
        kernels::gemv_across_wide<T, true>: SafeKernel<Params = Params<T, S>>,
        kernels::gemv_across_wide<T, false>: SafeKernel<Params = Params<T, S>>,
    {
        self.unless_enough(
            a,
            [x.len(), self.rows as usize],
            [y.len(), self.columns as usize],
        )?;
        let is_aligned = self.are_rows_aligned(a);
        let lanes = if is_aligned {
            size_of::<T::Across>() / size_of::<T>()
        } else {
            1
        };
        let blocks = (self.columns as usize).div_ceil(32 * lanes);
        let properties = a.device().properties();
        let is_wide = properties.compute_capability.major >= 9;
        // Threads have many loads under way, so more blocks are slower. Each warp has a few rows.
        let fit = BLOCKS * properties.multiprocessors as usize / blocks.max(1);
        let useful = self.rows as usize / (8 * WARPS);
        let most = if is_wide { CLUSTER as usize } else { 1 };
        let cluster = match fit.min(useful).min(most).checked_ilog2() {
            Some(log) => 1 << log,
            None => 1,
        };
        let Some(config) = grid(blocks * cluster, THREADS as u32)? else {
            return Ok(());
        };
        let arguments = (a, x, y, [self.rows, self.columns], [self.alpha, self.beta]);
        if cluster > 1 {
            let config = config.with_cluster((cluster as u32, 1, 1));
            if is_aligned {
                queue.launch(kernels::gemv_across_wide::<T, true>, config, arguments)
            } else {
                queue.launch(kernels::gemv_across_wide::<T, false>, config, arguments)
            }
        } else if is_aligned {
            queue.launch(kernels::gemv_across::<T, true>, config, arguments)
        } else {
            queue.launch(kernels::gemv_across::<T, false>, config, arguments)
        }
    }

    /// Returns an error if the matrix or a vector is too short: `x` and `y` have a length, and one
    /// that they need.
    fn unless_enough<T: DeviceCopy>(
        &self,
        a: &DeviceBuffer<T>,
        [x, of_x]: [usize; 2],
        [y, of_y]: [usize; 2],
    ) -> Result<(), Error> {
        Error::unless_enough("an A", self.rows as usize * self.columns as usize, a.len())?;
        Error::unless_enough("an x", of_x, x)?;
        Error::unless_enough("a y", of_y, y)
    }

    /// Returns whether all rows begin at a multiple of sixteen bytes.
    fn are_rows_aligned<T: DeviceCopy>(&self, a: &DeviceBuffer<T>) -> bool {
        let bytes = self.columns as usize * size_of::<T>();
        a.address().is_multiple_of(16) && bytes.is_multiple_of(16)
    }
}
