//! Transforms in two dimensions: of the rows, and then of the columns.

use lanewise::{Device, DeviceBuffer};

use super::{Fft, Transformed, upload};
use crate::kernels::fft::{LOG_TALL, Matrices, SECOND, powers};
use crate::{Error, Queue};

/// The logarithm of the fewest rows.
const LOG_FEWEST: u32 = 6;

/// Fourier transforms of matrices of one size, of any number at once: what `cufftPlan2d` makes. The
/// matrices are row after row, and follow each other.
///
/// ```
/// use lanewise::{Device, DeviceBuffer};
/// use lanewise_algorithms::Fft2d;
/// use lanewise_std::vector::Float2;
///
/// let device = Device::open()?;
/// let stream = device.stream()?;
/// // A wave down the columns, twice in 64 rows.
/// let wave = |i: usize| Float2::new([1.0, 0.0, -1.0, 0.0][i / 64 / 8 % 4], 0.0);
/// let numbers: Vec<Float2> = (0..64 * 64).map(wave).collect();
/// let input = DeviceBuffer::from_slice(&device, &numbers)?;
/// let mut output = DeviceBuffer::zeroed(&device, 64 * 64)?;
/// Fft2d::new(&device, [64, 64], 1)?.forward(&stream, &input, &mut output)?;
/// let output = output.to_vec()?;
/// assert!(output[2 * 64].x > 1000.0 && output[2].x.abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Fft2d<C: Transformed> {
    /// The transform of the rows.
    rows: Fft<C>,
    /// The logarithm of the number of rows.
    log: u32,
    /// The roots for the columns.
    roots: DeviceBuffer<C>,
    /// The transforms of the rows.
    between: DeviceBuffer<C>,
}

impl<C: Transformed> Fft2d<C> {
    /// Makes the transform of matrices with so many rows and columns, with its roots and workspace
    /// for `batch` matrices: as much memory as these have, and twice as much if there are more than
    /// 4096 columns.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the rows are not a power of two from 64 to 4096, or the columns
    /// not one from 2 to 2^20; [`Error::TooMany`] for 2^40 elements; [`Error::Memory`].
    pub fn new(device: &Device, [rows, columns]: [usize; 2], batch: usize) -> Result<Self, Error> {
        let log = rows.checked_ilog2().unwrap_or(0);
        if !rows.is_power_of_two() || !(LOG_FEWEST..=LOG_TALL).contains(&log) {
            let what = "a transform of two dimensions has a power of two of rows, from 64 to 4096";
            return Err(Error::Unsupported(what));
        }
        Error::unless_few("matrices", 1 << 20, batch)?;
        let all = rows * batch.max(1);
        let of_rows = Fft::new(device, columns, all)?;
        Ok(Self {
            rows: of_rows,
            log,
            roots: upload(device, powers(log), rows)?,
            between: DeviceBuffer::uninit(device, all * columns)?,
        })
    }

    /// Writes the transform of each matrix of `input` to `output`: the sums with
    /// e^(-2 pi i (j k / rows + l m / columns)).
    ///
    /// # Errors
    /// [`Error::TooShort`] if `output` is shorter than `input`, or the workspace was made for fewer
    /// matrices; [`Error::Unsupported`] if the last matrix is not whole; [`Error::TooMany`] for
    /// 2^31 blocks; [`Error::Launch`], [`Error::Graph`].
    pub fn forward(
        &mut self,
        queue: impl Queue,
        input: &DeviceBuffer<C>,
        output: &mut DeviceBuffer<C>,
    ) -> Result<(), Error> {
        self.queue(queue, input, output, (false, 1.0))
    }

    /// Writes the inverse transform: what [`Self::forward`] has transformed is as before.
    ///
    /// # Errors
    /// As for [`Self::forward`].
    pub fn inverse(
        &mut self,
        queue: impl Queue,
        input: &DeviceBuffer<C>,
        output: &mut DeviceBuffer<C>,
    ) -> Result<(), Error> {
        let by = (1.0 / (1u64 << (self.log + self.rows.log)) as f64) as f32;
        self.queue(queue, input, output, (true, by))
    }

    fn queue(
        &mut self,
        mut queue: impl Queue,
        input: &DeviceBuffer<C>,
        output: &mut DeviceBuffer<C>,
        (is_inverse, by): (bool, f32),
    ) -> Result<(), Error> {
        let len = input.len();
        Error::unless_enough("an output", len, output.len())?;
        Error::unless_enough("a workspace", len, self.between.len())?;
        if !len.is_multiple_of(1 << (self.log + self.rows.log)) {
            return Err(Error::Unsupported("the last matrix is not whole"));
        }
        let (between, how) = (&mut self.between.cast_mut(), (is_inverse, 1.0));
        self.rows.queue(&mut queue, input, between, how)?;
        let matrices = Matrices {
            from: 0,
            to: 0,
            len,
            log_columns: self.rows.log as usize,
        };
        let (step, how) = ((SECOND, self.log), (matrices, is_inverse, by));
        // The roots between steps are for transforms of one dimension: the second takes none.
        let (between, roots) = (&self.between, [&self.roots; 2]);
        C::columns(
            &mut queue,
            step,
            between,
            roots,
            &mut output.cast_mut(),
            how,
        )
    }
}
