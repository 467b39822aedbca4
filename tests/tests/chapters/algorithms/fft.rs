//! The Fourier transform against `rustfft`, forward and back.

use lanewise::{Backend, DeviceBuffer};
use lanewise_patterns::Setup;
use lanewise_patterns::algorithms::fft::{
    Complex, Direction, Fft, Method, Radix, Transforms, numbers,
};
use proptest::prelude::*;
use rustfft::algorithm::Radix4;
use rustfft::{Fft as _, FftDirection};
use tests::agree::{agrees, assert_agrees};
use tests::count::count;
use tests::ptx;
use tests::sizes::cases;

const PASSES: [&str; 2] = ["fft_stockham_2", "fft_stockham_4"];
const KERNELS: [&str; 4] = [PASSES[0], PASSES[1], "fft_block", "fft_block_f64"];

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

/// The transform of one length on the device.
fn on_the_device<T: Transforms>(
    x: &[Complex<T>],
    method: Method,
    direction: Direction,
) -> Vec<Complex<T>> {
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let input = DeviceBuffer::from_slice(&device, x).expect("a buffer");
    let mut output = DeviceBuffer::from_slice(&device, x).expect("a buffer");
    let mut plan = Fft::by(&device, x.len(), 1, method).expect("a plan");
    plan.run(&stream, direction, &input, &mut output)
        .expect("a launch");
    output.to_vec().expect("no fault")
}

/// The root of the mean square of the differences, as a part of the mean square of what should be.
fn error<T: Transforms>(found: &[Complex<T>], expected: &[Complex<T>]) -> f64 {
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

/// Forward as `rustfft` does it, and back, for this length.
fn holds_against_rustfft<T: Transforms + rustfft::FftNum>(
    log_n: u32,
    methods: &[Method],
    tolerance: f64,
) {
    let x = numbers::<T>(1 << log_n, 1);
    let mut expected: Vec<_> = x
        .iter()
        .map(|x| rustfft::num_complex::Complex::new(x.re, x.im))
        .collect();
    // Not by a planner, which is compiled with the transforms of all lengths.
    Radix4::<T>::new(x.len(), FftDirection::Forward).process(&mut expected);
    let expected: Vec<Complex<T>> = expected.iter().map(|x| Complex::new(x.re, x.im)).collect();
    for &method in methods {
        let there = on_the_device(&x, method, Direction::Forward);
        let off = error(&there, &expected);
        assert!(off < tolerance, "2^{log_n}, {method:?}: {off:e}");
        // The longest takes the simulator seconds: one way, as the other one is the same kernels.
        if log_n > 16 && tests::device().backend() == Backend::Sim {
            continue;
        }
        let back = on_the_device(&there, method, Direction::Inverse);
        let off = error(&back, &x);
        assert!(off < tolerance, "2^{log_n}, {method:?}, back: {off:e}");
    }
}

#[test]
fn transforms_are_those_of_rustfft_and_the_inverse_leads_back() {
    let passes = [Radix::Two, Radix::Four].map(Method::Passes);
    for log_n in [1, 2, 3, 4, 5, 8, 11] {
        holds_against_rustfft::<f32>(log_n, &passes, 1e-6);
        holds_against_rustfft::<f64>(log_n, &passes, 2e-15);
    }
    // Where the radices, and where the launches, become others.
    for log_n in [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13] {
        holds_against_rustfft::<f32>(log_n, &[Method::Blocks], 1e-6);
    }
    for log_n in [1, 2, 3, 5, 11, 12, 15] {
        holds_against_rustfft::<f64>(log_n, &[Method::Blocks], 2e-15);
    }
}

#[test]
fn the_longest_transform_is_two_launches_on_the_simulator_too() {
    holds_against_rustfft::<f32>(20, &[Method::Blocks], 1e-6);
}

#[test]
fn a_block_loads_and_stores_each_element_once() {
    let Some(counters) = count("fft_block", batched(1 << 10, 2, 1)) else {
        return;
    };
    assert_eq!(counters.global_stores.bytes, 8 * 2 * 1024);
    let shared = (counters.shared_loads, counters.shared_stores);
    // Ten passes of radix 2 are three of radix 8 and one of radix 2: three exchanges. Sixteen lanes
    // of 8 bytes are one wavefront, if no two meet in a bank.
    assert_eq!(shared.0.bytes, 3 * 8 * 2 * 1024);
    assert_eq!(shared.0.wavefronts, shared.0.bytes / 128);
    assert_eq!(shared.1.wavefronts, shared.1.bytes / 128);
}

#[test]
fn radix_four_halves_the_traffic() {
    let counts = PASSES.map(|name| count(name, batched(1 << 8, 1, 1)));
    let [Some(two), Some(four)] = counts else {
        return;
    };
    assert_eq!(two.global_stores.bytes, 8 * 256 * 8);
    assert_eq!(four.global_stores.bytes, 8 * 256 * 4);
}

#[test]
fn a_complex_number_is_one_load_and_stays_in_registers() {
    for (target, text) in ptx::embedded() {
        for name in [
            "fft_stockham_f32_2",
            "fft_stockham_f32_4",
            "fft_block_f32_4096",
        ] {
            // Without what records a panic, at the end.
            let kernel = ptx::kernel(text, name);
            let kernel = kernel.split("[__lanewise_panic]").next().unwrap_or(kernel);
            assert!(!kernel.contains(".local"), "{target}: {kernel}");
            // Two floats, or their 64 bits.
            let loads =
                ["ld.global.nc.v2", "ld.global.nc.b64"].map(|load| ptx::count(kernel, load));
            let all = ptx::count(kernel, "ld.global");
            assert_eq!(loads.iter().sum::<usize>(), all, "{target}: {kernel}");
        }
    }
}

#[test]
fn lengths_that_are_no_powers_of_two_are_errors() {
    let device = tests::device();
    for length in [0, 1, 3, 1000, 1 << 21] {
        let error = Fft::<f32>::new(&device, length, 1).expect_err("there is none");
        assert_eq!(
            error.to_string(),
            format!(
                "a transform has 2^1 to 2^20 elements, a power of two; {length} is none of these"
            )
        );
    }
    let mut plan = Fft::<f32>::new(&device, 4, 2).expect("a plan");
    let stream = device.stream().expect("a stream");
    let input = DeviceBuffer::from_slice(&device, &numbers(8, 1)).expect("a buffer");
    let mut short = DeviceBuffer::from_slice(&device, &numbers(7, 1)).expect("a buffer");
    let error = plan.run(&stream, Direction::Forward, &input, &mut short);
    assert_eq!(
        error.expect_err("it is too short").to_string(),
        "the output has 7 elements, and the shape says 8"
    );
}
