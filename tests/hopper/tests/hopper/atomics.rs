//! Atomics of pairs, of vectors and of 128 bits, against sums on the host.

use hopper::{buffer, device, values};
use hopper_kernels::atomics::{add_bf16, add_vectors, add_wide, stop_at};
use lanewise::LaunchConfig;
use lanewise_std::half::{Bf16, Bf16x2};
use lanewise_std::vector::{Float2, Float4};
use proptest::prelude::*;
use tests::sizes::cases;

proptest! {
    #![proptest_config(cases(8))]

    /// Whole numbers, so small that no order of additions rounds.
    #[test]
    fn vectors_are_added_float_by_float(numbers in proptest::collection::vec(-100i16..100, 1..500), cells in 1usize..5) {
        let (device, stream) = device();
        let input: Vec<Float4> = numbers
            .iter()
            .map(|&n| f32::from(n))
            .map(|x| Float4::new(x, 2.0 * x, -x, 1.0))
            .collect();
        let mut pairs = vec![Float2::splat(0.5); cells];
        let mut fours = vec![Float4::splat(0.25); cells];
        let (mut on_pairs, mut on_fours) = (buffer(&device, &pairs), buffer(&device, &fours));
        let config = LaunchConfig::for_num_elems(input.len());
        stream.launch(add_vectors, config, (&buffer(&device, &input), &mut on_pairs, &mut on_fours))
            .expect("a launch");
        for (i, x) in input.iter().enumerate() {
            let (pair, four) = (&mut pairs[i % cells], &mut fours[i % cells]);
            *pair = Float2::new(pair.x + x.x, pair.y + x.w);
            *four = Float4::new(four.x + x.x, four.y + x.y, four.z + x.z, four.w + x.w);
        }
        prop_assert_eq!(values(&on_pairs), pairs);
        prop_assert_eq!(values(&on_fours), fours);
    }

    /// Sums below 256 are exact.
    #[test]
    fn bf16_and_their_pairs_are_added(numbers in proptest::collection::vec(0u8..4, 1..60), cells in 1usize..4) {
        let (device, stream) = device();
        let input: Vec<Bf16> = numbers.iter().map(|&n| Bf16::from_f32(f32::from(n))).collect();
        let zero = Bf16::from_f32(0.0);
        let mut totals = buffer(&device, &vec![zero; cells]);
        let mut pairs = buffer(&device, &vec![Bf16x2::new(zero, zero); cells]);
        let config = LaunchConfig::for_num_elems(input.len());
        stream.launch(add_bf16, config, (&buffer(&device, &input), &mut totals, &mut pairs))
            .expect("a launch");
        let sum = |cell: usize| -> f32 {
            numbers.iter().skip(cell).step_by(cells).map(|&n| f32::from(n)).sum()
        };
        for (cell, (total, pair)) in values(&totals).into_iter().zip(values(&pairs)).enumerate() {
            prop_assert_eq!(total.to_f32(), sum(cell));
            prop_assert_eq!((pair.low.to_f32(), pair.high.to_f32()), (sum(cell), -sum(cell)));
        }
    }

    #[test]
    fn numbers_of_128_bits_change_as_one(numbers in proptest::collection::vec(any::<u128>(), 1..300)) {
        let (device, stream) = device();
        let (mut total, mut last) = (buffer(&device, &[0u128]), buffer(&device, &[7u128]));
        let mut output = buffer(&device, &vec![0u128; numbers.len()]);
        let config = LaunchConfig::for_num_elems(numbers.len());
        stream.launch(add_wide, config, (&buffer(&device, &numbers), &mut total, &mut last, &mut output))
            .expect("a launch");
        let sum = |numbers: &[u128]| numbers.iter().fold(0u128, |sum, n| sum.wrapping_add(*n));
        prop_assert_eq!(values(&total)[0], sum(&numbers));
        // What was handed on, with what is left, is what came and what was there.
        let (mut found, mut came) = (values(&output), numbers);
        found.extend(values(&last));
        came.push(7);
        found.sort_unstable();
        came.sort_unstable();
        prop_assert_eq!(found, came);
    }
}

#[test]
fn a_breakpoint_that_is_not_met_changes_nothing() {
    let (device, stream) = device();
    let mut output = buffer(&device, &[9u32; 100]);
    let config = LaunchConfig::for_num_elems(100);
    stream
        .launch(stop_at, config, (1000u32, &mut output))
        .expect("a launch");
    assert_eq!(values(&output), (0..100).collect::<Vec<u32>>());
}
