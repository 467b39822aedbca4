//! Fourier transforms.

mod plane;
mod real;

pub use plane::Fft2d;
pub use real::RealFft;

use std::f64::consts::TAU;

use lanewise::{Device, DeviceBuffer, DeviceCopy, LaunchConfig, MemoryError, Part, Pod};
use lanewise_std::vector::{Double2, Float2, Vector};

use crate::kernels::fft::{
    self as kernels, Complex, FIRST, LANES, LOG_COLUMNS, LOG_ROWS, Matrices, SECOND,
};
use crate::queue::grid;
use crate::{Error, Queue};

/// The logarithm of the longest transform.
const LOG_MOST: u32 = 2 * LOG_COLUMNS;
/// Threads of a block for the shortest transforms.
const SHORT: u32 = 128;
/// Threads of a block that parts or joins halves.
const HALVES: u32 = 256;

/// Fourier transforms of one length, of any number of sequences at once: `cufftExecC2C` and
/// `cufftExecZ2Z`.
///
/// The length is a power of two up to 2^20. A complex number is a `Float2` or a `Double2`, with its
/// real part first. The error grows with the logarithm of the length, for each root is rounded, or
/// is the product of two that are.
///
/// ```
/// use lanewise::{Device, DeviceBuffer};
/// use lanewise_algorithms::Fft;
/// use lanewise_std::vector::Float2;
///
/// let device = Device::open()?;
/// let stream = device.stream()?;
/// let numbers = [1.0, 2.0, 3.0, 4.0].map(|re| Float2::new(re, 0.0));
/// let input = DeviceBuffer::from_slice(&device, &numbers)?;
/// let mut output = DeviceBuffer::zeroed(&device, 4)?;
/// let mut back = DeviceBuffer::zeroed(&device, 4)?;
/// let mut fft = Fft::new(&device, 4, 1)?;
/// fft.forward(&stream, &input, &mut output)?;
/// let expected = [(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0), (-2.0, -2.0)];
/// assert_eq!(output.to_vec()?, expected.map(|(re, im)| Float2::new(re, im)));
/// fft.inverse(&stream, &output, &mut back)?;
/// assert_eq!(back.to_vec()?, numbers);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Fft<C: Transformed> {
    /// The logarithm of the length.
    log: u32,
    /// The roots of the passes, of each kernel.
    roots: [DeviceBuffer<C>; 2],
    /// The roots between the two kernels of a long transform.
    turns: DeviceBuffer<C>,
    /// What the first kernel writes.
    between: DeviceBuffer<C>,
}

/// The numbers of an [`Fft`]: `Float2` and `Double2`.
pub trait Transformed:
    Complex<Part: DeviceCopy> + Vector<Element = Self::Part> + DeviceCopy + Pod
{
    /// Queues the transform of pieces of `2^log` elements.
    #[doc(hidden)]
    fn rows(
        queue: &mut impl Queue,
        log: u32,
        input: &DeviceBuffer<Self>,
        roots: &DeviceBuffer<Self>,
        output: &mut Part<'_, Self>,
        how: (bool, f32),
    ) -> Result<(), Error>;
    /// Queues the transform of `count` sequences of reals, two of which are one of `2^log`
    /// elements.
    #[doc(hidden)]
    fn reals(
        queue: &mut impl Queue,
        log_and_count: (u32, usize),
        input: &DeviceBuffer<Self>,
        roots: [&DeviceBuffer<Self>; 2],
        output: &mut Part<'_, Self>,
        how: (bool, f32),
    ) -> Result<(), Error>;
    /// Queues a step of the transform of matrices, or of their columns, of `2^log` elements.
    #[doc(hidden)]
    fn columns(
        queue: &mut impl Queue,
        step_and_log: (u32, u32),
        input: &DeviceBuffer<Self>,
        roots: [&DeviceBuffer<Self>; 2],
        output: &mut Part<'_, Self>,
        how: (Matrices, bool, f32),
    ) -> Result<(), Error>;
    /// Queues what comes after a transform of `2^log` elements that are reals, or before an inverse
    /// one, if it has a kernel to itself.
    #[doc(hidden)]
    fn halves(
        queue: &mut impl Queue,
        log: u32,
        input: &DeviceBuffer<Self>,
        halves: &DeviceBuffer<Self>,
        output: &mut Part<'_, Self>,
        how: (usize, bool),
    ) -> Result<(), Error>;
}

/// Uploads powers of the root of this length.
fn upload<C: Transformed>(
    device: &Device,
    powers: impl Iterator<Item = usize>,
    length: usize,
) -> Result<DeviceBuffer<C>, MemoryError> {
    let root = |power: usize| {
        let (sine, cosine) = (TAU * power as f64 / length as f64).sin_cos();
        C::nearest([cosine, -sine])
    };
    DeviceBuffer::from_slice(device, &powers.map(root).collect::<Vec<C>>())
}

/// Returns the logarithms of the columns and the rows of a long transform, as a matrix.
const fn sides(log: u32) -> [u32; 2] {
    [log.div_ceil(2), log / 2]
}

impl<C: Transformed> Fft<C> {
    /// Makes the transform of this length, with its roots. If the length is more than 4096, it has
    /// workspace for `batch` sequences, which are under way at once: as much memory as these have.
    /// `algorithms --tune fft` measures how many are the fastest on a GPU; on an H200, all.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the length is not a power of two from 2 to 2^20;
    /// [`Error::TooMany`] for 2^40 elements; [`Error::Memory`].
    pub fn new(device: &Device, length: usize, batch: usize) -> Result<Self, Error> {
        let log = length.checked_ilog2().unwrap_or(0);
        if !length.is_power_of_two() || !(1..=LOG_MOST).contains(&log) {
            let what = "a transform has a power of two of elements, from 2 to 2^20";
            return Err(Error::Unsupported(what));
        }
        let of = |log: u32| upload(device, kernels::powers(log), 1 << log);
        if log <= LOG_ROWS {
            let none = || DeviceBuffer::uninit(device, 0);
            return Ok(Self {
                log,
                roots: [of(log)?, none()?],
                turns: none()?,
                between: none()?,
            });
        }
        Error::unless_few("sequences", 1 << LOG_MOST, batch)?;
        let [log_column, log_row] = sides(log);
        let (threads, columns) = (kernels::threads(log_column), 1usize << log_row);
        let first = (0..columns).flat_map(|column| (0..threads).map(move |t| t * column));
        let steps = (0..columns).flat_map(|column| (0..LANES).map(move |m| m * threads * column));
        Ok(Self {
            log,
            roots: [of(log_column)?, of(log_row)?],
            turns: upload(device, first.chain(steps), length)?,
            between: DeviceBuffer::uninit(device, length * batch.max(1))?,
        })
    }

    /// Writes the transform of each sequence of `input` to `output`: the sums with
    /// e^(-2 pi i j k / n). The sequences follow each other.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `output` is shorter than `input`; [`Error::Unsupported`] if the last
    /// sequence is not whole; [`Error::TooMany`] for 2^31 blocks; [`Error::Launch`],
    /// [`Error::Graph`].
    pub fn forward(
        &mut self,
        mut queue: impl Queue,
        input: &DeviceBuffer<C>,
        output: &mut DeviceBuffer<C>,
    ) -> Result<(), Error> {
        self.queue(&mut queue, input, &mut output.cast_mut(), (false, 1.0))
    }

    /// Writes the inverse transform, the sums with e^(2 pi i j k / n) / n: what [`Self::forward`]
    /// has transformed is as before.
    ///
    /// # Errors
    /// As for [`Self::forward`].
    pub fn inverse(
        &mut self,
        mut queue: impl Queue,
        input: &DeviceBuffer<C>,
        output: &mut DeviceBuffer<C>,
    ) -> Result<(), Error> {
        let by = (1.0 / f64::from(1u32 << self.log)) as f32;
        self.queue(&mut queue, input, &mut output.cast_mut(), (true, by))
    }

    fn queue(
        &mut self,
        queue: &mut impl Queue,
        input: &DeviceBuffer<C>,
        output: &mut Part<'_, C>,
        (is_inverse, by): (bool, f32),
    ) -> Result<(), Error> {
        let len = input.len();
        Error::unless_enough("an output", len, output.len())?;
        if !len.is_multiple_of(1 << self.log) {
            return Err(Error::Unsupported("the last sequence is not whole"));
        }
        let [first, second] = &self.roots;
        if self.log <= LOG_ROWS {
            return C::rows(queue, self.log, input, first, output, (is_inverse, by));
        }
        let [column, row] = sides(self.log);
        let of_group = self.between.len();
        // Whole buffers, so that a graph can have them.
        for start in (0..len).step_by(of_group) {
            let matrices = |from, to, log_columns: u32| Matrices {
                from,
                to,
                len: of_group.min(len - start),
                log_columns: log_columns as usize,
            };
            let (between, roots) = (&mut self.between.cast_mut(), [first, &self.turns]);
            let (step, how) = ((FIRST, column), (matrices(start, 0, row), is_inverse, 1.0));
            C::columns(queue, step, input, roots, between, how)?;
            let (between, roots) = (&self.between, [second, &self.turns]);
            let (step, how) = ((SECOND, row), (matrices(0, start, column), false, by));
            C::columns(queue, step, between, roots, output, how)?;
        }
        Ok(())
    }
}

/// Calls a kernel whose number of elements is one of these.
macro_rules! one_of {
    ($log:expr, $($number:literal)* => $launch:ident) => {
        match $log {
            $($number => $launch!($number),)*
            _ => Err(Error::Unsupported("no kernel has this length")),
        }
    };
}

macro_rules! transformed {
    ($($ty:ident $columns:ident $tall:ident;)*) => {$(
        impl Transformed for $ty {
            fn rows(
                queue: &mut impl Queue,
                log: u32,
                input: &DeviceBuffer<Self>,
                roots: &DeviceBuffer<Self>,
                output: &mut Part<'_, Self>,
                (is_inverse, by): (bool, f32),
            ) -> Result<(), Error> {
                let pieces = input.len() >> log;
                if log < 4 {
                    let Some(config) = grid(pieces.div_ceil(SHORT as usize), SHORT)? else {
                        return Ok(());
                    };
                    let arguments = (input, &mut *output, is_inverse, by);
                    // SAFETY: the output is as long as the input, a multiple of the length.
                    return unsafe {
                        match log {
                            1 => queue.launch_unchecked(kernels::fft_short::<$ty, 2>, config, arguments),
                            2 => queue.launch_unchecked(kernels::fft_short::<$ty, 4>, config, arguments),
                            _ => queue.launch_unchecked(kernels::fft_short::<$ty, 8>, config, arguments),
                        }
                    };
                }
                let Some(config) = launch_of_rows::<$ty>(log, pieces)? else {
                    return Ok(());
                };
                macro_rules! queued {
                    ($number:literal) => {{
                        let kernel = kernels::fft_rows::<$ty, $number>;
                        input.device().set_max_dynamic_shared(kernel, config.dynamic_shared)?;
                        let arguments = (input, roots, &mut *output, is_inverse, by);
                        // SAFETY: the roots are those of this length, the output is as long as the
                        // input, a multiple of the length, and the room is there.
                        unsafe { queue.launch_unchecked(kernel, config, arguments) }
                    }};
                }
                one_of!(log, 4 5 6 7 8 9 10 11 12 => queued)
            }

            fn reals(
                queue: &mut impl Queue,
                (log, count): (u32, usize),
                input: &DeviceBuffer<Self>,
                [roots, halves]: [&DeviceBuffer<Self>; 2],
                output: &mut Part<'_, Self>,
                (is_inverse, by): (bool, f32),
            ) -> Result<(), Error> {
                let Some(config) = launch_of_rows::<$ty>(log, count)? else {
                    return Ok(());
                };
                macro_rules! queued {
                    ($number:literal) => {{
                        let kernel = kernels::fft_reals::<$ty, $number>;
                        input.device().set_max_dynamic_shared(kernel, config.dynamic_shared)?;
                        let arguments = (input, roots, halves, &mut *output, is_inverse, by);
                        // SAFETY: the roots are those of this length, both buffers have so many
                        // sequences, and the room is there.
                        unsafe { queue.launch_unchecked(kernel, config, arguments) }
                    }};
                }
                one_of!(log, 9 10 11 12 => queued)
            }

            fn columns(
                queue: &mut impl Queue,
                (step, log): (u32, u32),
                input: &DeviceBuffer<Self>,
                [roots, turns]: [&DeviceBuffer<Self>; 2],
                output: &mut Part<'_, Self>,
                (matrices, is_inverse, by): (Matrices, bool, f32),
            ) -> Result<(), Error> {
                let (of_block, threads) = (kernels::columns::<$ty>(log), kernels::threads(log));
                let room = kernels::room::<$ty>(log, of_block);
                let blocks = (matrices.len >> log).div_ceil(of_block);
                let Some(config) = launch::<$ty>(blocks, of_block * threads, room)? else {
                    return Ok(());
                };
                macro_rules! queued {
                    ($kernel:expr) => {{
                        let kernel = $kernel;
                        input.device().set_max_dynamic_shared(kernel, config.dynamic_shared)?;
                        let arguments =
                            (input, roots, turns, &mut *output, matrices, is_inverse, by);
                        // SAFETY: the roots are those of these sides, the matrices are in both
                        // buffers, in the first step at least as wide as a block, and the room is
                        // there.
                        unsafe { queue.launch_unchecked(kernel, config, arguments) }
                    }};
                }
                macro_rules! first {
                    ($number:literal) => {
                        queued!(kernels::$columns::<$number, 0>)
                    };
                }
                macro_rules! second {
                    ($number:literal) => {
                        queued!(kernels::$columns::<$number, 1>)
                    };
                }
                macro_rules! tall {
                    ($number:literal) => {
                        queued!(kernels::$tall::<$number, 1>)
                    };
                }
                if step == FIRST {
                    one_of!(log, 7 8 9 10 => first)
                } else if log > LOG_COLUMNS {
                    one_of!(log, 11 12 => tall)
                } else {
                    one_of!(log, 6 7 8 9 10 => second)
                }
            }

            fn halves(
                queue: &mut impl Queue,
                log: u32,
                input: &DeviceBuffer<Self>,
                halves: &DeviceBuffer<Self>,
                output: &mut Part<'_, Self>,
                (count, is_inverse): (usize, bool),
            ) -> Result<(), Error> {
                let threads = count * halves.len();
                let Some(config) = grid(threads.div_ceil(HALVES as usize), HALVES)? else {
                    return Ok(());
                };
                let arguments = (input, halves, output, count, log, is_inverse);
                // SAFETY: the roots are there, and both buffers have as many transforms.
                unsafe { queue.launch_unchecked(kernels::fft_halves::<$ty>, config, arguments) }
            }
        }
    )*};
}

transformed! {
    Float2 fft_columns_f32 fft_tall_f32;
    Double2 fft_columns_f64 fft_tall_f64;
}

/// Returns the launch of a block for each few pieces, or `None` if there are none.
fn launch_of_rows<C>(log: u32, pieces: usize) -> Result<Option<LaunchConfig>, Error> {
    let (of_block, threads) = (kernels::rows(log), kernels::threads(log));
    let room = kernels::room::<C>(log, of_block);
    launch::<C>(pieces.div_ceil(of_block), of_block * threads, room)
}

/// Returns the launch of blocks with room for so many elements, or `None` if there are none.
fn launch<C>(blocks: usize, threads: usize, room: usize) -> Result<Option<LaunchConfig>, Error> {
    let bytes = (room * size_of::<C>()) as u32;
    Ok(grid(blocks, threads as u32)?.map(|config| config.with_dynamic_shared(bytes)))
}
