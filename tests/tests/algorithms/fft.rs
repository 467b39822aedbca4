//! The Fourier transform against `rustfft`, forward and back.

use lanewise::DeviceBuffer;
use lanewise_patterns::Setup;
use lanewise_patterns::algorithms::fft::{Complex, Direction, Fft, Radix};
use lanewise_patterns::input;
use proptest::prelude::*;
use rustfft::FftPlanner;
use tests::agree::{agrees, assert_agrees};
use tests::count::count;
use tests::ptx;
use tests::sizes::cases;

const KERNELS: [&str; 2] = ["fft_stockham_2", "fft_stockham_4"];

fn batched(size: usize, batch: usize, seed: u64) -> Setup {
    Setup {
        rows: Some(batch),
        ..Setup::new(size, seed)
    }
}

#[test]
fn transforms_agree_with_the_cpu_for_every_power_of_two() {
    for variant in KERNELS {
        for log_n in 1..=11 {
            assert_agrees(variant, batched(1 << log_n, 2, 1));
        }
    }
}

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn batches_agree_with_the_cpu(log_n in 1u32..9, batch in 0usize..9, seed: u64) {
        for variant in KERNELS {
            prop_assert_eq!(agrees(variant, batched(1 << log_n, batch, seed)), Ok(()));
        }
    }
}

/// Random numbers of about 0.3.
fn numbers(n: usize) -> Vec<Complex> {
    let parts = input::floats(2 * n, 1);
    let complex = |pair: &[f32]| Complex {
        re: pair[0],
        im: pair[1],
    };
    parts.chunks(2).map(complex).collect()
}

/// The transform of one length on the device.
fn on_the_device(x: &[Complex], radix: Radix, direction: Direction) -> Vec<Complex> {
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let input = DeviceBuffer::from_slice(&device, x).expect("a buffer");
    let mut output = DeviceBuffer::from_slice(&device, x).expect("a buffer");
    let mut plan = Fft::new(&device, x.len(), 1, radix).expect("a plan");
    plan.run(&stream, direction, &input, &mut output)
        .expect("a launch");
    output.to_vec().expect("no fault")
}

/// The root of the mean square of the differences, as a part of the mean square of what should be.
fn error(found: &[Complex], expected: &[Complex]) -> f64 {
    let square = |x: f64, y: f64| x * x + y * y;
    let differences = found.iter().zip(expected).map(|(found, expected)| {
        square(
            (found.re - expected.re).into(),
            (found.im - expected.im).into(),
        )
    });
    let sizes = expected.iter().map(|x| square(x.re.into(), x.im.into()));
    (differences.sum::<f64>() / sizes.sum::<f64>()).sqrt()
}

#[test]
fn transforms_are_those_of_rustfft_and_the_inverse_leads_back() {
    let mut planner = FftPlanner::<f32>::new();
    // A GPU takes all lengths; the simulator would take a minute for the longest.
    let most = if tests::simulator("2^20 elements", "it takes them all").is_some() {
        14
    } else {
        20
    };
    for log_n in [1, 2, 3, 4, 5, 8, 13, most] {
        let n = 1 << log_n;
        let x = numbers(n);
        let mut expected: Vec<_> = x
            .iter()
            .map(|x| rustfft::num_complex::Complex::new(x.re, x.im))
            .collect();
        planner.plan_fft_forward(n).process(&mut expected);
        let complex = |x: &rustfft::num_complex::Complex<f32>| Complex { re: x.re, im: x.im };
        let expected: Vec<Complex> = expected.iter().map(complex).collect();
        for radix in [Radix::Two, Radix::Four] {
            let there = on_the_device(&x, radix, Direction::Forward);
            let off = error(&there, &expected);
            assert!(off < 1e-6, "2^{log_n}, {radix:?}: {off:e}");
            let back = on_the_device(&there, radix, Direction::Inverse);
            let off = error(&back, &x);
            assert!(off < 1e-6, "2^{log_n}, {radix:?}, back: {off:e}");
        }
    }
}

#[test]
fn radix_four_halves_the_traffic() {
    let counts = KERNELS.map(|name| count(name, batched(1 << 8, 1, 1)));
    let [Some(two), Some(four)] = counts else {
        return;
    };
    assert_eq!(two.global_stores.bytes, 8 * 256 * 8);
    assert_eq!(four.global_stores.bytes, 8 * 256 * 4);
}

#[test]
fn a_complex_number_is_one_load_and_stays_in_registers() {
    for (target, text) in ptx::embedded() {
        for name in KERNELS {
            let kernel = ptx::kernel(text, name);
            assert!(!kernel.contains(".local"), "{target}: {kernel}");
            let loads = ptx::count(kernel, "ld.global");
            assert_eq!(
                loads,
                ptx::count(kernel, "ld.global.nc.v2"),
                "{target}: {kernel}"
            );
        }
    }
}

#[test]
fn lengths_that_are_no_powers_of_two_are_errors() {
    let device = tests::device();
    for length in [0, 1, 3, 1000, 1 << 21] {
        let error = Fft::new(&device, length, 1, Radix::Four).expect_err("there is none");
        assert_eq!(
            error.to_string(),
            format!(
                "a transform has 2^1 to 2^20 elements, a power of two; {length} is none of these"
            )
        );
    }
    let mut plan = Fft::new(&device, 4, 2, Radix::Four).expect("a plan");
    let stream = device.stream().expect("a stream");
    let input = DeviceBuffer::from_slice(&device, &numbers(8)).expect("a buffer");
    let mut short = DeviceBuffer::from_slice(&device, &numbers(7)).expect("a buffer");
    let error = plan.run(&stream, Direction::Forward, &input, &mut short);
    assert_eq!(
        error.expect_err("it is too short").to_string(),
        "the output has 7 elements, and the shape says 8"
    );
}
