//! Products of matrices.

use lanewise::DeviceBuffer;

use crate::kernels::gemm::{
    self as kernels, ACROSS, ACROSS_SINGLY, ALONG, MOST, SHARED_BYTES, SIDE, THREADS,
};
use crate::queue::grid;
use crate::{Error, Queue};

/// Products of matrices of `f32`: `C = alpha A B + beta C`, with `m` rows and `n` columns.
///
/// All matrices are row after row. Those of several products of one shape follow each other. Each
/// element is a sum of `k` products in single precision, in the order of `k`: no tensor core is
/// used, and a result is the same in each run.
///
/// ```
/// use lanewise::{Device, DeviceBuffer};
/// use lanewise_algorithms::Gemm;
///
/// let device = Device::open()?;
/// let a = DeviceBuffer::from_slice(&device, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let b = DeviceBuffer::from_slice(&device, &[1.0, 0.0, 2.0])?;
/// let mut c = DeviceBuffer::<f32>::zeroed(&device, 2)?;
/// // Two rows of three elements, times one column of three.
/// Gemm::new(2, 1, 3).multiply(&device.stream()?, &a, &b, &mut c)?;
/// assert_eq!(c.to_vec()?, [7.0, 16.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gemm {
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
    pub alpha: f32,
    /// The factor of what `C` was before. If it is 0, `C` is not read, and may hold anything.
    pub beta: f32,
}

impl Gemm {
    /// Returns one product `C = A B` of this shape.
    #[must_use]
    pub const fn new(m: u32, n: u32, k: u32) -> Self {
        Gemm {
            m,
            n,
            k,
            batch: 1,
            is_a_transposed: false,
            is_b_transposed: false,
            alpha: 1.0,
            beta: 0.0,
        }
    }

    /// Computes the products.
    ///
    /// # Errors
    /// [`Error::TooShort`] if a buffer has less than its matrices; [`Error::TooMany`] if a side is
    /// longer than 2^23, or there are 2^31 tiles of 128 x 128 elements; [`Error::Launch`],
    /// [`Error::Graph`].
    pub fn multiply(
        self,
        mut queue: impl Queue,
        a: &DeviceBuffer<f32>,
        b: &DeviceBuffer<f32>,
        c: &mut DeviceBuffer<f32>,
    ) -> Result<(), Error> {
        let [m, n, k, batch] = [self.m, self.n, self.k, self.batch].map(|side| side as usize);
        let all = |rows: usize, columns: usize| (rows * columns).saturating_mul(batch);
        Error::unless_enough("an A", all(m, k), a.len())?;
        Error::unless_enough("a B", all(k, n), b.len())?;
        Error::unless_enough("a C", all(m, n), c.len())?;
        Error::unless_few("rows or columns", MOST, m.max(n).max(k))?;
        let tiles = (m.div_ceil(SIDE) * n.div_ceil(SIDE)).saturating_mul(batch);
        let Some(config) = grid(tiles, THREADS as u32)? else {
            return Ok(());
        };
        let config = config.with_dynamic_shared(SHARED_BYTES);
        let across = |side: usize, factor: &DeviceBuffer<f32>| {
            let is_aligned = side.is_multiple_of(4) && factor.address().is_multiple_of(16);
            if is_aligned { ACROSS } else { ACROSS_SINGLY }
        };
        let of_a = if self.is_a_transposed {
            across(m, a)
        } else {
            ALONG
        };
        let of_b = if self.is_b_transposed {
            ALONG
        } else {
            across(n, b)
        };
        let shape = [self.m, self.n, self.k, self.batch];
        let factors = [self.alpha, self.beta];
        macro_rules! launch {
            ($($a:ident $b:ident,)*) => {
                match (of_a, of_b) {
                    $(($a, $b) => {
                        let kernel = kernels::gemm::<$a, $b>;
                        c.device().set_max_dynamic_shared(kernel, SHARED_BYTES)?;
                        queue.launch(kernel, config, (a, b, c, shape, factors))
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
