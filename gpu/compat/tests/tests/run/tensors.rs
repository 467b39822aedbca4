//! cuda-oxide's names for boxes of tensors, products by a warpgroup, pairs of floats and vectors.

use compat::cuda_oxide_tensors::{HEIGHT, WIDTH, pairs, redirect, simd, tma_copy, wgmma_product};
use lanewise::LaunchConfig;
use lanewise::tensor_map::{TensorMap, TensorMapMut, Tiles};
use lanewise_std::half::{Bf16, F16};

use super::{OPENED, buffer};

#[test]
fn boxes_go_by_descriptors_in_memory() {
    const COLUMNS: usize = 40;
    const ROWS: usize = 20;
    let tiles = || Tiles::new([COLUMNS, ROWS], [WIDTH as u32, HEIGHT as u32]);
    let numbers: Vec<f32> = (0..COLUMNS * ROWS).map(|i| i as f32).collect();
    let others: Vec<f32> = numbers.iter().map(|x| 1000.0 - x).collect();
    let (input, other) = (buffer(&numbers), buffer(&others));
    let mut output = buffer(&vec![-1.0f32; COLUMNS * ROWS]);
    let from = TensorMap::new(&input, tiles()).expect("a map").storage();
    let to = TensorMapMut::new(&mut output, tiles())
        .expect("a map")
        .storage();
    let (mut from, to) = (buffer(&[from]), buffer(&[to]));
    let mut expected = vec![-1.0; COLUMNS * ROWS];
    for (x, y, source) in [(8, 4, &numbers), (32, 16, &others)] {
        if source == &others {
            launch!(redirect, LaunchConfig::new(1, 32), (&mut from, &other));
        }
        let config = LaunchConfig::new(1, (WIDTH * HEIGHT) as u32);
        launch!(tma_copy, config, (&from, &to, x as i32, y as i32));
        for row in y..ROWS.min(y + HEIGHT) {
            for column in x..COLUMNS.min(x + WIDTH) {
                let at = row * COLUMNS + column;
                expected[at] = source[at] + 1.0;
            }
        }
        OPENED.stream.synchronize().expect("a copy");
    }
    assert_eq!(output.to_vec().expect("a copy"), expected);
}

#[test]
fn a_warpgroup_multiplies_by_descriptors() {
    let element = |row: usize, k: usize, seed: usize| ((row * 7 + k * seed) % 11) as f32 - 5.0;
    // Pieces of 8 x 8 elements, two beside each other.
    let stored = |seed: usize| {
        let mut bits = vec![0u16; 1024];
        for row in 0..64 {
            for k in 0..16 {
                let at = (row / 8) * 128 + (k / 8) * 64 + (row % 8) * 8 + k % 8;
                bits[at] = Bf16::from_f32(element(row, k, seed)).to_bits();
            }
        }
        buffer(&bits)
    };
    let mut out = buffer(&[[[0f32; 8]; 4]; 128]);
    let mut descriptors = buffer(&[0u64; 128]);
    launch!(
        wgmma_product,
        LaunchConfig::new(1, 128),
        (&stored(3), &stored(5), &mut out, &mut descriptors)
    );
    let sums = out.to_vec().expect("a copy");
    for (thread, sum) in sums.iter().enumerate() {
        for (i, value) in sum.as_flattened().iter().enumerate() {
            let row = 16 * (thread / 32) + thread % 32 / 4 + 8 * (i / 2 % 2);
            let column = 8 * (i / 4) + 2 * (thread % 4) + i % 2;
            let product = |k| element(row, k, 3) * element(column, k, 5);
            let expected = 2.0 * (0..16).map(product).sum::<f32>();
            assert_eq!(*value, expected, "row {row}, column {column}");
        }
    }
    let descriptors = descriptors.to_vec().expect("a copy");
    assert_eq!(descriptors, [0xc000_0008_0008_0000; 128]);
}

#[test]
fn pairs_are_computed_by_functions() {
    // Multiples of a quarter, so that every result but of the products is a float of 16 bits.
    let values = |seed: i32| (0..96).map(move |i| ((i * seed) % 64 - 32) as f32 * 0.25);
    let pack = |bits: fn(f32) -> u16, x: f32| u32::from(bits(x)) | u32::from(bits(-2.0 * x)) << 16;
    let f16 = |x: f32| F16::from_f32(x).to_bits();
    let packed = |seed| buffer(&values(seed).map(|x| pack(f16, x)).collect::<Vec<u32>>());
    let mut out = buffer(&[[0u32; 12]; 96]);
    launch!(
        pairs,
        LaunchConfig::new(3, 32),
        (&packed(7), &packed(11), &packed(13), &mut out)
    );
    let answers = out.to_vec().expect("a copy");
    let numbers = values(7).zip(values(11)).zip(values(13));
    for (i, (((a, b), c), answer)) in numbers.zip(answers).enumerate() {
        for half in 0..2 {
            let scale = if half == 0 { 1.0 } else { -2.0 };
            let [a, b, c] = [a, b, c].map(|x| scale * x);
            let fma = F16::from_f32(a)
                .mul_add(F16::from_f32(b), F16::from_f32(c))
                .to_f32();
            let expected = [
                a + b,
                a - b,
                a * b,
                fma,
                fma.max(0.0),
                -a,
                a.abs(),
                a.min(b),
                a.max(b),
            ];
            for (which, (expected, bits)) in expected.into_iter().zip(answer).enumerate() {
                let value = F16::from_bits((bits >> (16 * half)) as u16).to_f32();
                let expected = F16::from_f32(expected).to_f32();
                assert_eq!(
                    value, expected,
                    "operation {which} of pair {i}, half {half}"
                );
            }
            // The same bits, taken for the other kind of float.
            let [a, b, c] = [a, b, c].map(|x| Bf16::from_bits(f16(x)));
            let expected = [a + b, a.mul_add(b, c), a.max(b)];
            for (expected, bits) in expected.into_iter().zip(&answer[9..]) {
                let value = Bf16::from_bits((bits >> (16 * half)) as u16);
                assert_eq!(value, expected, "pair {i}, half {half}");
            }
        }
    }
}

#[test]
fn numbers_in_registers_have_indices_and_names() {
    let mut out = buffer(&[0f32; 64]);
    launch!(simd, LaunchConfig::new(1, 64), (&mut out,));
    let expected: Vec<f32> = (0..64)
        .map(|tid| match tid % 6 {
            0 | 3 => (tid % 4 + 1) as f32,
            1 => 5.0,
            2 => 3.0,
            4 => 6.0,
            _ => 14.0,
        })
        .collect();
    assert_eq!(out.to_vec().expect("a copy"), expected);
}
