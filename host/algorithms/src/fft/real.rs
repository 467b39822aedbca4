//! Transforms of reals: complex ones of half the length, with a step after or before.

use lanewise::{Device, DeviceBuffer};

use super::{Fft, LOG_MOST, Transformed, upload};
use crate::kernels::fft::{LANES, LOG_REALS};
use crate::{Error, Queue};

/// Fourier transforms of sequences of reals, of one length: `cufftExecR2C`, `cufftExecC2R` and
/// those of `f64`.
///
/// The length is a power of two, `n`. Of a transform, the first `n / 2 + 1` elements are written;
/// the others are the conjugates of these. The transforms follow each other, as cuFFT has them.
///
/// ```
/// use lanewise::{Device, DeviceBuffer};
/// use lanewise_algorithms::RealFft;
/// use lanewise_std::vector::Float2;
///
/// let device = Device::open()?;
/// let stream = device.stream()?;
/// // Four waves of height 2, and a mean of 1.
/// let waves: Vec<f32> = (0..32).map(|i| [3.0, 1.0, -1.0, 1.0][i / 2 % 4]).collect();
/// let input = DeviceBuffer::from_slice(&device, &waves)?;
/// let mut output = DeviceBuffer::<Float2>::zeroed(&device, 17)?;
/// let mut back = DeviceBuffer::zeroed(&device, 32)?;
/// let mut fft = RealFft::<Float2>::new(&device, 32, 1)?;
/// fft.forward(&stream, &input, &mut output)?;
/// assert_eq!(output.to_vec()?[0], Float2::new(32.0, 0.0));
/// fft.inverse(&stream, &output, &mut back)?;
/// for (number, back) in waves.iter().zip(back.to_vec()?) {
///     assert!((number - back).abs() < 1e-6);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RealFft<C: Transformed> {
    /// The transform of half the length, whose elements are two reals each.
    complex: Fft<C>,
    /// The first roots of the whole length.
    halves: DeviceBuffer<C>,
    /// The results of a transform before they are parted, or what is joined for one, if that has a
    /// kernel to itself.
    between: DeviceBuffer<C>,
}

impl<C: Transformed> RealFft<C> {
    /// Makes the transform of this length, with its roots. It has workspace for `batch` sequences:
    /// as much memory as these have, twice as much if the length is more than 8192, and none if it
    /// is 1024 to 8192.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the length is not a power of two from 32 to 2^21;
    /// [`Error::TooMany`] for 2^40 elements; [`Error::Memory`].
    pub fn new(device: &Device, length: usize, batch: usize) -> Result<Self, Error> {
        if !length.is_power_of_two() || !(2 * LANES..=2 << LOG_MOST).contains(&length) {
            let what = "a transform of reals has a power of two of elements, from 32 to 2^21";
            return Err(Error::Unsupported(what));
        }
        let complex = Fft::new(device, length / 2, batch)?;
        let batch = if LOG_REALS.contains(&complex.log) {
            0
        } else {
            batch.max(1)
        };
        Ok(Self {
            complex,
            halves: upload(device, 0..length / 2 / LANES, length)?,
            between: DeviceBuffer::uninit(device, length / 2 * batch)?,
        })
    }

    /// Writes the first half of the transform of each sequence of `input`, and one element more, to
    /// `output`: the sums with e^(-2 pi i j k / n). The sequences follow each other.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `output` has no room, or the workspace was made for fewer sequences;
    /// [`Error::Unsupported`] if the last sequence is not whole; [`Error::Memory`] if `input`
    /// begins where no complex number may begin; [`Error::TooMany`] for 2^31 blocks;
    /// [`Error::Launch`], [`Error::Graph`].
    pub fn forward(
        &mut self,
        mut queue: impl Queue,
        input: &DeviceBuffer<C::Part>,
        output: &mut DeviceBuffer<C>,
    ) -> Result<(), Error> {
        let (log, half) = (self.complex.log, 1 << self.complex.log);
        let count = self.count(input.len(), 2 * half)?;
        Error::unless_enough("an output", count * (half + 1), output.len())?;
        let (input, output) = (input.as_vectors::<C>()?, &mut output.cast_mut());
        if LOG_REALS.contains(&log) {
            let roots = [&self.complex.roots[0], &self.halves];
            return C::reals(
                &mut queue,
                (log, count),
                &input,
                roots,
                output,
                (false, 1.0),
            );
        }
        let between = &mut self.between.cast_mut();
        self.complex
            .queue(&mut queue, &input, between, (false, 1.0))?;
        let (between, how) = (&self.between, (count, false));
        C::halves(&mut queue, log, between, &self.halves, output, how)
    }

    /// Writes the sequences to `output` whose transforms [`Self::forward`] has written: the sums
    /// with e^(2 pi i j k / n) / n. The first and the last element of a transform have no imaginary
    /// part.
    ///
    /// # Errors
    /// As for [`Self::forward`]; it is `output` that has to begin where a complex number may.
    pub fn inverse(
        &mut self,
        mut queue: impl Queue,
        input: &DeviceBuffer<C>,
        output: &mut DeviceBuffer<C::Part>,
    ) -> Result<(), Error> {
        let (log, half) = (self.complex.log, 1 << self.complex.log);
        let count = self.count(input.len(), half + 1)?;
        Error::unless_enough("an output", count * 2 * half, output.len())?;
        let output = &mut output.as_vectors_mut::<C>()?;
        let by = (1.0 / half as f64) as f32;
        if LOG_REALS.contains(&log) {
            let roots = [&self.complex.roots[0], &self.halves];
            return C::reals(&mut queue, (log, count), input, roots, output, (true, by));
        }
        let (between, how) = (&mut self.between.cast_mut(), (count, true));
        C::halves(&mut queue, log, input, &self.halves, between, how)?;
        let joined = if self.between.len() == count * half {
            // The whole buffer, so that a graph can have it.
            self.between.cast()
        } else {
            self.between.slice(..count * half)
        };
        self.complex.queue(&mut queue, &joined, output, (true, by))
    }

    /// Returns how many sequences or transforms of `of` elements there are.
    fn count(&self, len: usize, of: usize) -> Result<usize, Error> {
        if !len.is_multiple_of(of) {
            return Err(Error::Unsupported("the last sequence is not whole"));
        }
        let count = len / of;
        if !LOG_REALS.contains(&self.complex.log) {
            Error::unless_enough("a workspace", count << self.complex.log, self.between.len())?;
        }
        Ok(count)
    }
}
