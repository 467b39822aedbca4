//! The algorithms compared with a crate that people know, `nalgebra`, for which a sparse matrix is
//! one with many zeros.

use lanewise::{Device, DeviceBuffer, Stream};
use lanewise_patterns::algorithms::gemm::{self, gemm_batched};
use lanewise_patterns::algorithms::gemv::{self, gemv_batched};
use lanewise_patterns::algorithms::precision::Precision;
use lanewise_patterns::algorithms::solver::{Solves, solve_batched};
use lanewise_patterns::algorithms::spmv::{CsrMatrix, Rows, Sums};
use lanewise_patterns::input;
use nalgebra::{DMatrix, DVector, RealField};

/// A device, a stream, and numbers on both sides.
struct Bench {
    device: Device,
    stream: Stream,
}

impl Bench {
    fn new() -> Self {
        let device = tests::device();
        let stream = device.stream().expect("a stream");
        Self { device, stream }
    }

    fn buffer<T: Precision>(&self, numbers: &[T]) -> DeviceBuffer<T> {
        DeviceBuffer::from_slice(&self.device, numbers).expect("a buffer")
    }
}

fn numbers<T: Precision>(n: usize, seed: u64) -> Vec<T> {
    let floats = input::floats(n, seed).into_iter();
    floats.map(|x| T::rounded(x.into())).collect()
}

/// Sums of up to a hundred products of numbers below a half.
#[track_caller]
fn assert_close<'a, T: Precision>(
    found: &[T],
    expected: impl ExactSizeIterator<Item = &'a T>,
    what: &str,
) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        let off = (found.into() - expected.into()).abs();
        assert!(
            off <= 100.0 * T::UNIT,
            "{what}, [{i}]: {found:?} and {expected:?}"
        );
    }
}

fn dense<T: gemm::Multiplies + gemv::Multiplies + RealField>() {
    let bench = Bench::new();
    let [alpha, beta] = [1.5, -0.5].map(<T as Precision>::rounded);
    // Three products at once, inside a tile and over its edge.
    for (m, n, k, batch) in [(5, 7, 3, 3), (64, 64, 16, 2), (65, 130, 21, 2)] {
        let (a, b, c) = (
            numbers::<T>(m * k * batch, 1),
            numbers::<T>(k * n * batch, 2),
            numbers::<T>(m * n * batch, 3),
        );
        let mut found = bench.buffer(&c);
        let factors = [&bench.buffer(&a), &bench.buffer(&b)];
        gemm_batched(
            &bench.device,
            &bench.stream,
            [alpha, beta],
            [m, n, k],
            factors,
            &mut found,
            batch,
        )
        .expect("a launch");
        let found = found.to_vec().expect("no fault");
        for i in 0..batch {
            let a = DMatrix::from_row_slice(m, k, &a[i * m * k..][..m * k]);
            let b = DMatrix::from_row_slice(k, n, &b[i * k * n..][..k * n]);
            let mut c = DMatrix::from_row_slice(m, n, &c[i * m * n..][..m * n]);
            c.gemm(alpha, &a, &b, beta);
            // Rows of the one are columns of the other.
            let of_product = &found[i * m * n..][..m * n];
            assert_close(of_product, c.transpose().iter(), "gemm");
        }

        // The same `A` times vectors: columns of `B`, one after another.
        let (x, y) = (numbers::<T>(k * batch, 4), numbers::<T>(m * batch, 5));
        let mut found = bench.buffer(&y);
        let matrix = (&bench.buffer(&a), [m, k, k]);
        gemv_batched(
            &bench.device,
            &bench.stream,
            [alpha, beta],
            matrix,
            &bench.buffer(&x),
            &mut found,
            batch,
        )
        .expect("a launch");
        let found = found.to_vec().expect("no fault");
        for i in 0..batch {
            let a = DMatrix::from_row_slice(m, k, &a[i * m * k..][..m * k]);
            let x = DVector::from_row_slice(&x[i * k..][..k]);
            let mut y = DVector::from_row_slice(&y[i * m..][..m]);
            y.gemv(alpha, &a, &x, beta);
            assert_close(&found[i * m..][..m], y.iter(), "gemv");
        }
    }
}

/// Systems of one size at once, each against nalgebra's LU decomposition.
fn equations<T: Solves + RealField>() {
    let bench = Bench::new();
    for (size, sides, systems) in [(1, 1, 3), (5, 2, 4), (40, 3, 2), (3, 1, 0)] {
        // Heavy on a diagonal, so that all are far from singular.
        let mut matrices = numbers::<T>(size * size * systems, 1);
        for row in 0..size * systems {
            matrices[row * size + (row + 1) % size] += <T as Precision>::rounded(size as f64);
        }
        let right = numbers::<T>(size * sides * systems, 2);
        let found = solve_batched(&bench.device, size, systems, &matrices, &right)
            .expect("they are regular");
        assert_eq!(found.len(), right.len());
        for i in 0..systems {
            let matrix = &matrices[i * size * size..][..size * size];
            let of_system = i * size * sides..(i + 1) * size * sides;
            let right = DMatrix::from_row_slice(size, sides, &right[of_system.clone()]);
            let matrix = DMatrix::from_row_slice(size, size, matrix);
            let expected = matrix.lu().solve(&right).expect("it is regular");
            assert_close(&found[of_system], expected.transpose().iter(), "solve");
        }
    }
}

#[test]
fn batches_of_equations_are_solved_as_nalgebra_does() {
    equations::<f32>();
    equations::<f64>();
}

#[test]
fn batches_of_dense_products_are_those_of_nalgebra() {
    dense::<f32>();
    dense::<f64>();
}

fn sparse<T: Sums + RealField>() {
    let bench = Bench::new();
    let (rows, columns) = (67, 45);
    // Up to forty elements in a row, and some rows without one.
    let mut reference = DMatrix::from_element(rows, columns, <T as Precision>::rounded(0.0));
    let (mut starts, mut places, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..rows {
        let count = if row % 5 == 3 { 0 } else { row % 40 };
        for (column, value) in numbers::<T>(count, row as u64).into_iter().enumerate() {
            reference[(row, column)] = value;
            places.push(column as u32);
            values.push(value);
        }
        starts.push(values.len() as u32);
    }
    let matrix = CsrMatrix::new(&bench.device, [rows, columns], &starts, &places, &values)
        .expect("a matrix");
    let x = DVector::from_vec(numbers::<T>(columns, 7));
    let expected = &reference * &x;
    let on_device = bench.buffer(x.as_slice());
    let ways = [4, 8, 16, 32].map(Rows::Lanes);
    for by in ways.into_iter().chain([Rows::Thread]) {
        let mut y = bench.buffer(&vec![<T as Precision>::rounded(9.0); rows]);
        matrix
            .multiply_by(&bench.device, &bench.stream, &on_device, &mut y, (by, 64))
            .expect("a launch");
        let found = y.to_vec().expect("no fault");
        assert_close(&found, expected.iter(), &format!("{by:?}"));
    }
}

#[test]
fn sparse_products_are_those_of_nalgebra_in_every_way() {
    sparse::<f32>();
    sparse::<f64>();
}
