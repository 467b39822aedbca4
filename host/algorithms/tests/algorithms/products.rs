//! Products against the CPU: shapes that do not fit tiles, transposes, addresses that are not
//! aligned to sixteen bytes, under all checks.

use std::fmt::Debug;
use std::process::Command;

use lanewise::checks::{self, Checking};
use lanewise::{Device, DeviceBuffer, DeviceCopy};
use lanewise_algorithms::{Error, Gelu, Gemm, Gemv, Identity, Linear, Relu, Silu, SparseMatrix};
use lanewise_std::float8::{E4m3, E5m2};
use lanewise_std::half::{Bf16, F16};

use crate::common::device;

/// Numbers from -1 to 1 without a pattern, the same in each run.
fn numbers(len: usize) -> Vec<f32> {
    let number = |i: usize| (i as u32 + 1).wrapping_mul(2_654_435_761) as i32;
    (0..len)
        .map(|i| number(i) as f32 / 2_147_483_648.0)
        .collect()
}

fn uploaded<T: DeviceCopy>(device: &Device, values: &[T]) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(device, values).expect("a buffer")
}

/// Runs some work under all checks, which have to be silent.
fn checked<T>(device: &Device, what: impl Debug, work: impl FnOnce() -> T) -> T {
    let run = || Ok::<_, lanewise::MemoryError>(work());
    let (found, findings) = checks::of(device, Checking::all(), run).expect("a run");
    let findings = findings.unwrap_or_default();
    assert!(findings.is_empty(), "{what:?}: {findings:#?}");
    found
}

/// Folds the products in this row and column, in the order of `k`: `step(a, b, sum)` is the next
/// sum.
///
/// Places are added up in a plain loop, for tests are not optimised: with iterators and arrays the
/// CPU takes longer than the simulator.
fn fold<S, T: Copy>(
    of: &Gemm<S>,
    [row, column]: [usize; 2],
    (a, b): (&[T], &[T]),
    mut sum: T,
    step: fn(T, T, T) -> T,
) -> T {
    let [m, n, k] = [of.m, of.n, of.k].map(|side| side as usize);
    let (mut in_a, step_a) = if of.is_a_transposed {
        (row, m)
    } else {
        (row * k, 1)
    };
    let (mut in_b, step_b) = if of.is_b_transposed {
        (column * k, 1)
    } else {
        (column, n)
    };
    let mut of_k = 0;
    while of_k < k {
        sum = step(a[in_a], b[in_b], sum);
        in_a += step_a;
        in_b += step_b;
        of_k += 1;
    }
    sum
}

/// A step of sums that are exact.
fn multiply_add(a: f32, b: f32, sum: f32) -> f32 {
    a * b + sum
}

/// Compares products in one type of elements with what the CPU adds up in the order of `k`, each
/// step with one rounding, as the kernel does. So there is nothing to tolerate.
macro_rules! gemms_are_the_cpus {
    ($ty:ident, $shapes:expr) => {
        let (device, stream) = device();
        let elements =
            |len: usize| -> Vec<$ty> { numbers(len).into_iter().map($ty::from).collect() };
        // The factors' buffers begin at an aligned address, or one element after it.
        for (shape, transposed, skip) in $shapes
            .into_iter()
            .flat_map(|shape| (0..8).map(move |kind| (shape, kind % 4, kind / 4)))
        {
            let ((m, n, k, batch), [alpha, beta]) = (shape, [[1.0, 0.0], [0.5, -2.0]][skip]);
            let of = Gemm::<$ty> {
                batch,
                is_a_transposed: transposed & 1 > 0,
                is_b_transposed: transposed & 2 > 0,
                alpha,
                beta,
                ..Gemm::new(m, n, k)
            };
            let [m, n, k, batch] = [m, n, k, batch].map(|side| side as usize);
            let a = elements(m * k * batch + skip);
            let b = elements(k * n * batch + skip);
            let mut old = elements(m * n * batch);
            if beta == 0.0 {
                old.fill($ty::NAN);
            }
            let on_device = [&a, &b].map(|factor| uploaded(&device, factor));
            let mut c = uploaded(&device, &old);
            checked(&device, of, || {
                let [a, b] = &on_device;
                of.multiply(&stream, &a.slice(skip..), &b.slice(skip..), &mut c)
                    .expect("a product");
                stream.synchronize().expect("the product's end");
            });
            for (i, found) in c.to_vec().expect("results").into_iter().enumerate() {
                let (product, row, column) = (i / (m * n), i / n % m, i % n);
                let (a, b) = (&a[skip + product * m * k..], &b[skip + product * k * n..]);
                let sum = fold(&of, [row, column], (a, b), 0.0, <$ty>::mul_add);
                let before = if beta == 0.0 { 0.0 } else { beta * old[i] };
                let expected = alpha.mul_add(sum, before);
                assert_eq!(
                    found.to_bits(),
                    expected.to_bits(),
                    "{of:?}, skip {skip}, {i}: {found}, {expected}"
                );
            }
        }
    };
}

/// Shapes that are tiles, or less, or more.
const SHAPES: [(u32, u32, u32, u32); 7] = [
    (1, 1, 1, 1),
    (3, 5, 0, 1),
    (3, 5, 7, 3),
    (128, 128, 16, 1),
    (129, 131, 33, 1),
    (4, 260, 40, 2),
    (132, 8, 100, 1),
];

#[test]
fn products_of_f32_are_the_cpus_in_all_bits() {
    gemms_are_the_cpus!(f32, SHAPES);
}

#[test]
fn products_of_f64_are_the_cpus_in_all_bits() {
    gemms_are_the_cpus!(f64, SHAPES);
}

/// Compares products of 16-bit factors with the CPU's. The factors are quarters up to 2, so all
/// sums are exact in `f32`, in any order, and a product is rounded once, to its own type.
macro_rules! gemms_of_halves_are_exact {
    ($ty:ident, $of_c:ident, $widen:expr, $shapes:expr) => {
        let (device, stream) = device();
        let quarter = |i: usize| ((i * 2_654_435_761 >> 9) % 17) as f32 / 4.0 - 2.0;
        let quarters = |len: usize, seed| (0..len).map(move |i| quarter(i + seed));
        // Each shape with both factors either way, and in turns with the old product.
        for (shape, transposed, scaled) in ($shapes.into_iter().enumerate())
            .flat_map(|(i, shape)| (0..4).map(move |kind| (shape, kind, (i + kind) % 2)))
        {
            let ((m, n, k, batch), [alpha, beta]) = (shape, [[1.0, 0.0], [0.5, -2.0]][scaled]);
            let of = Gemm {
                batch,
                is_a_transposed: transposed & 1 > 0,
                is_b_transposed: transposed & 2 > 0,
                alpha,
                beta,
                ..Gemm::new(m, n, k)
            };
            let [m, n, k, batch] = [m, n, k, batch].map(|side| side as usize);
            let a: Vec<f32> = quarters(m * k * batch, 0).collect();
            let b: Vec<f32> = quarters(k * n * batch, 7).collect();
            let old: Vec<f32> = match beta {
                0.0 => vec![f32::NAN; m * n * batch],
                _ => quarters(m * n * batch, 3).collect(),
            };
            let narrow =
                |factor: &[f32]| -> Vec<$ty> { factor.iter().map(|x| $ty::from_f32(*x)).collect() };
            let [on_a, on_b] = [&a, &b].map(|factor| uploaded(&device, &narrow(factor)));
            let to_c = |x: &f32| -> $of_c { ($widen.0)(*x) };
            let mut c = uploaded(&device, &old.iter().map(to_c).collect::<Vec<$of_c>>());
            checked(&device, of, || {
                of.multiply(&stream, &on_a, &on_b, &mut c)
                    .expect("a product");
                stream.synchronize().expect("the product's end");
            });
            for (i, found) in c.to_vec().expect("results").into_iter().enumerate() {
                let (product, row, column) = (i / (m * n), i / n % m, i % n);
                let (a, b) = (&a[product * m * k..], &b[product * k * n..]);
                let sum = fold(&of, [row, column], (a, b), 0.0, multiply_add);
                let before = if beta == 0.0 { 0.0 } else { beta * old[i] };
                let expected = to_c(&(alpha * sum + before));
                let (found, expected) = (($widen.1)(found), ($widen.1)(expected));
                assert_eq!(found, expected, "{of:?}, {i}");
            }
        }
    };
}

/// Shapes whose rows are aligned to sixteen bytes, which Hopper's kernel takes, and others.
const SHAPES_OF_HALVES: [(u32, u32, u32, u32); 9] = [
    (1, 1, 1, 1),
    (3, 5, 0, 1),
    (3, 5, 7, 3),
    (8, 8, 8, 1),
    (128, 128, 32, 1),
    (129, 131, 33, 1),
    (256, 256, 64, 1),
    (136, 264, 72, 2),
    (264, 8, 200, 1),
];

#[test]
fn products_of_halves_are_exact() {
    type Bits<C> = (fn(f32) -> C, fn(C) -> f32);
    const SAME: Bits<f32> = (|x| x, |x| x);
    const BF16: Bits<Bf16> = (Bf16::from_f32, Bf16::to_f32);
    const F16: Bits<F16> = (F16::from_f32, F16::to_f32);
    gemms_of_halves_are_exact!(Bf16, f32, SAME, SHAPES_OF_HALVES);
    gemms_of_halves_are_exact!(Bf16, Bf16, BF16, SHAPES_OF_HALVES);
    gemms_of_halves_are_exact!(F16, f32, SAME, [(136, 264, 72, 1), (65, 9, 17, 2)]);
    gemms_of_halves_are_exact!(F16, F16, F16, [(136, 264, 72, 1), (65, 9, 17, 2)]);
}

/// Products of floats of 8 bits: all sums are exact, and are rounded once.
#[test]
fn products_of_floats_of_8_bits_are_exact() {
    let (device, stream) = device();
    let half = |i: usize| (((i * 2_654_435_761) >> 9) % 9) as f32 / 2.0 - 2.0;
    macro_rules! are_exact {
        ($ty:ident, $of_c:ident, $to:expr, $from:expr) => {
            for ((m, n, k), [alpha, beta]) in
                [((16, 16, 16), [1.0, 0.0]), ((130, 272, 208), [0.25, -2.0])]
            {
                let of = Gemm {
                    is_b_transposed: true,
                    alpha,
                    beta,
                    ..Gemm::new(m, n, k)
                };
                let [m, n, k] = [m, n, k].map(|side| side as usize);
                let halves = |len: usize, seed| (0..len).map(move |i| half(i + seed));
                let a: Vec<f32> = halves(m * k, 0).collect();
                let b: Vec<f32> = halves(n * k, 5).collect();
                let old: Vec<f32> = halves(m * n, 3).collect();
                let narrow = |x: &f32| $ty::from_f32(*x);
                let on_a = uploaded(&device, &a.iter().map(narrow).collect::<Vec<_>>());
                let on_b = uploaded(&device, &b.iter().map(narrow).collect::<Vec<_>>());
                let mut c = uploaded(
                    &device,
                    &old.iter().copied().map($to).collect::<Vec<$of_c>>(),
                );
                checked(&device, of, || {
                    of.multiply(&stream, &on_a, &on_b, &mut c)
                        .expect("a product");
                    stream.synchronize().expect("the product's end");
                });
                for (i, found) in c.to_vec().expect("results").into_iter().enumerate() {
                    let sum = fold(&of, [i / n, i % n], (&a, &b), 0.0, multiply_add);
                    let before = if beta == 0.0 { 0.0 } else { beta * old[i] };
                    let expected: f32 = $from($to(alpha * sum + before));
                    assert_eq!($from(found), expected, "{of:?}, {i}");
                }
            }
        };
    }
    are_exact!(E4m3, f32, |x: f32| x, |x: f32| x);
    are_exact!(E4m3, E4m3, E4m3::from_f32, E4m3::to_f32);
    are_exact!(E5m2, Bf16, Bf16::from_f32, Bf16::to_f32);
    are_exact!(E5m2, E5m2, E5m2::from_f32, E5m2::to_f32);

    let a = uploaded(&device, &[E4m3::from_f32(1.0); 256]);
    let mut c = uploaded(&device, &[0.0f32; 256]);
    let error = Gemm::new(16, 16, 16).multiply(&stream, &a, &a, &mut c);
    assert_eq!(
        error.expect_err("another order").to_string(),
        "floats of 8 bits are multiplied along the rows of `A` and of the transpose of `B`"
    );
    let of = Gemm {
        is_b_transposed: true,
        ..Gemm::new(2, 4, 8)
    };
    let error = of
        .multiply(&stream, &a, &a, &mut c)
        .expect_err("short rows");
    assert_eq!(
        error.to_string(),
        "products of floats of 8 bits need Hopper, and rows that are not empty and begin at multiples of sixteen bytes"
    );
}

/// The same test once more, on the model of another GPU, which has another kernel.
#[test]
fn products_of_halves_are_exact_on_a_gpu_that_is_not_hopper() {
    let me = std::env::current_exe().expect("a running program has a path");
    let output = Command::new(me)
        .args(["--exact", "products::products_of_halves_are_exact"])
        .envs([("LANEWISE_DEVICE", "sim"), ("LANEWISE_MODEL", "rtx4090")])
        .output()
        .expect("the test can be started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
}

/// Compares layers with what the CPU computes. Sums of quarters are exact, also with the bias; the
/// functions are computed in `f64`, and the hardware's `tanh` has an error of 2^-11.
macro_rules! layers_are_the_cpus {
    ($ty:ident, $activation:expr, $exact:expr) => {
        let (device, stream) = device();
        let quarter = |i: usize| ((i * 2_654_435_761 >> 9) % 17) as f32 / 4.0 - 2.0;
        let quarters =
            |len: usize, seed| -> Vec<f32> { (0..len).map(|i| quarter(i + seed)).collect() };
        for (batch, outputs, inputs) in [(1, 1, 1), (3, 5, 0), (5, 264, 9), (136, 264, 72)] {
            for kind in 0..4 {
                let layer = Linear {
                    are_weights_transposed: kind % 2 > 0,
                    ..Linear::new(batch, inputs, outputs)
                };
                let [m, n, k] = [batch, outputs, inputs].map(|side| side as usize);
                let x = quarters(m * k, 0);
                let weights = quarters(k * n, 7);
                let bias = quarters(n, 3);
                let narrow = |numbers: &[f32]| -> Vec<$ty> {
                    numbers.iter().map(|x| $ty::from_f32(*x)).collect()
                };
                let [on_x, on_weights, on_bias] =
                    [&x, &weights, &bias].map(|numbers| uploaded(&device, &narrow(numbers)));
                let has_bias = kind < 2;
                let mut y = uploaded(&device, &vec![$ty::from_f32(f32::NAN); m * n]);
                checked(&device, (layer, has_bias), || {
                    let bias = has_bias.then_some(&on_bias);
                    layer
                        .forward(&stream, $activation, &on_x, &on_weights, bias, &mut y)
                        .expect("a layer");
                    stream.synchronize().expect("the layer's end");
                });
                let of = Gemm::<f32> {
                    is_b_transposed: layer.are_weights_transposed,
                    ..Gemm::new(batch, outputs, inputs)
                };
                for (i, found) in y.to_vec().expect("results").into_iter().enumerate() {
                    let (row, column) = (i / n, i % n);
                    let before = if has_bias { bias[column] } else { 0.0 };
                    let sum = fold(&of, [row, column], (&x, &weights), before, multiply_add);
                    let expected: f64 = $exact(f64::from(sum));
                    // An element has at least eight bits.
                    let tolerance = expected.abs() / 256.0 + f64::from(sum.abs()) / 2048.0;
                    let found = f64::from(found.to_f32());
                    assert!(
                        (found - expected).abs() <= tolerance,
                        "{layer:?}, bias {has_bias}, {i}: {found}, not {expected}"
                    );
                }
            }
        }
    };
}

#[test]
fn layers_are_the_cpus() {
    let gelu = |x: f64| {
        let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3));
        x / 2.0 * (1.0 + inner.tanh())
    };
    layers_are_the_cpus!(Bf16, Identity, |x: f64| x);
    layers_are_the_cpus!(Bf16, Gelu, gelu);
    layers_are_the_cpus!(F16, Relu, |x: f64| x.max(0.0));
    layers_are_the_cpus!(F16, Silu, |x: f64| x / (1.0 + (-x).exp()));
}

#[test]
fn a_layer_refuses_a_short_bias() {
    let (device, stream) = device();
    let [x, mut y] = [0, 1].map(|_| uploaded(&device, &[Bf16::from_f32(1.0); 4]));
    let bias = x.slice(..1);
    let error = Linear::new(2, 2, 2)
        .forward(&stream, Relu, &x, &x, Some(&bias), &mut y)
        .expect_err("a short bias");
    assert_eq!(
        error.to_string(),
        "expected a bias of at least 2 elements, found 1"
    );
}

#[test]
fn a_product_of_halves_is_recorded_in_a_graph() {
    let (device, stream) = device();
    let [one, two] = [1.0, 2.0].map(|x| uploaded(&device, &vec![Bf16::from_f32(x); 64 * 64]));
    let mut c = uploaded(&device, &vec![0.0f32; 64 * 64]);
    let graph = device.record(|record| {
        let of = Gemm {
            beta: 1.0,
            ..Gemm::new(64, 64, 64)
        };
        Ok(of.multiply(record, &one, &two, &mut c)?)
    });
    let graph = graph.expect("a graph");
    for _ in 0..2 {
        graph.launch(&stream).expect("a launch");
    }
    assert_eq!(c.to_vec().expect("sums"), [256.0; 64 * 64]);
}

#[test]
fn a_product_refuses_short_buffers_and_long_sides() {
    let (device, stream) = device();
    let (a, mut c) = (
        uploaded(&device, &[0.0f32; 11]),
        uploaded(&device, &[0.0f32; 12]),
    );
    let error = Gemm::new(3, 4, 4)
        .multiply(&stream, &a, &a, &mut c)
        .expect_err("a short A");
    assert_eq!(
        error.to_string(),
        "expected an A of at least 12 elements, found 11"
    );
    let most = Gemm::<f32> {
        batch: u32::MAX,
        ..Gemm::new(u32::MAX, 1, u32::MAX)
    };
    let error = most
        .multiply(&stream, &a, &a, &mut c)
        .expect_err("more than there can be");
    assert!(
        matches!(
            error,
            Error::TooShort {
                what: "an A",
                expected: usize::MAX,
                ..
            }
        ),
        "{error}"
    );
    let error = Gemm::new((1 << 23) + 1, 0, 0).multiply(&stream, &a, &a, &mut c);
    let error = error.expect_err("a long side");
    assert_eq!(
        error.to_string(),
        "expected at most 8388608 rows or columns, found 8388609"
    );
    let none = Gemm::new(0, 4, 4).multiply(&stream, &a, &uploaded(&device, &[0.0; 16]), &mut c);
    none.expect("no rows");
}

/// Small whole numbers: sums of their products are exact in any order.
fn whole(len: usize) -> Vec<f64> {
    (0..len).map(|i| (i * 7 % 11) as f64 - 5.0).collect()
}

/// Compares the products of a matrix and its transpose with vectors, in one type of elements.
macro_rules! gemvs_are_the_cpus {
    ($of:expr, $to:expr, $device:ident, $stream:ident, $rows:ident, $columns:ident, $skip:ident) => {
        let sides = [$rows, $columns].map(|side| side as usize);
        let a = whole(sides[0] * sides[1] + $skip);
        let on_device = uploaded(&$device, &a.iter().map(|a| $to(*a)).collect::<Vec<_>>());
        for is_transposed in [false, true] {
            let [of_y, of_x] = if is_transposed {
                [sides[1], sides[0]]
            } else {
                sides
            };
            let x = whole(of_x + 3 + $skip);
            let [alpha, beta] = if $skip > 0 { [2.0, -1.0] } else { [1.0, 0.0] };
            let old = if $skip > 0 { 3.0 } else { f64::NAN };
            let mut y = uploaded(&$device, &vec![$of(old); of_y]);
            let of_x = uploaded(&$device, &x.iter().map(|x| $to(*x)).collect::<Vec<_>>());
            let of = Gemv {
                alpha: $of(alpha),
                beta: $of(beta),
                ..Gemv::new($rows, $columns)
            };
            checked(&$device, (of, is_transposed, $skip), || {
                let (a, x) = (on_device.slice($skip..), of_x.slice($skip..));
                if is_transposed {
                    of.multiply_transposed(&$stream, &a, &x, &mut y)
                        .expect("a product");
                } else {
                    of.multiply(&$stream, &a, &x, &mut y).expect("a product");
                }
                $stream.synchronize().expect("the product's end");
            });
            for (i, found) in y.to_vec().expect("results").into_iter().enumerate() {
                let sum: f64 = if is_transposed {
                    (0..sides[0])
                        .map(|row| a[row * sides[1] + i + $skip] * x[row + $skip])
                        .sum()
                } else {
                    (0..sides[1])
                        .map(|column| a[i * sides[1] + column + $skip] * x[column + $skip])
                        .sum()
                };
                let expected = alpha * sum + if beta == 0.0 { 0.0 } else { beta * old };
                assert_eq!(
                    f64::from(found),
                    expected,
                    "{of:?} {is_transposed} {}: {i}",
                    $skip
                );
            }
        }
    };
}

#[test]
fn products_with_vectors_are_the_cpus() {
    let (device, stream) = device();
    let shapes = [
        (0, 3),
        (3, 0),
        (1, 1),
        (2, 4),
        (5, 129),
        (33, 131),
        (7, 4096),
        (3, 8191),
        (131, 264),
        (600, 40),
    ];
    for (rows, columns) in shapes {
        for skip in [0, 1] {
            gemvs_are_the_cpus!(
                |x| x as f32,
                |x| x as f32,
                device,
                stream,
                rows,
                columns,
                skip
            );
            gemvs_are_the_cpus!(|x: f64| x, |x: f64| x, device, stream, rows, columns, skip);
            gemvs_are_the_cpus!(
                |x| x as f32,
                |x| Bf16::from_f32(x as f32),
                device,
                stream,
                rows,
                columns,
                skip
            );
        }
    }
}

#[test]
fn a_product_with_a_vector_refuses_short_buffers() {
    let (device, stream) = device();
    let (a, mut y) = (
        uploaded(&device, &[0.0f32; 12]),
        uploaded(&device, &[0.0f32; 3]),
    );
    let x = uploaded(&device, &[0.0f32; 3]);
    let error = Gemv::new(3, 4)
        .multiply(&stream, &a, &x, &mut y)
        .expect_err("a short x");
    assert_eq!(
        error.to_string(),
        "expected an x of at least 4 elements, found 3"
    );
    let error = Gemv::new(3, 4).multiply_transposed(&stream, &a, &x, &mut y);
    let error = error.expect_err("a short y");
    assert_eq!(
        error.to_string(),
        "expected a y of at least 4 elements, found 3"
    );
}

#[test]
fn products_of_sparse_matrices_are_the_cpus() {
    let (device, stream) = device();
    // Lengths of rows: none, empty, equal, of all lengths, some longer than a block's tile or two.
    let all: [Vec<u32>; 10] = [
        vec![],
        vec![0; 5000],
        vec![1],
        vec![27; 300],
        vec![32; 70],
        (0..203).map(|row| 20 + row % 9).collect(),
        vec![700; 9],
        (0..130).map(|row| row * 37 % 65).collect(),
        vec![0, 7000, 0, 0, 3, 2303, 1, 2304, 0, 5000, 0],
        vec![20_000],
    ];
    for lengths in all {
        let mut starts = vec![0];
        for length in &lengths {
            starts.push(starts[starts.len() - 1] + length);
        }
        let (rows, count) = (lengths.len(), starts[lengths.len()] as usize);
        let columns: Vec<u32> = (0..count as u32)
            .map(|i| i.wrapping_mul(2_654_435_761) % 501)
            .collect();
        let (values, x) = (whole(count), whole(501));
        let mut matrix =
            SparseMatrix::new(&device, 501, &starts, &columns, &values).expect("a matrix");
        let narrow = |values: &[f64]| values.iter().map(|value| *value as f32).collect::<Vec<_>>();
        let of_f32 = SparseMatrix::new(&device, 501, &starts, &columns, &narrow(&values));
        let mut of_f32 = of_f32.expect("a matrix");
        let (on_device, of_x) = (uploaded(&device, &x), uploaded(&device, &narrow(&x)));
        for (alpha, beta) in [(1.0, 0.0), (2.0, -1.0)] {
            let old = if beta == 0.0 { f64::NAN } else { 3.0 };
            let mut y = uploaded(&device, &vec![old; rows]);
            let mut y_f32 = uploaded(&device, &vec![old as f32; rows]);
            checked(&device, (&lengths, beta), || {
                matrix
                    .multiply(&stream, [alpha, beta], &on_device, &mut y)
                    .expect("a product");
                let factors = [alpha as f32, beta as f32];
                of_f32
                    .multiply(&stream, factors, &of_x, &mut y_f32)
                    .expect("a product");
                stream.synchronize().expect("the products' end");
            });
            let (y, y_f32) = (
                y.to_vec().expect("results"),
                y_f32.to_vec().expect("results"),
            );
            for row in 0..rows {
                let of_row = starts[row] as usize..starts[row + 1] as usize;
                let sum: f64 = of_row.map(|i| values[i] * x[columns[i] as usize]).sum();
                let expected = alpha * sum + if beta == 0.0 { 0.0 } else { beta * old };
                assert_eq!(
                    (y[row], f64::from(y_f32[row])),
                    (expected, expected),
                    "{lengths:?}, {beta}: row {row}"
                );
            }
        }
    }
}

#[test]
fn a_sparse_matrix_that_is_not_one_is_refused() {
    let (device, stream) = device();
    let refused = |starts: &[u32], columns: &[u32]| {
        let matrix = SparseMatrix::new(&device, 3, starts, columns, &[1.0f32; 4]);
        matrix.expect_err("no matrix").to_string()
    };
    assert_eq!(
        refused(&[], &[]),
        "expected starts of at least 1 elements, found 0"
    );
    assert_eq!(refused(&[1, 2], &[0, 0]), "row 0 begins at 0, not at 1");
    assert_eq!(
        refused(&[0, 3, 2], &[0, 0, 0]),
        "row 1 ends before it begins, at 2"
    );
    assert_eq!(
        refused(&[0, 9, 2], &[0, 0]),
        "row 1 ends before it begins, at 2"
    );
    assert_eq!(
        refused(&[0, 1, 3], &[0, 2, 3]),
        "row 1 has an element outside of the matrix, in column 3"
    );
    assert_eq!(
        refused(&[0, 1, 3], &[0, 2]),
        "expected columns of at least 3 elements, found 2"
    );
    let matrix = SparseMatrix::new(&device, 3, &[0, 1, 3], &[0, 2, 1], &[1.0f32; 3]);
    let mut matrix = matrix.expect("a matrix");
    let (x, mut y) = (
        uploaded(&device, &[0.0f32; 2]),
        uploaded(&device, &[0.0f32; 2]),
    );
    let error = matrix
        .multiply(&stream, [1.0, 0.0], &x, &mut y)
        .expect_err("a short x");
    assert_eq!(
        error.to_string(),
        "expected an x of at least 3 elements, found 2"
    );
    *matrix.values_mut() = uploaded(&device, &[1.0f32; 2]);
    let error = matrix
        .multiply(&stream, [1.0, 0.0], &uploaded(&device, &[0.0; 3]), &mut y)
        .expect_err("too few values");
    assert_eq!(
        error.to_string(),
        "expected values of at least 3 elements, found 2"
    );
}
