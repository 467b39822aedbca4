//! Algorithms as a library: right for every shape. Arguments that do not fit are an error before
//! anything is launched.

use lanewise::{Backend, Device, DeviceBuffer};
use lanewise_patterns::Setup;
use lanewise_patterns::algorithms::distance::distance;
use lanewise_patterns::algorithms::gemm::gemm;
use lanewise_patterns::algorithms::gemv::gemv;
use lanewise_patterns::algorithms::philox::Philox;
use lanewise_patterns::algorithms::solver::{solve, solve_batched};
use lanewise_patterns::algorithms::spmv::CsrMatrix;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::count::count;
use tests::ptx;
use tests::sizes::{EDGES, MATRIX_EDGES, blocks, cases};

/// Those over a vector, in blocks of any whole warps.
const VECTORS: [&str; 8] = [
    "distance_f32",
    "distance_f64",
    "distance_i32",
    "spmv_csr",
    "spmv_csr_warp",
    "spmv_uneven",
    "spmv_stencil",
    "spmv_stencil_f64",
];

const RANDOM: [&str; 5] = [
    "philox_bits",
    "philox_uniform",
    "philox_uniform_f64",
    "philox_normal",
    "philox_normal_f64",
];

/// Those over a matrix.
const MATRICES: [&str; 4] = ["matvec_block", "matvec_warp", "gemv", "gemv_f64"];

const SOLVERS: [&str; 2] = ["gauss_jordan", "gauss_jordan_f64"];

const PRODUCTS: [&str; 2] = ["gemm_register_tiled", "gemm_register_tiled_f64"];

fn matrix(columns: usize, rows: usize, seed: u64) -> Setup {
    Setup {
        rows: Some(rows),
        ..Setup::new(columns, seed)
    }
}

fn product(columns: usize, rows: usize, inner: usize, seed: u64) -> Setup {
    Setup {
        inner: Some(inner),
        ..matrix(columns, rows, seed)
    }
}

#[test]
fn algorithms_agree_with_the_cpu_at_every_edge() {
    for variant in VECTORS.into_iter().chain(RANDOM) {
        for size in EDGES {
            assert_agrees(variant, Setup::new(size, 1));
        }
    }
    for variant in MATRICES {
        for (columns, rows) in MATRIX_EDGES {
            assert_agrees(variant, matrix(columns, rows, 1));
        }
    }
    for (columns, rows, inner) in [
        (0, 3, 3),
        (1, 1, 0),
        (1, 1, 1),
        (129, 7, 9),
        (127, 130, 17),
        (132, 64, 24),
    ] {
        for variant in PRODUCTS {
            assert_agrees(variant, product(columns, rows, inner, 1));
        }
    }
    for variant in SOLVERS {
        for size in [0, 1, 2, 7, 33] {
            assert_agrees(variant, Setup::new(size, 1));
        }
    }
}

proptest! {
    #![proptest_config(cases(5))]

    #[test]
    fn algorithms_agree_with_the_cpu(size in 0usize..3000, seed: u64, block in blocks()) {
        for variant in VECTORS {
            let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }

    #[test]
    fn products_agree_with_the_cpu(columns in 0usize..150, rows in 0usize..150, inner in 0usize..40, by in 0u32..5, seed: u64, block in blocks()) {
        for variant in MATRICES {
            let setup = Setup { block: Some(block), by: Some(by), ..matrix(columns, rows, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
        for variant in PRODUCTS {
            prop_assert_eq!(agrees(variant, product(columns, rows, inner, seed)), Ok(()));
        }
    }

    #[test]
    fn equations_are_solved(size in 0usize..40, seed: u64) {
        for variant in SOLVERS {
            prop_assert_eq!(agrees(variant, Setup::new(size, seed)), Ok(()));
        }
    }

    #[test]
    fn random_numbers_are_those_of_their_places(size in 0usize..3000, seed: u64, skip: u32) {
        for variant in RANDOM {
            let setup = Setup { by: Some(skip), ..Setup::new(size, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }
}

/// The vectors that come with Random123 for `philox4x32 10`: counter, key, bits.
#[test]
fn a_stream_begins_with_the_published_vectors() {
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let first = |counter: u64, name: u64, key: u64| {
        let mut philox = Philox::new(key, name);
        philox.skip(4 * u128::from(counter));
        let mut output = DeviceBuffer::zeroed(&device, 4).expect("a buffer");
        philox
            .bits(&device, &stream, &mut output)
            .expect("a launch");
        output.to_vec().expect("no fault")
    };
    assert_eq!(
        first(0, 0, 0),
        [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]
    );
    let ones = u64::MAX;
    assert_eq!(
        first(ones, ones, ones),
        [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
    );
    assert_eq!(
        first(
            0x85a3_08d3_243f_6a88,
            0x0370_7344_1319_8a2e,
            0x299f_31d0_a409_3822
        ),
        [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
    );
}

#[test]
fn two_fillings_are_one_of_both_lengths() {
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let fill = |lengths: &[usize]| -> Vec<f32> {
        let mut philox = Philox::new(1, 2);
        let mut numbers = Vec::new();
        for length in lengths {
            let mut output = DeviceBuffer::<f32>::zeroed(&device, *length).expect("a buffer");
            philox
                .uniform(&device, &stream, &mut output)
                .expect("a launch");
            numbers.extend(output.to_vec().expect("no fault"));
        }
        numbers
    };
    assert_eq!(fill(&[5, 10, 1]), fill(&[16]));
}

#[test]
fn random_numbers_have_the_mean_and_the_variance_of_their_kind() {
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let mut philox = Philox::new(3, 0);
    let mut output = DeviceBuffer::zeroed(&device, 1 << 14).expect("a buffer");
    let moments = |output: &DeviceBuffer<f32>| {
        let numbers = output.to_vec().expect("no fault");
        let count = numbers.len() as f64;
        let mean = numbers.iter().map(|x| f64::from(*x)).sum::<f64>() / count;
        let squares = numbers.iter().map(|x| (f64::from(*x) - mean).powi(2));
        (mean, squares.sum::<f64>() / count)
    };
    philox
        .uniform(&device, &stream, &mut output)
        .expect("a launch");
    let (mean, variance) = moments(&output);
    assert!(
        (mean - 0.5).abs() < 0.01 && (variance - 1.0 / 12.0).abs() < 0.003,
        "{mean}, {variance}"
    );
    philox
        .normal(&device, &stream, &mut output)
        .expect("a launch");
    let (mean, variance) = moments(&output);
    assert!(
        mean.abs() < 0.04 && (variance - 1.0).abs() < 0.05,
        "{mean}, {variance}"
    );
}

/// A block has 256 threads for 32 elements, and barriers; a warp has 32 and none.
#[test]
fn a_warp_is_enough_for_a_short_row_and_a_block_for_a_long_one() {
    let work = |columns: usize| {
        let counts =
            ["matvec_block", "matvec_warp"].map(|name| count(name, matrix(columns, 64, 1)));
        let [Some(block), Some(warp)] = counts else {
            return None;
        };
        assert_eq!(warp.barriers, 0);
        Some(block.ptx_instructions as f64 / warp.ptx_instructions as f64)
    };
    let (Some(short), Some(long)) = (work(32), work(1 << 16)) else {
        return;
    };
    assert!(short > 3.0, "{short}");
    assert!(long < 2.2, "{long}");
}

#[test]
fn a_row_a_thread_loads_scattered_and_a_row_a_warp_side_by_side() {
    let sectors = |name| {
        Some(
            count(name, Setup::new(2048, 1))?
                .global_loads
                .sectors_per_request(),
        )
    };
    let (Some(thread), Some(warp)) = (sectors("spmv_csr"), sectors("spmv_csr_warp")) else {
        return;
    };
    assert!(thread > 1.5 * warp, "{thread} and {warp}");
}

#[test]
fn the_register_tiles_are_in_registers_and_are_loaded_four_at_a_time() {
    for (target, text) in ptx::embedded() {
        let kernel = ptx::kernel(text, "gemm_register_tiled");
        assert!(!kernel.contains(".local"), "{target}: {kernel}");
        let (fused, loads) = (
            ptx::count(kernel, "fma.rn.f32"),
            ptx::count(kernel, "ld.shared"),
        );
        assert_eq!(loads, ptx::count(kernel, "ld.shared.v4"), "{target}");
        // 64 products for four loads of four.
        assert!(
            fused >= 16 * loads && loads > 0,
            "{target}: {fused} and {loads}"
        );
    }
}

/// The catalog's size, on a GPU. A simulator would take minutes.
#[test]
fn a_thousand_equations_are_solved() {
    let device = tests::device();
    let size = match device.backend() {
        Backend::Cuda => 1024,
        Backend::Sim => 128,
    };
    let mut matrix = vec![0.0f32; size * size];
    let mut right = vec![0.0f32; size];
    let value = |column: usize| (column % 7) as f32 - 3.0;
    for row in 0..size {
        // Rows are swapped on the way: the large element is not on the diagonal.
        let large = (row + size / 2) % size;
        for (column, factor) in [
            (large, 8.0),
            ((large + 1) % size, 1.0),
            ((large + 5) % size, -2.0),
        ] {
            matrix[row * size + column] = factor;
            right[row] += factor * value(column);
        }
    }
    let solved = solve(&device, size, &matrix, &right).expect("it is regular");
    for (column, found) in solved.into_iter().enumerate() {
        assert!((found - value(column)).abs() < 1e-4, "{column}: {found}");
    }
}

#[test]
fn a_singular_matrix_is_an_error_with_the_column() {
    let device = tests::device();
    let error = |matrix: &[f32], right: &[f32]| {
        let solved = solve(&device, 3, matrix, right);
        solved.expect_err("it can't be solved").to_string()
    };
    // The third column is the sum of the others; a column of zeros; a matrix of zeros.
    let of_sums = error(&[1.0, 2.0, 3.0, 4.0, 5.0, 9.0, 7.0, 1.0, 8.0], &[1.0; 3]);
    assert!(
        of_sums.contains("singular: column 2 has no pivot"),
        "{of_sums}"
    );
    let of_zeros = error(&[1.0, 0.0, 3.0, 4.0, 0.0, 9.0, 7.0, 0.0, 8.0], &[1.0; 3]);
    assert!(
        of_zeros.contains("singular: column 1 has no pivot"),
        "{of_zeros}"
    );
    let empty = error(&[0.0; 9], &[1.0; 3]);
    assert!(empty.contains("singular: column 0 has no pivot"), "{empty}");
    let not_square = error(&[1.0; 8], &[1.0; 3]);
    assert_eq!(
        not_square,
        "the matrix has 8 elements, and the shape says 9"
    );
    let uneven = error(&[1.0; 9], &[1.0; 4]);
    assert!(uneven.contains("right-hand side"), "{uneven}");
    assert_eq!(
        solve(&device, 1, &[2.0f32], &[1.0, 3.0]).expect("it is regular"),
        [0.5, 1.5]
    );
    // Of three systems the second: the others are solved, and it is named.
    let matrices = [
        1.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 4.0, 0.0, 1.0, 1.0, 0.0f64,
    ];
    let solved = solve_batched(&device, 2, 3, &matrices, &[1.0; 6]);
    let of_several = solved.expect_err("it can't be solved").to_string();
    assert!(
        of_several.starts_with("matrix 1 (of 3, from 0) is singular: column 1 has no pivot"),
        "{of_several}"
    );
}

#[test]
fn a_malformed_sparse_matrix_is_an_error_with_the_row() {
    let device = tests::device();
    let made = CsrMatrix::new(&device, [2, 2], &[0, 1, 2], &[0, 2], &[1.0, 1.0]);
    assert_eq!(
        made.expect_err("there is no column 2").to_string(),
        "row 1 has an element in column 2, and the matrix has 2 columns"
    );
}

#[test]
fn what_does_not_fit_together_is_an_error() {
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let buffer = |n: usize| DeviceBuffer::<f32>::zeroed(&device, n).expect("a buffer");
    let text = |done: Result<(), _>| match done {
        Ok(()) => "done".to_owned(),
        Err(error) => format!("{error}"),
    };
    let mut y = buffer(3);
    let of = |a: usize, shape: [usize; 3], x: usize, y: &mut DeviceBuffer<f32>| {
        text(gemv(
            &device,
            &stream,
            [1.0, 0.0],
            (&buffer(a), shape),
            &buffer(x),
            y,
        ))
    };
    assert_eq!(of(14, [3, 4, 5], 4, &mut y), "done");
    assert_eq!(
        of(13, [3, 4, 5], 4, &mut y),
        "the matrix has 13 elements, and the shape says 14"
    );
    assert_eq!(
        of(15, [3, 5, 4], 5, &mut y),
        "the stride of the rows has 4 elements, and the shape says 5"
    );
    assert_eq!(
        of(15, [3, 4, 5], 3, &mut y),
        "x has 3 elements, and the shape says 4"
    );
    let factors = [&buffer(6), &buffer(5)];
    let product = gemm(&device, &stream, [1.0, 0.0], [3, 1, 2], factors, &mut y);
    assert_eq!(text(product), "done");
    let product = gemm(&device, &stream, [1.0, 0.0], [3, 3, 2], factors, &mut y);
    assert_eq!(text(product), "B has 5 elements, and the shape says 6");
    let points = distance(&device, &stream, factors[0], factors[1]);
    assert!(points.is_err());
    assert_eq!(between(&device, &[0, 3], &[4, 0]), 5.0);
    // The difference of these is no `i32`.
    assert_eq!(
        between(&device, &[i32::MIN], &[i32::MAX]),
        f64::from(u32::MAX)
    );
}

/// The distance of two points on a grid.
fn between(device: &Device, a: &[i32], b: &[i32]) -> f64 {
    let stream = device.stream().expect("a stream");
    let [a, b] = [a, b].map(|point| DeviceBuffer::from_slice(device, point).expect("a buffer"));
    distance(device, &stream, &a, &b).expect("it runs")
}

/// If `beta` is 0, `y` may hold anything, also NaN.
#[test]
fn what_is_overwritten_is_not_read() {
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let ones = DeviceBuffer::from_slice(&device, &[1.0f32; 4]).expect("a buffer");
    let mut y = DeviceBuffer::from_slice(&device, &[f32::NAN; 4]).expect("a buffer");
    gemv(
        &device,
        &stream,
        [2.0, 0.0],
        (&ones, [2, 2, 2]),
        &ones,
        &mut y,
    )
    .expect("a launch");
    assert_eq!(y.to_vec().expect("no fault")[..2], [4.0, 4.0]);
    gemm(
        &device,
        &stream,
        [2.0, 0.0],
        [2, 2, 2],
        [&ones, &ones],
        &mut y,
    )
    .expect("a launch");
    assert_eq!(y.to_vec().expect("no fault"), [4.0; 4]);
}
