//! The product of a dense matrix and a vector, as in BLAS.

use anyhow::Result;
use gpu::algorithms::gemv::gemv as kernel;
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, Stream};

use super::precision::{Precision, numbers};
use super::{AlgorithmError, Floats, area, at_least, dot, side, warp_each};
use crate::{Case, Pattern, Setup, Size, Variant, Work, nvidia};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "gemv",
    chapter: "algorithms",
    summary: "alpha A x + beta y, a warp for each row: the time is that of reading the matrix",
    source: "Professional CUDA C Programming, chapter 8",
    size: Size {
        of: "rows and columns",
        is_square: true,
        default: 256,
        bench: Some(16384),
    },
    variants: &[
        Variant::new("gemv", prepare::<f32>)
            .runs("gemv_f32_4")
            .beside(beside::<f32>),
        Variant::new("gemv_f64", prepare::<f64>)
            .runs("gemv_f64_2")
            .beside(beside::<f64>),
    ],
};

/// The precisions of products.
pub trait Multiplies: Precision {
    #[doc(hidden)]
    fn launch(
        stream: &Stream,
        config: LaunchConfig,
        arguments: Arguments<'_, Self>,
    ) -> Result<(), LaunchError>;
}

/// Matrix, shape, vector, factors and product.
type Arguments<'a, T> = (
    &'a DeviceBuffer<T>,
    [u32; 4],
    &'a DeviceBuffer<T>,
    [T; 2],
    &'a mut DeviceBuffer<T>,
);

macro_rules! multiplies {
    ($($real:ident $lanes:literal;)*) => {
        $(
            impl Multiplies for $real {
                fn launch(
                    stream: &Stream,
                    config: LaunchConfig,
                    arguments: Arguments<'_, Self>,
                ) -> Result<(), LaunchError> {
                    stream.launch(kernel::<$real, $lanes>, config, arguments)
                }
            }
        )*
    };
}

multiplies! {
    f32 4;
    f64 2;
}

/// Queues `y = alpha A x + beta y`. The rows of `A` have `columns` elements, and their starts are
/// `stride` elements apart. If `beta` is 0, the old contents of `y` are ignored.
///
/// # Errors
/// [`AlgorithmError::Length`] if a buffer is shorter than its shape, or if rows overlap; the error
/// of the launch.
pub fn gemv<T: Multiplies>(
    stream: &Stream,
    factors: [T; 2],
    (a, shape): (&DeviceBuffer<T>, [usize; 3]),
    x: &DeviceBuffer<T>,
    y: &mut DeviceBuffer<T>,
) -> Result<(), AlgorithmError> {
    gemv_batched(stream, factors, (a, shape), x, y, 1)
}

/// Queues `batch` products at once. The matrices have one shape and follow one after another
/// (`rows` times `stride` elements apart), and so do the vectors.
///
/// # Errors
/// As [`gemv`].
pub fn gemv_batched<T: Multiplies>(
    stream: &Stream,
    factors: [T; 2],
    (a, [rows, columns, stride]): (&DeviceBuffer<T>, [usize; 3]),
    x: &DeviceBuffer<T>,
    y: &mut DeviceBuffer<T>,
    batch: usize,
) -> Result<(), AlgorithmError> {
    at_least("the stride of the rows", stride, columns)?;
    let all = area("the rows", rows, batch)?;
    let last = area("the matrix", all.saturating_sub(1), stride)?;
    let length = if all == 0 {
        0
    } else {
        last.saturating_add(columns)
    };
    at_least("the matrix", a.len(), length)?;
    at_least("x", x.len(), area("x", columns, batch)?)?;
    at_least("y", y.len(), all)?;
    let shape = [
        side("a column", rows)?,
        side("a row", columns)?,
        side("the stride", stride)?,
        side("the number of products", batch)?,
    ];
    let config = warp_each(all, LaunchConfig::DEFAULT_BLOCK);
    T::launch(stream, config, (a, shape, x, factors, y))?;
    Ok(())
}

/// `alpha` and `beta` of the case.
const FACTORS: [f64; 2] = [1.5, -0.5];

/// A matrix with its rows, columns and stride, a vector, and the old product. The padding of a row
/// is `by` elements.
type Input<T> = (Vec<T>, [usize; 3], [Vec<T>; 2]);

fn numbers_of<T: Precision>(setup: Setup) -> Result<Input<T>> {
    let (columns, rows) = setup.matrix()?;
    let stride = columns + setup.by.unwrap_or(0) as usize;
    let matrix = numbers(stride * rows, setup.seed);
    let x = numbers(columns, setup.seed.wrapping_add(1));
    let start = numbers(rows, setup.seed.wrapping_add(2));
    Ok((matrix, [rows, columns, stride], [x, start]))
}

/// Prepares the same product by cuBLAS.
fn beside<T: Precision + nvidia::Number>(
    device: &Device,
    setup: Setup,
) -> Result<Box<dyn nvidia::Job>> {
    let (matrix, shape, [x, y]) = numbers_of::<T>(setup)?;
    nvidia::gemv(device, FACTORS.map(T::rounded), (&matrix, shape), &x, &y)
}

fn prepare<T: Multiplies>(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let (matrix, [rows, columns, stride], [x, start]) = numbers_of::<T>(setup)?;
    let [alpha, beta] = FACTORS;
    let expected = (0..rows).map(|row| {
        let elements = matrix[row * stride..][..columns].iter().copied();
        let (sum, tolerance) = dot(elements.zip(x.iter().copied()));
        let value = alpha * sum + beta * start[row].into();
        (value, 2.0 * tolerance + 4.0 * T::UNIT)
    });
    let expected = setup.expected(|| expected.collect());

    let matrix = DeviceBuffer::from_slice(device, &matrix)?;
    let x = DeviceBuffer::from_slice(device, &x)?;
    let mut y = DeviceBuffer::zeroed(device, rows)?;
    y.copy_from_slice(&start)?;
    let work = Work::Bytes((size_of::<T>() * columns * rows) as u64);
    let factors = FACTORS.map(T::rounded);
    Ok(Floats::boxed(y, expected, work, move |stream, y| {
        let a = (&matrix, [rows, columns, stride]);
        Ok(gemv(stream, factors, a, &x, y)?)
    }))
}
