//! Random numbers that are those of their places in a stream.

use lanewise::DeviceBuffer;
use lanewise_patterns::Setup;
use lanewise_patterns::algorithms::philox::Philox;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_edges};
use tests::sizes::cases;

const KERNELS: [&str; 5] = [
    "philox_bits",
    "philox_uniform",
    "philox_uniform_f64",
    "philox_normal",
    "philox_normal_f64",
];

#[test]
fn random_numbers_agree_with_the_cpu_at_every_edge() {
    assert_agree_at_edges(KERNELS);
}

proptest! {
    #![proptest_config(cases(5))]

    #[test]
    fn random_numbers_are_those_of_their_places(size in 0usize..3000, seed: u64, skip: u32) {
        let setup = Setup { by: Some(skip), ..Setup::new(size, seed) };
        prop_assert_eq!(all_agree(KERNELS, setup), Ok(()));
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
        philox.bits(&stream, &mut output).expect("a launch");
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
            philox.uniform(&stream, &mut output).expect("a launch");
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
    philox.uniform(&stream, &mut output).expect("a launch");
    let (mean, variance) = moments(&output);
    assert!(
        (mean - 0.5).abs() < 0.01 && (variance - 1.0 / 12.0).abs() < 0.003,
        "{mean}, {variance}"
    );
    philox.normal(&stream, &mut output).expect("a launch");
    let (mean, variance) = moments(&output);
    assert!(
        mean.abs() < 0.04 && (variance - 1.0).abs() < 0.05,
        "{mean}, {variance}"
    );
}
