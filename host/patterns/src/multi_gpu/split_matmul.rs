//! A matrix product whose second factor is split over the devices: by columns, or by rows.
//!
//! Large models are computed in this way: `b` contains the weights of a layer, and no device has
//! all of them. If `b` is split by columns, each device computes columns of the product, and an
//! all-gather combines them. If it is split by rows, each device computes a product of full size
//! from a part of the terms, and an all-reduce adds these products. If one layer is split by
//! columns and the next by rows, the two together need one all-reduce and no all-gather.

use std::ops::Range;

use anyhow::{Context, Result};
use gpu::shared::matmul::matmul_shared;
use lanewise::counters::Counters;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};

use super::group::Group;
use super::{devices, figure, shares};
use crate::streams::schedule;
use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "split_matmul",
    chapter: "multi_gpu",
    summary: "a product split by columns or by rows of its second factor, with the collective that each needs",
    source: "Shoeybi et al.: \"Megatron-LM\", 2019, section 3",
    size: Size {
        of: "rows and columns",
        is_square: true,
        default: 96,
        bench: None,
    },
    variants: &[
        Variant::new("matmul_by_columns", |_, setup| {
            Split::prepare(setup, SplitAlong::Columns)
        })
        .runs("matmul_shared_16"),
        Variant::new("matmul_by_rows", |_, setup| {
            Split::prepare(setup, SplitAlong::Rows)
        })
        .runs("matmul_shared_16"),
    ],
};

/// How the second factor is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SplitAlong {
    Columns,
    Rows,
}

/// A tile's side.
const TILE: u32 = 16;

/// The two factors of a device.
struct Factors {
    shape: [usize; 3],
    a: DeviceBuffer<f32>,
    b: DeviceBuffer<f32>,
}

struct Split {
    by: SplitAlong,
    devices: Vec<Device>,
    group: Group,
    factors: Vec<Factors>,
    /// The product of each device. If the split is by columns, all products have the width of the
    /// widest, because an all-gather needs equal lengths.
    products: Vec<DeviceBuffer<f32>>,
    /// The result of the all-gather on each device.
    gathered: Vec<DeviceBuffer<f32>>,
    shape: [usize; 3],
    columns: Vec<Range<usize>>,
    expected: Vec<f32>,
}

/// Returns small whole numbers, so that sums are exact in every order.
fn numbers(n: usize, seed: u64) -> Vec<f32> {
    input::words(n, seed)
        .iter()
        .map(|word| (word % 17) as f32 - 8.0)
        .collect()
}

/// Returns these columns of a matrix whose rows have `width` elements.
fn columns(matrix: &[f32], width: usize, columns: &Range<usize>) -> Vec<f32> {
    match width {
        0 => Vec::new(),
        _ => matrix
            .chunks(width)
            .flat_map(|row| row[columns.clone()].to_vec())
            .collect(),
    }
}

impl Split {
    fn prepare(setup: Setup, by: SplitAlong) -> Result<Box<dyn Case>> {
        let (m, n, k) = setup.product()?;
        let (a, b) = (numbers(m * k, setup.seed), numbers(k * n, setup.seed ^ 1));
        let devices = devices()?;
        let ranks = devices.len();
        let widest = n.div_ceil(ranks);
        let mut factors = Vec::new();
        let (of_columns, of_rows) = (shares(n, ranks), shares(k, ranks));
        for (rank, device) in devices.iter().enumerate() {
            let (a, b, shape) = match by {
                SplitAlong::Columns => {
                    let own = &of_columns[rank];
                    (a.clone(), columns(&b, n, own), [m, own.len(), k])
                }
                SplitAlong::Rows => {
                    let own = &of_rows[rank];
                    (
                        columns(&a, k, own),
                        b[own.start * n..own.end * n].to_vec(),
                        [m, n, own.len()],
                    )
                }
            };
            factors.push(Factors {
                shape,
                a: DeviceBuffer::from_slice(device, &a)?,
                b: DeviceBuffer::from_slice(device, &b)?,
            });
        }
        let (own, all) = match by {
            SplitAlong::Columns => (m * widest, m * widest * ranks),
            SplitAlong::Rows => (m * n, 0),
        };
        let buffers = |len| -> Result<Vec<DeviceBuffer<f32>>> {
            let buffer = |device| DeviceBuffer::zeroed(device, len);
            Ok(devices.iter().map(buffer).collect::<Result<_, _>>()?)
        };
        Ok(Box::new(Self {
            by,
            group: Group::new(&devices)?,
            products: buffers(own)?,
            gathered: buffers(all)?,
            factors,
            shape: [m, n, k],
            columns: of_columns,
            expected: setup.expected(|| product(&a, &b, [m, n, k])),
            devices,
        }))
    }

    /// Returns the product from the memory of one rank.
    fn result(&self, rank: usize) -> Result<Vec<f32>> {
        let [m, n, _] = self.shape;
        if self.by == SplitAlong::Rows {
            return Ok(self.products[rank].to_vec()?);
        }
        // The buffer contains the columns of one rank after another, each row by row. This combines
        // them into whole rows.
        let gathered = self.gathered[rank].to_vec()?;
        let each = gathered.len() / self.devices.len().max(1);
        let mut result = vec![0.0; m * n];
        for (columns, part) in self.columns.iter().zip(gathered.chunks(each.max(1))) {
            let width = columns.len();
            for row in 0..m {
                result[row * n + columns.start..row * n + columns.end]
                    .copy_from_slice(&part[row * width..(row + 1) * width]);
            }
        }
        Ok(result)
    }
}

impl Case for Split {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let streams = self.group.streams().to_vec();
        schedule::fork(stream, &streams)?;
        // ANCHOR: multiply
        let each = self.factors.iter().zip(&mut self.products);
        for (stream, (factors, product)) in streams.iter().zip(each) {
            let [m, n, k] = factors.shape;
            let config = LaunchConfig::cover_2d((n, m), (TILE, TILE));
            let mut product = product.slice_mut(..m * n);
            let (a, b) = (factors.a.matrix(k), factors.b.matrix(n));
            let arguments = (a, b, product.matrix_mut(n));
            stream.launch(matmul_shared::<16>, config, arguments)?;
        }
        match self.by {
            SplitAlong::Columns => self.group.all_gather(&self.products, &mut self.gathered)?,
            SplitAlong::Rows => self.group.all_reduce(&mut self.products)?,
        }
        // ANCHOR_END: multiply
        schedule::join(stream, &streams)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        // Every device has the whole product.
        let last = self
            .devices
            .len()
            .checked_sub(1)
            .context("there are devices")?;
        let first = testing::equal(&self.result(0)?, &self.expected);
        Ok(match first {
            Ok(_) => testing::equal(&self.result(last)?, &self.expected),
            wrong => wrong,
        })
    }

    fn work(&self) -> Work {
        let [m, n, k] = self.shape;
        Work::Flops(2 * m as u64 * n as u64 * k as u64)
    }

    fn figures(&self, _: Option<&Counters>) -> Result<Vec<Figure>> {
        Ok(vec![
            figure(&self.devices),
            Figure::new("by", self.group.by()),
        ])
    }
}

// On the CPU.

/// Returns the product of an `m` x `k` and a `k` x `n` matrix.
fn product(a: &[f32], b: &[f32], [m, n, k]: [usize; 3]) -> Vec<f32> {
    let element = |i: usize| (0..k).map(|e| a[i / n * k + e] * b[e * n + i % n]).sum();
    (0..m * n).map(element).collect()
}
