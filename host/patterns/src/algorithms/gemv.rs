//! A dense matrix and a vector, as BLAS has it.

use anyhow::Result;
use gpu::algorithms::gemv::gemv as kernel;
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};

use super::{AlgorithmError, Floats, area, at_least, dot, side, warp_each};
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "gemv",
    chapter: "algorithms",
    summary: "alpha A x + beta y, a warp for each row: the time is that of reading the matrix",
    source: "CUDA study notes, chapter 8",
    size: Size {
        of: "rows and columns",
        default: 256,
        bench: Some(16384),
    },
    variants: &[Variant::new("gemv", prepare)],
};

/// `y = alpha A x + beta y`, where `A` has rows of `columns` elements, `stride` from one to the next. Where `beta` is 0, what is in `y` does not matter.
///
/// # Errors
/// [`AlgorithmError::Length`] when a buffer is shorter than the shape says, or rows overlap; the launch's.
pub fn gemv(
    device: &Device,
    stream: &Stream,
    [alpha, beta]: [f32; 2],
    (a, [rows, columns, stride]): (&DeviceBuffer<f32>, [usize; 3]),
    x: &DeviceBuffer<f32>,
    y: &mut DeviceBuffer<f32>,
) -> Result<(), AlgorithmError> {
    at_least("the stride of the rows", stride, columns)?;
    let last = area("the matrix", rows.saturating_sub(1), stride)?;
    at_least(
        "the matrix",
        a.len(),
        if rows == 0 {
            0
        } else {
            last.saturating_add(columns)
        },
    )?;
    at_least("x", x.len(), columns)?;
    at_least("y", y.len(), rows)?;
    let shape = [
        side("a column", rows)?,
        side("a row", columns)?,
        side("the stride", stride)?,
    ];
    let config = warp_each(rows, LaunchConfig::DEFAULT_BLOCK);
    device.launch(stream, kernel, config, (a, shape, x, [alpha, beta], y))?;
    Ok(())
}

/// Rows are three elements apart.
fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let (columns, rows) = setup.matrix()?;
    let stride = columns + 3;
    let (alpha, beta) = (1.5, -0.5);
    let matrix = input::floats(stride * rows, setup.seed);
    let x = input::floats(columns, setup.seed.wrapping_add(1));
    let start = input::floats(rows, setup.seed.wrapping_add(2));
    let expected = (0..rows).map(|row| {
        let elements = matrix[row * stride..][..columns].iter().copied();
        let (sum, tolerance) = dot(elements.zip(x.iter().copied()));
        let value = f64::from(alpha) * sum + f64::from(beta) * f64::from(start[row]);
        (value, 2.0 * tolerance + 1e-6)
    });
    let expected = setup.expected(|| expected.collect());

    let matrix = DeviceBuffer::from_slice(device, &matrix)?;
    let x = DeviceBuffer::from_slice(device, &x)?;
    let mut y = DeviceBuffer::zeroed(device, rows)?;
    y.copy_from_slice(&start)?;
    let (device, work) = (device.clone(), Work::Bytes(4 * (columns * rows) as u64));
    Ok(Floats::boxed(y, expected, work, move |stream, y| {
        let a = (&matrix, [rows, columns, stride]);
        Ok(gemv(&device, stream, [alpha, beta], a, &x, y)?)
    }))
}
