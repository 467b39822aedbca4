//! Products of matrices.

use lanewise::{DeviceBuffer, DeviceCopy};

use crate::kernels::gemm::{
    self as kernels, ACROSS, ACROSS_SINGLY, ALONG, MOST, SHARED_BYTES, SIDE, THREADS,
};
use crate::kernels::gemm_f64 as double;
use crate::queue::grid;
use crate::{Error, Queue};

/// Products of matrices: `C = alpha A B + beta C`, with `m` rows and `n` columns.
///
/// All matrices are row after row. Those of several products of one shape follow each other. Each
/// element is a sum of `k` products in the order of `k`, each added with one rounding, so a result
/// is the same in each run. Products of `f32` use no tensor core. Those of `f64` do, and need a GPU
/// of compute capability 9.0.
///
/// Factors of `F16` and `Bf16` are multiplied by tensor cores and added up in `f32`, which the
/// hardware does in an order and with roundings of its own. The product is `f32`, or has the type
/// of the factors. On compute capability 9.0 it is fastest if all rows begin at multiples of
/// sixteen bytes.
///
/// Factors of `E4m3` and `E5m2`, floats of 8 bits, need Hopper, aligned rows, and the transpose of
/// `B`. The product is `f32`, `Bf16`, or has the type of the factors; `alpha` is their scale. The
/// tensor cores cut such products off at about 13 bits below the sum so far. So a long sum of
/// products of one sign loses some percent, as with cuBLASLt's fast accumulation.
///
/// ```
/// use lanewise::{Device, DeviceBuffer};
/// use lanewise_algorithms::Gemm;
///
/// let device = Device::open()?;
/// let a = DeviceBuffer::from_slice(&device, &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let b = DeviceBuffer::from_slice(&device, &[1.0f32, 0.0, 2.0])?;
/// let mut c = DeviceBuffer::<f32>::zeroed(&device, 2)?;
/// // Two rows of three elements, times one column of three.
/// Gemm::new(2, 1, 3).multiply(&device.stream()?, &a, &b, &mut c)?;
/// assert_eq!(c.to_vec()?, [7.0, 16.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// ```
/// # use lanewise::{Device, DeviceBuffer};
/// # use lanewise_algorithms::Gemm;
/// use lanewise_std::half::Bf16;
///
/// # let device = Device::open()?;
/// let a = DeviceBuffer::from_slice(&device, &[Bf16::from_f32(1.5); 16 * 8])?;
/// let mut c = DeviceBuffer::<f32>::zeroed(&device, 16 * 16)?;
/// // `A` times its own transpose.
/// let of = Gemm { is_b_transposed: true, ..Gemm::new(16, 16, 8) };
/// of.multiply(&device.stream()?, &a, &a, &mut c)?;
/// assert_eq!(c.to_vec()?, [18.0; 16 * 16]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gemm<S = f32> {
    /// Rows of `A` and `C`.
    pub m: u32,
    /// Columns of `B` and `C`.
    pub n: u32,
    /// Columns of `A` and rows of `B`.
    pub k: u32,
    /// The number of products.
    pub batch: u32,
    /// Whether `A` is given as its transpose, with `k` rows.
    pub is_a_transposed: bool,
    /// Whether `B` is given as its transpose, with `n` rows.
    pub is_b_transposed: bool,
    /// The factor of the product.
    pub alpha: S,
    /// The factor of what `C` was before. If it is 0, `C` is not read, and may hold anything.
    pub beta: S,
}

/// An element of the factors of a [`Gemm`] whose product has elements `C`.
pub trait Factor<C: DeviceCopy = Self>: DeviceCopy + sealed::Sealed {
    /// In what the products are added up, and what `alpha` and `beta` are.
    type Sum: Copy;

    /// Queues the products, which have been checked.
    #[doc(hidden)]
    fn queue(
        of: Gemm<Self::Sum>,
        queue: impl Queue,
        factors: [&DeviceBuffer<Self>; 2],
        c: &mut DeviceBuffer<C>,
    ) -> Result<(), Error>;
}

mod sealed {
    use lanewise_std::float8::{E4m3, E5m2};
    use lanewise_std::half::{Bf16, F16};

    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
    impl Sealed for F16 {}
    impl Sealed for Bf16 {}
    impl Sealed for E4m3 {}
    impl Sealed for E5m2 {}
}

impl<S> Gemm<S> {
    /// Returns one product `C = A B` of this shape.
    #[must_use]
    pub fn new(m: u32, n: u32, k: u32) -> Self
    where
        S: From<f32>,
    {
        Gemm {
            m,
            n,
            k,
            batch: 1,
            is_a_transposed: false,
            is_b_transposed: false,
            alpha: 1.0.into(),
            beta: 0.0.into(),
        }
    }

    /// Computes the products.
    ///
    /// # Errors
    /// [`Error::TooShort`] if a buffer has less than its matrices; [`Error::TooMany`] if a side is
    /// longer than 2^23, or there are 2^31 tiles of 128 x 128 elements; [`Error::Unsupported`] for
    /// floats of 8 bits that no kernel multiplies; [`Error::Launch`], [`Error::Graph`].
    pub fn multiply<T: Factor<C, Sum = S>, C: DeviceCopy>(
        self,
        queue: impl Queue,
        a: &DeviceBuffer<T>,
        b: &DeviceBuffer<T>,
        c: &mut DeviceBuffer<C>,
    ) -> Result<(), Error> {
        self.check(a.len(), b.len(), c.len())?;
        T::queue(self, queue, [a, b], c)
    }

    /// Returns an error if a buffer of this length is too short for its matrices, or a side is too
    /// long.
    pub(crate) fn check(&self, a: usize, b: usize, c: usize) -> Result<(), Error> {
        let [m, n, k, batch] = [self.m, self.n, self.k, self.batch].map(|side| side as usize);
        let all = |rows: usize, columns: usize| (rows * columns).saturating_mul(batch);
        Error::unless_enough("an A", all(m, k), a)?;
        Error::unless_enough("a B", all(k, n), b)?;
        Error::unless_enough("a C", all(m, n), c)?;
        Error::unless_few("rows or columns", MOST, m.max(n).max(k))
    }

    /// Returns the number of tiles of this size.
    pub(crate) fn tiles(&self, rows: usize, columns: usize) -> usize {
        let of_product = (self.m as usize).div_ceil(rows) * (self.n as usize).div_ceil(columns);
        of_product.saturating_mul(self.batch as usize)
    }

    /// Returns the shape as the kernels take it.
    pub(crate) fn shape(&self) -> [u32; 4] {
        [self.m, self.n, self.k, self.batch]
    }
}

impl Factor for f32 {
    type Sum = f32;

    fn queue(
        of: Gemm,
        mut queue: impl Queue,
        [a, b]: [&DeviceBuffer<f32>; 2],
        c: &mut DeviceBuffer<f32>,
    ) -> Result<(), Error> {
        let Some(config) = grid(of.tiles(SIDE, SIDE), THREADS as u32)? else {
            return Ok(());
        };
        let config = config.with_dynamic_shared(SHARED_BYTES);
        let across = |side: u32, factor: &DeviceBuffer<f32>| {
            let is_aligned = side.is_multiple_of(4) && factor.address().is_multiple_of(16);
            if is_aligned { ACROSS } else { ACROSS_SINGLY }
        };
        let of_a = if of.is_a_transposed {
            across(of.m, a)
        } else {
            ALONG
        };
        let of_b = if of.is_b_transposed {
            ALONG
        } else {
            across(of.n, b)
        };
        let factors = [of.alpha, of.beta];
        macro_rules! launch {
            ($($a:ident $b:ident,)*) => {
                match (of_a, of_b) {
                    $(($a, $b) => {
                        let kernel = kernels::gemm::<$a, $b>;
                        c.device().set_max_dynamic_shared(kernel, SHARED_BYTES)?;
                        queue.launch(kernel, config, (a, b, c, of.shape(), factors))
                    })*
                    _ => unreachable!("these are all kinds of factors"),
                }
            };
        }
        launch!(
            ALONG ALONG, ALONG ACROSS, ALONG ACROSS_SINGLY,
            ACROSS ALONG, ACROSS ACROSS, ACROSS ACROSS_SINGLY,
            ACROSS_SINGLY ALONG, ACROSS_SINGLY ACROSS, ACROSS_SINGLY ACROSS_SINGLY,
        )
    }
}

impl Factor for f64 {
    type Sum = f64;

    fn queue(
        of: Gemm<f64>,
        mut queue: impl Queue,
        [a, b]: [&DeviceBuffer<f64>; 2],
        c: &mut DeviceBuffer<f64>,
    ) -> Result<(), Error> {
        let tiles = of.tiles(double::ROWS, double::COLUMNS);
        let Some(config) = grid(tiles, double::THREADS as u32)? else {
            return Ok(());
        };
        let config = config.with_dynamic_shared(double::SHARED_BYTES);
        let is_aligned = |row: u32, factor: &DeviceBuffer<f64>| {
            row.is_multiple_of(2) && factor.address().is_multiple_of(16)
        };
        let (of_a, row_of_a) = if of.is_a_transposed {
            (ACROSS, of.m)
        } else {
            (ALONG, of.k)
        };
        let (of_b, row_of_b) = if of.is_b_transposed {
            (ALONG, of.k)
        } else {
            (ACROSS, of.n)
        };
        let are_aligned = is_aligned(row_of_a, a) && is_aligned(row_of_b, b);
        let factors = [of.alpha, of.beta];
        macro_rules! launch {
            ($($a:ident $b:ident $aligned:literal,)*) => {
                match (of_a, of_b, are_aligned) {
                    $(($a, $b, $aligned) => {
                        let kernel = double::gemm_f64::<$a, $b, $aligned>;
                        c.device().set_max_dynamic_shared(kernel, double::SHARED_BYTES)?;
                        queue.launch(kernel, config, (a, b, c, of.shape(), factors))
                    })*
                    _ => unreachable!("these are all kinds of factors"),
                }
            };
        }
        launch!(
            ALONG ALONG false, ALONG ACROSS false, ACROSS ALONG false, ACROSS ACROSS false,
            ALONG ALONG true, ALONG ACROSS true, ACROSS ALONG true, ACROSS ACROSS true,
        )
    }
}
