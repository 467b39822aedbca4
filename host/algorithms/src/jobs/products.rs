//! The products.

use anyhow::{Result, ensure};
use lanewise::DeviceBuffer;
use lanewise_algorithms::{Attention, Gelu, Gemm, Gemv, Linear, SparseMatrix};
use lanewise_records::Unit;
use lanewise_std::float8::E4m3;
use lanewise_std::half::Bf16;

use super::{Measured, Runner};

/// Numbers from -0.5 to 0.5 without a pattern.
fn numbers(len: usize) -> Vec<f32> {
    let number = |i: usize| (i as u32).wrapping_mul(2_654_435_761) >> 8 & 0xffff;
    (0..len)
        .map(|i| number(i) as f32 / 65_536.0 - 0.5)
        .collect()
}

/// Elements as `f64`, in which nothing of them is lost.
trait Wide {
    fn wide(self) -> f64;
}
macro_rules! wide {
    ($($ty:ty: $wide:expr;)*) => {$(
        impl Wide for $ty {
            fn wide(self) -> f64 {
                $wide(self)
            }
        }
    )*};
}
wide! {
    f32: f64::from;
    f64: |x| x;
    Bf16: |x: Bf16| f64::from(x.to_f32());
    E4m3: |x: E4m3| f64::from(x.to_f32());
}

/// A product of square matrices with elements `$element`, which `$narrow` makes of an `f32`. Sums
/// are of `$sum`, and their roundings are at most `$epsilon` of a sum. The product has elements
/// `$of_c`, whose own rounding is at most `$last` of it. Its side is a part of 16,384, if there are
/// 2^28 elements.
macro_rules! gemm {
    ($($name:ident: $element:ty, $sum:ty, $of_c:ty, $narrow:expr, $epsilon:expr, $last:expr;)*) => {$(
        pub(super) fn $name(run: &Runner, part: usize) -> Result<Measured> {
            let side = run.len.isqrt() / part;
            let elements = |len: usize| -> Vec<$element> {
                numbers(len).into_iter().map($narrow).collect()
            };
            let (of_a, of_b) = (elements(side * side), elements(side * side + 1));
            let (a, b) = (run.upload(&of_a)?, run.upload(&of_b[1..])?);
            let mut c = DeviceBuffer::<$of_c>::uninit(&run.device, side * side)?;
            let shape = Gemm::<$sum>::new(side as u32, side as u32, side as u32);
            let times = run.time(|| Ok(shape.multiply(&run.stream, &a, &b, &mut c)?))?;
            let found = c.to_vec()?;
            // All elements of some rows, so that each thread of a tile's row is seen.
            for row in [0, side / 2 + 1, side - 1] {
                let mut sums = vec![0.0; side];
                for k in 0..side {
                    let a = of_a[row * side + k].wide();
                    let row_of_b = &of_b[1 + k * side..][..side];
                    sums.iter_mut()
                        .zip(row_of_b)
                        .for_each(|(sum, b)| *sum = b.wide().mul_add(a, *sum));
                }
                for (column, (sum, found)) in sums.iter().zip(&found[row * side..]).enumerate() {
                    // Each of `side` roundings is of a sum that is far below `side` / 4.
                    let tolerance = side as f64 * (side as f64 / 4.0).sqrt() * $epsilon + sum.abs() * $last;
                    ensure!(
                        (found.wide() - sum).abs() <= tolerance,
                        "{row}, {column}: {found:?}, not {sum}"
                    );
                }
            }
            Ok(Measured::of(times, 2 * side.pow(3), Unit::Flops)?.at(side))
        }
    )*};
}

/// A rounding of `f32`, as a part of what is rounded. Tensor cores cut bits off: twice as much.
const SINGLE: f64 = f32::EPSILON as f64 / 2.0;

gemm! {
    gemm_f32: f32, f32, f32, |x| x, SINGLE, 0.0;
    // In the order of `k`, as here: all bits are equal.
    gemm_f64: f64, f64, f64, f64::from, 0.0, 0.0;
    gemm_bf16_to_f32: Bf16, f32, f32, Bf16::from_f32, 2.0 * SINGLE, 0.0;
    // Of 24 bits, eight are left.
    gemm_bf16: Bf16, f32, Bf16, Bf16::from_f32, 2.0 * SINGLE, SINGLE * 65_536.0;
}

/// A layer with square matrices, a bias and the approximation of GELU by `tanh`.
pub(super) fn linear_bf16(run: &Runner, part: usize) -> Result<Measured> {
    let side = run.len.isqrt() / part;
    let elements =
        |len: usize| -> Vec<Bf16> { numbers(len).into_iter().map(Bf16::from_f32).collect() };
    let (of_x, of_weights) = (elements(side * side), elements(side * side + 1));
    let (x, weights) = (run.upload(&of_x)?, run.upload(&of_weights[1..])?);
    let bias = run.upload(&of_x[..side])?;
    let mut y = DeviceBuffer::<Bf16>::uninit(&run.device, side * side)?;
    let layer = Linear::new(side as u32, side as u32, side as u32);
    let times =
        run.time(|| Ok(layer.forward(&run.stream, Gelu, &x, &weights, Some(&bias), &mut y)?))?;
    let found = y.to_vec()?;
    for row in [0, side / 2 + 1, side - 1] {
        let mut sums: Vec<f64> = of_x[..side].iter().map(|bias| bias.wide()).collect();
        for k in 0..side {
            let x = of_x[row * side + k].wide();
            let row_of_weights = &of_weights[1 + k * side..][..side];
            sums.iter_mut()
                .zip(row_of_weights)
                .for_each(|(sum, weight)| *sum = weight.wide().mul_add(x, *sum));
        }
        for (column, (sum, found)) in sums.iter().zip(&found[row * side..]).enumerate() {
            let inner = 0.797_884_560_8 * (sum + 0.044_715 * sum.powi(3));
            let expected = sum / 2.0 * (1.0 + inner.tanh());
            // Half of the last of eight bits, `tanh.approx`, and the roundings of the sum.
            let of_sum = side as f64 * (side as f64 / 4.0).sqrt() * 2.0 * SINGLE;
            let tolerance = expected.abs() / 256.0 + sum.abs() / 2048.0 + 2.0 * of_sum;
            ensure!(
                (found.wide() - expected).abs() <= tolerance,
                "{row}, {column}: {found:?}, not {expected}"
            );
        }
    }
    Ok(Measured::of(times, 2 * side.pow(3), Unit::Flops)?.at(side))
}

/// A product of a square matrix, or of its transpose, and a vector, in one type of elements.
/// `$narrow` makes an element of an `f64`, and `$widen` the other way round.
macro_rules! gemv {
    ($($name:ident: $element:ty, $sum:ty, $narrow:expr, $widen:expr;)*) => {$(
        pub(super) fn $name(run: &Runner, is_transposed: bool) -> Result<Measured> {
            let side = run.len.isqrt();
            let number = |i: usize| -> $element { $narrow((i * 7 % 11) as f64 - 5.0) };
            let host: Vec<$element> = (0..side * side).map(number).collect();
            let a = run.upload(&host)?;
            let x = run.upload(&host[..side])?;
            let mut y = DeviceBuffer::<$sum>::uninit(&run.device, side)?;
            let of = Gemv::new(side as u32, side as u32);
            let times = run.time(|| {
                Ok(if is_transposed {
                    of.multiply_transposed(&run.stream, &a, &x, &mut y)?
                } else {
                    of.multiply(&run.stream, &a, &x, &mut y)?
                })
            })?;
            let found = y.to_vec()?;
            for i in (0..side).step_by((side / 61).max(1)) {
                let place = |k: usize| if is_transposed { k * side + i } else { i * side + k };
                let sum: f64 = (0..side).map(|k| $widen(host[place(k)]) * $widen(host[k])).sum();
                // Whole numbers below 2^24: all sums are exact.
                ensure!(f64::from(found[i]) == sum, "{i}: {}, not {sum}", found[i]);
            }
            let bytes = side * side * size_of::<$element>();
            Ok(Measured::of(times, bytes, Unit::Bytes)?.at(side))
        }
    )*};
}

gemv! {
    gemv_f32: f32, f32, |x| x as f32, f64::from;
    gemv_f64: f64, f64, |x| x, |x| x;
    gemv_bf16: Bf16, f32, |x| Bf16::from_f32(x as f32), |x: Bf16| f64::from(x.to_f32());
}

/// Starts and columns of a square sparse matrix: 27 neighbours in three dimensions for each row, or
/// 1 to 64 elements anywhere.
fn rows_of(rows: usize, is_uneven: bool) -> (Vec<u32>, Vec<u32>) {
    let (mut starts, mut columns) = (vec![0], Vec::new());
    let hash = |i: usize| (i as u32).wrapping_mul(2_654_435_761);
    for row in 0..rows {
        let length = if is_uneven {
            1 + (hash(row) >> 26) as usize
        } else {
            27
        };
        columns.extend((0..length).map(|j| {
            let neighbour = row + j % 3 + 161 * (j / 3 % 3) + 161 * 161 * (j / 9);
            let column = if is_uneven {
                hash(row * 31 + j * 7919) as usize
            } else {
                neighbour
            };
            (column % rows) as u32
        }));
        starts.push(columns.len() as u32);
    }
    (starts, columns)
}

/// A product of a sparse matrix and a vector, in one type of elements.
macro_rules! spmv {
    ($($name:ident: $element:ty;)*) => {$(
        pub(super) fn $name(run: &Runner, is_uneven: bool) -> Result<Measured> {
            let rows = run.len / 64;
            let (starts, columns) = rows_of(rows, is_uneven);
            let number = |i: usize| (i * 7 % 11) as $element - 5.0;
            let values: Vec<$element> = (0..columns.len()).map(number).collect();
            let x: Vec<$element> = (0..rows).map(number).collect();
            let mut matrix = SparseMatrix::new(&run.device, rows as u32, &starts, &columns, &values)?;
            let on_device = run.upload(&x)?;
            let mut y = DeviceBuffer::<$element>::uninit(&run.device, rows)?;
            let times = run.time(|| Ok(matrix.multiply(&run.stream, [1.0, 0.0], &on_device, &mut y)?))?;
            for (row, found) in y.to_vec()?.into_iter().enumerate() {
                let of_row = starts[row] as usize..starts[row + 1] as usize;
                let sum: $element = of_row.map(|i| values[i] * x[columns[i] as usize]).sum();
                ensure!(found == sum, "row {row}: {found}, not {sum}");
            }
            // An element is a value and a column. A row is a start, and an element of both vectors.
            let each = size_of::<$element>() + size_of::<u32>();
            let bytes = columns.len() * each + rows * (each + size_of::<$element>());
            Ok(Measured::of(times, bytes, Unit::Bytes)?.at(rows))
        }
    )*};
}

spmv! {
    spmv_f32: f32;
    spmv_f64: f64;
}

/// A product of square matrices of floats of 8 bits, with the transpose of the right one.
pub(super) fn gemm_e4m3(run: &Runner, part: usize) -> Result<Measured> {
    let side = run.len.isqrt() / part;
    // The tensor cores cut bits off, so numbers are mixed well: no sum is far from 0.
    let mixed = |i: usize, seed: u32| {
        let step = |x: u32, factor: u32| (x ^ (x >> 16)).wrapping_mul(factor);
        let x = step(step(i as u32 ^ seed, 0x7feb_352d), 0x846c_a68b);
        (x >> 16) as f32 / 65_536.0 - 0.5
    };
    let elements = |seed: u32| -> Vec<E4m3> {
        let numbers = (0..side * side).map(|i| mixed(i, seed << 28));
        numbers.map(E4m3::from_f32).collect()
    };
    let [of_a, of_b] = [0, 1].map(elements);
    let (a, b) = (run.upload(&of_a)?, run.upload(&of_b)?);
    let mut c = DeviceBuffer::<Bf16>::uninit(&run.device, side * side)?;
    let shape = Gemm {
        is_b_transposed: true,
        ..Gemm::<f32>::new(side as u32, side as u32, side as u32)
    };
    let times = run.time(|| Ok(shape.multiply(&run.stream, &a, &b, &mut c)?))?;
    let found = c.to_vec()?;
    for row in [0, side / 2 + 1, side - 1] {
        let of_row = &of_a[row * side..][..side];
        for (column, found) in found[row * side..][..side].iter().enumerate() {
            let products = of_row.iter().zip(&of_b[column * side..][..side]);
            let sum: f64 = products.map(|(a, b)| a.wide() * b.wide()).sum();
            // Each product loses up to 2^-13 of the largest sum so far, and `Bf16` has eight bits.
            let tolerance = side as f64 / 4096.0 + sum.abs() / 128.0;
            ensure!(
                (found.wide() - sum).abs() <= tolerance,
                "{row}, {column}: {found:?}, not {sum}"
            );
        }
    }
    Ok(Measured::of(times, 2 * side.pow(3), Unit::Flops)?.at(side))
}

/// The attention of 32,768 positions at full size, in sequences of `len`, with 16 heads; of 4096
/// positions, as in the book's ladder, there is one sequence. A few queries are compared with the
/// CPU's.
pub(super) fn attention(
    run: &Runner,
    columns: usize,
    len: usize,
    is_causal: bool,
) -> Result<Measured> {
    const HEADS: usize = 16;
    let positions = (run.len >> if len == 4096 { 16 } else { 13 }).max(256);
    let len = len.min(positions);
    let batch = positions / len;
    let all = batch * HEADS * len * columns;
    let elements = |from: usize| -> Vec<Bf16> {
        let numbers = numbers(all + from).into_iter().skip(from);
        numbers.map(|x| Bf16::from_f32(4.0 * x)).collect()
    };
    let [q, k, v] = [0, 1, 2].map(elements);
    let (on_q, on_k, on_v) = (run.upload(&q)?, run.upload(&k)?, run.upload(&v)?);
    let mut o = DeviceBuffer::<Bf16>::uninit(&run.device, all)?;
    let [heads, of_len] = [HEADS, len].map(|count| count as u32);
    let of = Attention {
        batch: batch as u32,
        is_causal,
        ..Attention::new(heads, of_len, of_len, columns as u32)
    };
    let times = run.time(|| Ok(of.forward(&run.stream, &on_q, &on_k, &on_v, &mut o)?))?;
    let found = o.to_vec()?;
    for query in [0, len / 2 + 1, len - 1] {
        let head = (batch * HEADS - 1) * len * columns;
        let row = |i: usize| head + i * columns..head + (i + 1) * columns;
        let seen = if is_causal { query + 1 } else { len };
        let score = |key: usize| -> f64 {
            let products = q[row(query)].iter().zip(&k[row(key)]);
            products.map(|(q, k)| q.wide() * k.wide()).sum::<f64>() / (columns as f64).sqrt()
        };
        let scores: Vec<f64> = (0..seen).map(score).collect();
        let largest = scores.iter().copied().fold(f64::MIN, f64::max);
        let weights: Vec<f64> = scores.iter().map(|score| (score - largest).exp()).collect();
        let total: f64 = weights.iter().sum();
        for (column, found) in found[row(query)].iter().enumerate() {
            let sum: f64 = (0..seen)
                .map(|key| weights[key] / total * v[row(key)][column].wide())
                .sum();
            // A rounding of each weight to eight bits, and one of the result; values are up to 2.
            ensure!(
                (found.wide() - sum).abs() <= 2.0 / 128.0,
                "query {query}, column {column}: {found:?}, not {sum}"
            );
        }
    }
    // Two products of `len` x `len` scores; half of them, if each query sees those before it.
    let operations = 4 * all * len / if is_causal { 2 } else { 1 };
    Ok(Measured::of(times, operations, Unit::Flops)?.at(len))
}
