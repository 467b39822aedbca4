//! Products of the library of algorithms in a user's program.
#![forbid(unsafe_code)]

use std::error::Error;

use lanewise::{Device, DeviceBuffer, DeviceCopy, Zeroable};
use lanewise_algorithms::{Factor, Gemm, Gemv, SparseMatrix};
use lanewise_std::half::Bf16;
use proptest::prelude::*;

/// Numbers whose sums of products are exact.
fn small(len: u32) -> Vec<f32> {
    (0..len).map(|i| (i * 7 % 11) as f32 - 5.0).collect()
}

/// Returns the product of matrices of small numbers, from a stream and from a graph.
fn product<T: Factor<C>, C: DeviceCopy + Zeroable>(
    of: Gemm<T::Sum>,
    narrow: fn(f32) -> T,
) -> Result<[Vec<C>; 2], Box<dyn Error>> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let elements = |len| -> Vec<T> { small(len).into_iter().map(narrow).collect() };
    let [a, b] = [of.m * of.k, of.k * of.n].map(elements);
    let (a, b) = (
        DeviceBuffer::from_slice(&device, &a)?,
        DeviceBuffer::from_slice(&device, &b)?,
    );
    let mut c = DeviceBuffer::<C>::zeroed(&device, (of.m * of.n) as usize)?;
    of.multiply(&stream, &a, &b, &mut c)?;
    let queued = c.to_vec()?;
    c.fill_zero()?;
    let graph = device.record(|record| Ok(of.multiply(record, &a, &b, &mut c)?))?;
    graph.launch(&stream)?;
    Ok([queued, c.to_vec()?])
}

fn with_vector(rows: u32, columns: u32) -> Result<[Vec<f32>; 2], Box<dyn Error>> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let of = Gemv::new(rows, columns);
    let a = DeviceBuffer::from_slice(&device, &small(rows * columns))?;
    let x = DeviceBuffer::from_slice(&device, &small(rows.max(columns)))?;
    let [mut y, mut z] = [
        DeviceBuffer::zeroed(&device, rows as usize)?,
        DeviceBuffer::zeroed(&device, columns as usize)?,
    ];
    of.multiply(&stream, &a, &x, &mut y)?;
    of.multiply_transposed(&stream, &a, &x, &mut z)?;
    Ok([y.to_vec()?, z.to_vec()?])
}

/// The product of a matrix with rows of these lengths, and what it has to be.
fn sparse(lengths: &[u32]) -> Result<[Vec<f32>; 2], Box<dyn Error>> {
    let device = Device::open()?;
    let mut starts = vec![0];
    for length in lengths {
        starts.push(starts[starts.len() - 1] + length);
    }
    let count = starts[lengths.len()];
    let (columns, values, x): (Vec<u32>, _, _) = (
        (0..count).map(|i| i * 13 % 40).collect(),
        small(count),
        small(40),
    );
    let mut matrix = SparseMatrix::new(&device, 40, &starts, &columns, &values)?;
    let mut y = DeviceBuffer::zeroed(&device, lengths.len())?;
    matrix.multiply(
        &device.stream()?,
        [1.0, 0.0],
        &DeviceBuffer::from_slice(&device, &x)?,
        &mut y,
    )?;
    let row = |ends: &[u32]| {
        (ends[0] as usize..ends[1] as usize)
            .map(|i| values[i] * x[columns[i] as usize])
            .sum()
    };
    Ok([y.to_vec()?, starts.windows(2).map(row).collect()])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_users_program_multiplies(m in 1u32..140, n in 1u32..140, k in 0u32..40, transposed in 0..4) {
        let (is_a_transposed, is_b_transposed) = (transposed & 1 > 0, transposed & 2 > 0);
        let of = Gemm::<f32> { is_a_transposed, is_b_transposed, alpha: 2.0, ..Gemm::new(m, n, k) };
        let found = product(of, |x: f32| x).unwrap();
        let of_halves: [Vec<f32>; 2] = product(of, Bf16::from_f32).unwrap();
        let double = product(Gemm::<f64> { is_a_transposed, is_b_transposed, alpha: 2.0, ..Gemm::new(m, n, k) }, f64::from).unwrap();
        let (a, b) = (small(m * k), small(k * n));
        let expected: Vec<f32> = (0..m * n).map(|i| {
            let (row, column) = (i / n, i % n);
            let products = (0..k).map(|k_of| {
                let a = a[if is_a_transposed { k_of * m + row } else { row * k + k_of } as usize];
                a * b[if is_b_transposed { column * k + k_of } else { k_of * n + column } as usize]
            });
            2.0 * products.sum::<f32>()
        }).collect();
        prop_assert_eq!(&found[0], &expected);
        prop_assert_eq!(&found[1], &expected);
        prop_assert_eq!(&of_halves[0], &expected);
        prop_assert_eq!(&of_halves[1], &expected);
        let expected: Vec<f64> = expected.into_iter().map(f64::from).collect();
        prop_assert_eq!(&double[0], &expected);
        prop_assert_eq!(&double[1], &expected);
    }

    #[test]
    fn a_users_program_multiplies_by_vectors(rows in 0u32..300, columns in 0u32..300) {
        let [y, z] = with_vector(rows, columns).unwrap();
        let (a, x) = (small(rows * columns), small(rows.max(columns)));
        let of = |row: u32, column: u32| a[(row * columns + column) as usize];
        let expected: Vec<f32> = (0..rows).map(|row| (0..columns).map(|column| of(row, column) * x[column as usize]).sum()).collect();
        prop_assert_eq!(y, expected);
        let expected: Vec<f32> = (0..columns).map(|column| (0..rows).map(|row| of(row, column) * x[row as usize]).sum()).collect();
        prop_assert_eq!(z, expected);
    }

    #[test]
    fn a_users_program_multiplies_sparse_matrices(lengths in prop::collection::vec(prop_oneof![0u32..4, 0u32..300], 0..100)) {
        let [found, expected] = sparse(&lengths).unwrap();
        prop_assert_eq!(found, expected);
    }
}
