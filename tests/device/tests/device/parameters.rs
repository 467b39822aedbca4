//! Every kind of parameter passes through a launch without a change.

use std::num::NonZero;

use device::device;
use device_kernels::parameters::{
    Mark, Run, arrive, collect, count, exchange, follow, halves_arrive, marks,
};
use device_kernels::types::{Mixed, Shape};
use lanewise::{DeviceBuffer, LaunchConfig};
use lanewise_std::half::{Bf16, Bf16x2, F16, F16x2};
use proptest::collection::vec;
use proptest::prelude::*;
use tests::sizes::cases;

fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        Just(Shape::Empty),
        (-1e6f32..1e6).prop_map(Shape::Circle),
        (-1e6f32..1e6, any::<u16>()).prop_map(|(width, height)| Shape::Rectangle { width, height }),
    ]
}

fn mixed() -> impl Strategy<Value = Mixed> {
    let parts = (
        any::<i128>(),
        any::<u32>(),
        any::<[u16; 5]>(),
        any::<bool>(),
        any::<u8>(),
    );
    parts.prop_map(|(wide, maybe, list, yes, byte)| Mixed {
        wide,
        maybe: NonZero::new(maybe % 3),
        list,
        yes,
        byte,
    })
}

/// Bits of a float that is not a NaN: the bits of a NaN may change in arithmetic.
fn number(exponent: u16) -> impl Strategy<Value = u16> {
    any::<u16>().prop_map(move |bits| {
        if bits & exponent == exponent {
            bits & !exponent
        } else {
            bits
        }
    })
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn values_arrive_as_they_were(
        (wide, maybe, never_zero) in (any::<i128>(), any::<i64>(), 1u8..),
        (shape, mixed, rows) in (shape(), mixed(), any::<[[i16; 3]; 2]>()),
        threads in 1usize..40,
    ) {
        let device = device();
        let stream = device.stream().expect("a stream");
        let never_zero = NonZero::new(never_zero).expect("from 1");
        let mut numbers = DeviceBuffer::from_slice(&device, &vec![[0i128; 3]; threads]).expect("a buffer");
        let mut shapes = DeviceBuffer::from_slice(&device, &vec![Shape::Empty; threads]).expect("a buffer");
        let other = Mixed { wide: !mixed.wide, ..mixed };
        let mut structures = DeviceBuffer::from_slice(&device, &vec![other; threads]).expect("a buffer");
        let mut arrays = DeviceBuffer::from_slice(&device, &vec![[[0i16; 3]; 2]; threads]).expect("a buffer");
        let arguments = (
            wide,
            NonZero::new(maybe),
            never_zero,
            shape,
            mixed,
            rows,
            &mut numbers,
            &mut shapes,
            &mut structures,
            &mut arrays,
        );
        stream.launch(arrive, LaunchConfig::new(1, threads as u32), arguments)
            .expect("a launch");
        let expected = [wide, maybe.into(), never_zero.get().into()];
        prop_assert_eq!(numbers.to_vec().expect("no fault"), vec![expected; threads]);
        prop_assert_eq!(shapes.to_vec().expect("no fault"), vec![shape; threads]);
        prop_assert_eq!(structures.to_vec().expect("no fault"), vec![mixed; threads]);
        prop_assert_eq!(arrays.to_vec().expect("no fault"), vec![rows; threads]);
    }

    #[test]
    fn floats_of_16_bits_arrive_as_they_were(
        (halves, pair) in (any::<[u16; 3]>(), any::<u32>()),
        (brain, brains) in (number(0x7f80), any::<u32>()),
        threads in 1usize..40,
    ) {
        let device = device();
        let stream = device.stream().expect("a stream");
        let mut small = DeviceBuffer::from_slice(&device, &vec![[0u32; 7]; threads]).expect("a buffer");
        let arguments = (
            halves.map(F16::from_bits),
            F16x2::from_bits(pair),
            Bf16::from_bits(brain),
            Bf16x2::from_bits(brains),
            &mut small,
        );
        stream.launch(halves_arrive, LaunchConfig::new(1, threads as u32), arguments)
            .expect("a launch");
        let [a, b, c] = halves.map(u32::from);
        let sum = half::bf16::from_f32(half::bf16::from_bits(brain).to_f32() + 1.0).to_bits();
        let expected = [a, b, c, pair, brain.into(), brains, sum.into()];
        prop_assert_eq!(small.to_vec().expect("no fault"), vec![expected; threads]);
    }

    #[test]
    fn addresses_lead_to_numbers_of_other_buffers(lists in vec(vec(any::<u32>(), 0..40), 0..70)) {
        let device = device();
        let stream = device.stream().expect("a stream");
        // Some runs in buffers of their own, the others one after another in a common one.
        let joined: Vec<u32> = lists.iter().flatten().copied().collect();
        let common = DeviceBuffer::from_slice(&device, &joined).expect("a buffer");
        let own: Vec<DeviceBuffer<u32>> = lists
            .iter()
            .map(|list| DeviceBuffer::from_slice(&device, list).expect("a buffer"))
            .collect();
        let mut behind = 0;
        let runs: Vec<Run> = lists
            .iter()
            .zip(&own)
            .enumerate()
            .map(|(i, (list, own))| {
                let at = common.address() + 4 * behind;
                behind += list.len() as u64;
                Run {
                    start: (if i % 3 == 0 { own.address() } else { at }) as *const u32,
                    length: list.len() as u64,
                }
            })
            .collect();
        let table = DeviceBuffer::from_slice(&device, &runs).expect("a buffer");
        let mut firsts = DeviceBuffer::from_slice(&device, &vec![7u32; lists.len()]).expect("a buffer");
        let mut sums = DeviceBuffer::from_slice(&device, &vec![0u64; lists.len()]).expect("a buffer");
        let config = LaunchConfig::for_num_elems(lists.len().max(1));
        // SAFETY: the runs are in buffers that live until the copies below, which no thread writes;
        // there is a place for each run.
        unsafe { stream.launch_unchecked(follow, config, (&table, &mut firsts, &mut sums)) }
            .expect("a launch");
        let expected: Vec<u64> = lists.iter().map(|list| list.iter().map(|n| u64::from(*n)).sum()).collect();
        prop_assert_eq!(sums.to_vec().expect("no fault"), expected);
        let expected: Vec<u32> = lists.iter().map(|list| list.first().copied().unwrap_or(7)).collect();
        prop_assert_eq!(firsts.to_vec().expect("no fault"), expected);
    }

    #[test]
    fn atomics_of_all_kinds_are_counted_in(numbers in vec(any::<u32>(), 0..300), bins in 1usize..20, pairs in 1usize..5) {
        let device = device();
        let stream = device.stream().expect("a stream");
        let input = DeviceBuffer::from_slice(&device, &numbers).expect("a buffer");
        let mut counts = DeviceBuffer::from_slice(&device, &vec![0u32; bins]).expect("a buffer");
        let mut least = DeviceBuffer::from_slice(&device, &[9i32]).expect("a buffer");
        let mut bits = DeviceBuffer::from_slice(&device, &[0u64]).expect("a buffer");
        let mut total = DeviceBuffer::from_slice(&device, &[5i64]).expect("a buffer");
        let mut halves = DeviceBuffer::from_slice(&device, &[0f32]).expect("a buffer");
        let mut quarters = DeviceBuffer::from_slice(&device, &[0f64]).expect("a buffer");
        let mut rows = DeviceBuffer::from_slice(&device, &vec![[0u32; 2]; pairs]).expect("a buffer");
        let arguments =
            (&input, &mut counts, &mut least, &mut bits, &mut total, &mut halves, &mut quarters, &mut rows);
        stream.launch(count, LaunchConfig::for_num_elems(numbers.len().max(1)), arguments)
            .expect("a launch");

        let mut expected = vec![0; bins];
        let mut of_rows = vec![[0; 2]; pairs];
        for n in &numbers {
            expected[*n as usize % bins] += 1;
            let greatest = &mut of_rows[*n as usize % pairs][(n >> 31) as usize];
            *greatest = (*greatest).max(*n);
        }
        prop_assert_eq!(counts.to_vec().expect("no fault"), expected);
        prop_assert_eq!(rows.to_vec().expect("no fault"), of_rows);
        let fewest = numbers.iter().map(|n| *n as i32).fold(9, i32::min);
        prop_assert_eq!(least.to_vec().expect("no fault"), [fewest]);
        let all = numbers.iter().fold(0, |all, n| all | 1u64 << (n % 64));
        prop_assert_eq!(bits.to_vec().expect("no fault"), [all]);
        let sum: i64 = numbers.iter().map(|n| i64::from(*n)).sum();
        prop_assert_eq!(total.to_vec().expect("no fault"), [5 - sum]);
        // Small multiples of a power of two: no order of additions rounds.
        let eighths = f64::from(numbers.iter().map(|n| n % 8).sum::<u32>());
        prop_assert_eq!(halves.to_vec().expect("no fault"), [0.5 * eighths as f32]);
        prop_assert_eq!(quarters.to_vec().expect("no fault"), [0.25 * eighths]);
    }

    #[test]
    fn parts_of_one_buffer_are_written_in_one_launch(
        numbers in vec(any::<u32>(), 0..200),
        cuts in any::<[prop::sample::Index; 3]>(),
    ) {
        let device = device();
        let stream = device.stream().expect("a stream");
        let mut cuts = cuts.map(|cut| cut.index(numbers.len() + 1));
        cuts.sort_unstable();
        let [first, second, third] = cuts;
        let mut buffer = DeviceBuffer::from_slice(&device, &numbers).expect("a buffer");
        let mut parts = buffer.parts_of(&[first, second - first, third - second]);
        let [a, b, c] = &mut parts[..] else { unreachable!("three were asked for") };
        stream.launch(exchange, LaunchConfig::new(2, 128), (&mut *a, &mut *b, &mut *c))
            .expect("a launch");
        drop(parts);

        let mut expected = numbers.clone();
        let (a, rest) = expected.split_at_mut(first);
        let (b, rest) = rest.split_at_mut(second - first);
        a.iter_mut().zip(b).for_each(|(a, b)| std::mem::swap(a, b));
        for (i, c) in rest[..third - second].iter_mut().enumerate() {
            *c = c.wrapping_add(i as u32);
        }
        prop_assert_eq!(buffer.to_vec().expect("no fault"), expected);
    }
}

#[test]
fn what_has_no_bytes_shifts_nothing() {
    let device = device();
    let stream = device.stream().expect("a stream");
    for length in [0, 1, 1000] {
        let between = DeviceBuffer::from_slice(&device, &vec![Mark; length]).expect("a buffer");
        let mut out = DeviceBuffer::from_slice(&device, &[[0u64; 3]; 2]).expect("a buffer");
        let arguments = (Mark, 7u8, [], u64::MAX, &between, Mark, &mut out);
        stream
            .launch(marks, LaunchConfig::new(1, 2), arguments)
            .expect("a launch");
        assert_eq!(
            out.to_vec().expect("no fault"),
            [[7, u64::MAX, length as u64]; 2]
        );
        assert_eq!(between.to_vec().expect("no fault").len(), length);
    }
}

#[test]
fn as_many_arguments_arrive_as_a_kernel_takes() {
    let device = device();
    let stream = device.stream().expect("a stream");
    let mut output = DeviceBuffer::<u32>::zeroed(&device, 23).expect("a buffer");
    #[rustfmt::skip]
    let arguments = (
        &mut output, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123,
    );
    stream
        .launch(collect, LaunchConfig::new(1, 32), arguments)
        .expect("a launch");
    let expected: Vec<u32> = (101..124).collect();
    assert_eq!(output.to_vec().expect("no fault"), expected);
}
