//! Functions for single instructions, against what Rust computes without them.

use device::{TARGETS, device, numbers, run};
use device_kernels::instructions::{
    bits, clocks, hints, named_barriers, swap_pairs, vector_outputs, vectors,
};
use lanewise::{DeviceBuffer, LaunchConfig};
use lanewise_std::vector::UInt2;

/// Four digits of a selector, in one byte each.
fn permuted(a: u32, b: u32, selector: u32) -> u32 {
    let bytes = [a.to_le_bytes(), b.to_le_bytes()].concat();
    let byte = |digit: u32| {
        let byte = bytes[digit as usize & 7];
        if digit & 8 == 0 {
            byte
        } else {
            ((byte as i8) >> 7) as u8
        }
    };
    u32::from_le_bytes(std::array::from_fn(|at| byte(selector >> (4 * at) & 15)))
}

#[test]
fn dot_products_permutations_and_funnel_shifts_agree() {
    let mut words = numbers(11).map(|x| x as u32);
    let mut input: Vec<[u32; 3]> = (0..200)
        .map(|_| std::array::from_fn(|_| words.next().expect("no end")))
        .collect();
    input.extend((0..40).map(|shift| [0x8000_0001, 0xf00f_1234, shift]));
    input.push([0x8080_8080, 0x8080_8080, u32::MAX]);
    for (target, compiled) in TARGETS {
        let config = LaunchConfig::for_num_elems(input.len());
        let found = run(compiled, bits, config, &input, [0; 13]);
        for (&[a, b, c], found) in input.iter().zip(&found) {
            let dot = |x: [i64; 4], y: [i64; 4]| {
                let sum: i64 = x.iter().zip(y).map(|(x, y)| x * y).sum();
                c.wrapping_add(sum as u32)
            };
            let unsigned = |word: u32| word.to_le_bytes().map(i64::from);
            let signed = |word: u32| word.to_le_bytes().map(|byte| i64::from(byte as i8));
            let halves = [i64::from(a as u16), i64::from((a >> 16) as u16), 0, 0];
            let signed_halves = [i64::from(a as i16), i64::from((a >> 16) as i16), 0, 0];
            let high = |bytes: [i64; 4]| [bytes[2], bytes[3], 0, 0];
            let both = u64::from(b) << 32 | u64::from(a);
            let clamped = c.min(32);
            let wanted = [
                dot(signed(a), signed(b)),
                dot(signed(a), unsigned(b)),
                dot(unsigned(a), signed(b)),
                dot(unsigned(a), unsigned(b)),
                dot(signed_halves, signed(b)),
                dot(halves, signed(b)),
                dot(signed_halves, high(unsigned(b))),
                dot(halves, high(unsigned(b))),
                permuted(a, b, c),
                (both << (c % 32) >> 32) as u32,
                (both >> (c % 32)) as u32,
                (both << clamped >> 32) as u32,
                (both >> clamped) as u32,
            ];
            assert_eq!(*found, wanted, "{target}: {a:#x}, {b:#x}, {c:#x}");
        }
    }
}

#[test]
fn clocks_go_on_and_places_exist() {
    let device = device();
    let stream = device.stream().expect("a stream");
    let mut output = DeviceBuffer::from_slice(&device, &[[0u32; 4]; 96]).expect("a buffer");
    stream
        .launch(clocks, LaunchConfig::new(3, 32), (&mut output,))
        .expect("a launch");
    assert_eq!(output.to_vec().expect("no fault"), [[1; 4]; 96]);
}

#[test]
fn loads_and_stores_with_hints_move_the_same_values() {
    let device = device();
    let stream = device.stream().expect("a stream");
    let input: Vec<u64> = numbers(2).take(70).collect();
    let buffer = DeviceBuffer::from_slice(&device, &input).expect("a buffer");
    let mut output = DeviceBuffer::from_slice(&device, &[0u64; 210]).expect("a buffer");
    // SAFETY: there are three elements for each of the 70 threads that have an element.
    let launched =
        unsafe { stream.launch_unchecked(hints, LaunchConfig::new(3, 32), (&buffer, &mut output)) };
    launched.expect("a launch");
    let wanted: Vec<u64> = input.iter().flat_map(|x| [*x; 3]).collect();
    assert_eq!(output.to_vec().expect("no fault"), wanted);
}

#[test]
fn a_slice_is_seen_as_vectors_where_it_begins_at_one() {
    let device = device();
    let stream = device.stream().expect("a stream");
    let input: Vec<f32> = (0..131).map(|x| x as f32).collect();
    let buffer = DeviceBuffer::from_slice(&device, &input).expect("a buffer");
    for first in [0usize, 4, 64, 3, 131, 200] {
        let mut output = DeviceBuffer::from_slice(&device, &[[0f32; 3]; 40]).expect("a buffer");
        stream
            .launch(
                vectors,
                LaunchConfig::new(1, 40),
                (&buffer, first, &mut output),
            )
            .expect("a launch");
        let part = input.get(first..).unwrap_or_default();
        for (at, found) in output.to_vec().expect("no fault").into_iter().enumerate() {
            let sum: f32 = part.iter().skip(4 * at).take(4).sum();
            // An empty slice may begin anywhere.
            let whole = at < part.len() / 4;
            match first {
                131 | 200 => assert_eq!(found[1], 0.0),
                _ if first % 4 == 0 => {
                    let vector = if whole { sum } else { 0.0 };
                    assert_eq!(
                        found,
                        [vector, sum, (part.len() % 4) as f32],
                        "from {first}, thread {at}"
                    );
                }
                _ => assert_eq!(found, [-1.0, sum, 0.0], "from {first}, thread {at}"),
            }
        }
    }
}

#[test]
fn outputs_are_seen_as_vectors() {
    let device = device();
    let stream = device.stream().expect("a stream");
    for length in [0usize, 3, 4, 40, 131] {
        let input: Vec<f32> = (0..length).map(|x| x as f32).collect();
        let buffer = DeviceBuffer::from_slice(&device, &input).expect("a buffer");
        let [mut output, mut cells] = [(); 2]
            .map(|()| DeviceBuffer::from_slice(&device, &vec![-1.0f32; length]).expect("a buffer"));
        let arguments = (&buffer, &mut output, &mut cells);
        // SAFETY: the outputs are two buffers.
        let launched =
            unsafe { stream.launch_unchecked(vector_outputs, LaunchConfig::new(2, 32), arguments) };
        launched.expect("a launch");
        let wanted: Vec<f32> = input.iter().map(|x| 2.0 * x).collect();
        assert_eq!(output.to_vec().expect("no fault"), wanted, "{length}");
        assert_eq!(cells.to_vec().expect("no fault"), wanted, "{length}");
    }
}

#[test]
fn vectors_are_elements_and_values() {
    let device = device();
    let stream = device.stream().expect("a stream");
    let input: Vec<UInt2> = (0..50).map(|x| UInt2::new(x, 1000 * x)).collect();
    let buffer = DeviceBuffer::from_slice(&device, &input).expect("a buffer");
    let mut output = DeviceBuffer::from_slice(&device, &input).expect("a buffer");
    let arguments = (UInt2::new(5, 7), &buffer, &mut output);
    stream
        .launch(swap_pairs, LaunchConfig::new(2, 32), arguments)
        .expect("a launch");
    let wanted: Vec<UInt2> = input
        .iter()
        .map(|it| UInt2::new(it.y + 5, it.x + 7))
        .collect();
    assert_eq!(output.to_vec().expect("no fault"), wanted);
}

#[test]
fn warps_meet_at_barriers_of_their_own() {
    for (target, compiled) in TARGETS {
        for most in [u32::MAX / 2 - 1, 63, 1 << 20] {
            let input: Vec<u32> = numbers(most.into())
                .map(|x| x as u32 % most)
                .take(128)
                .collect();
            let found = run(
                compiled,
                named_barriers,
                LaunchConfig::new(1, 128),
                &input,
                [7; 4],
            );
            let voters = &input[64..];
            let votes = [
                voters.iter().filter(|x| x.is_multiple_of(3)).count() as u32,
                1,
                u32::from(voters.iter().any(|x| x.is_multiple_of(64))),
                9,
            ];
            for (thread, found) in found.into_iter().enumerate() {
                let wanted = match thread / 32 {
                    0 => [0; 4],
                    1 => [input[63 - thread], input[63 - thread] + 1, 0, 0],
                    _ => votes,
                };
                assert_eq!(found, wanted, "{target}, thread {thread}");
            }
        }
    }
}
