//! Products of single tiles, for each type of elements, with values whose products add up without rounding.

use hopper::{buffer, device, values};
use hopper_kernels::matrices::*;
use lanewise::{DeviceCopy, LaunchConfig};
use lanewise_std::GlobalMut;
use lanewise_std::kernel::SafeKernel;

/// A type of elements: bytes of one, and the bits of a small number.
struct Kind {
    bytes: usize,
    bits: fn(i32) -> u32,
}

/// Small whole numbers from -4 to 4 (0 to 8 of bytes without a sign).
fn number(i: usize, seed: usize) -> i32 {
    ((i * 7919 + seed * 104_729) >> 3) as i32 % 9 - 4
}

/// A float of 8 or 16 bits with so many of exponent, of a small whole number.
fn small_float(value: i32, exponent: u32, mantissa: u32) -> u32 {
    let sign = u32::from(value < 0) << (exponent + mantissa);
    let magnitude = value.unsigned_abs();
    if magnitude == 0 {
        return sign;
    }
    let power = magnitude.ilog2();
    let bias = (1 << (exponent - 1)) - 1;
    let fraction = (magnitude << mantissa >> power) & ((1 << mantissa) - 1);
    sign | (power + bias) << mantissa | fraction
}

const F16: Kind = Kind {
    bytes: 2,
    bits: |x| small_float(x, 5, 10),
};
const BF16: Kind = Kind {
    bytes: 2,
    bits: |x| small_float(x, 8, 7),
};
const TF32: Kind = Kind {
    bytes: 4,
    bits: |x| (x as f32).to_bits(),
};
const E4M3: Kind = Kind {
    bytes: 1,
    bits: |x| small_float(x, 4, 3),
};
const E5M2: Kind = Kind {
    bytes: 1,
    bits: |x| small_float(x, 5, 2),
};
const S8: Kind = Kind {
    bytes: 1,
    bits: |x| x as u8 as u32,
};
const U8: Kind = Kind {
    bytes: 1,
    bits: |x| (x + 4) as u32,
};

/// Rows of numbers, `bytes` bytes each, as words.
fn words(kind: &Kind, rows: usize, bytes: usize, seed: usize) -> Vec<u32> {
    let each = bytes / kind.bytes;
    let mut all = vec![0u32; rows * bytes / 4];
    for i in 0..rows * each {
        let at = i * kind.bytes;
        all[at / 4] |= (kind.bits)(number(i, seed)) << (8 * (at % 4));
    }
    all
}

/// The product of two such, the second one transposed, `times` times.
fn product(kind: &Kind, rows: usize, columns: usize, bytes: usize, times: i32) -> Vec<i32> {
    product_of([kind, kind], rows, columns, bytes, times)
}

/// The same of two types.
fn product_of(
    kinds: [&Kind; 2],
    rows: usize,
    columns: usize,
    bytes: usize,
    times: i32,
) -> Vec<i32> {
    let each = bytes / kinds[0].bytes;
    // Bytes without a sign begin at 0.
    let least = kinds.map(|kind| {
        if std::ptr::fn_addr_eq(kind.bits, U8.bits) {
            4
        } else {
            0
        }
    });
    let element = |i: usize, which: usize| number(i, which + 1) + least[which];
    let mut all = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let sum: i32 = (0..each)
                .map(|k| element(row * each + k, 0) * element(column * each + k, 1))
                .sum();
            all.push(times * sum);
        }
    }
    all
}

/// What the kernel makes of these words, with outputs that begin as these.
fn run<K, T>(kernel: K, input: &[u32], output: &[T], threads: u32) -> Vec<T>
where
    T: DeviceCopy + 'static,
    K: SafeKernel<Params = (&'static [u32], GlobalMut<'static, T>)>,
{
    let (device, stream) = device();
    let (input, mut output) = (buffer(&device, input), buffer(&device, output));
    device
        .launch(
            &stream,
            kernel,
            LaunchConfig::new(1, threads),
            (&input, &mut output),
        )
        .expect("a launch");
    values(&output)
}

fn input(kind: &Kind, rows: usize, columns: usize, bytes: usize) -> Vec<u32> {
    let mut all = words(kind, rows, bytes, 1);
    all.extend(words(kind, columns, bytes, 2));
    all
}

#[test]
fn a_warp_multiplies_every_type() {
    let begin: Vec<i32> = (0..128).collect();
    let expected = |kind: &Kind| -> Vec<i32> {
        let product = product(kind, 16, 8, 32, 1);
        product.iter().zip(&begin).map(|(a, b)| a + b).collect()
    };
    let floats: Vec<f32> = begin.iter().map(|&x| x as f32).collect();
    macro_rules! floats {
        ($($kernel:ident: $kind:ident;)*) => {$(
            let got = run($kernel, &input(&$kind, 16, 8, 32), &floats, 32);
            let got: Vec<i32> = got.into_iter().map(|x| x as i32).collect();
            assert_eq!(got, expected(&$kind), stringify!($kernel));
        )*};
    }
    floats! {
        warp_f16: F16;
        warp_bf16: BF16;
        warp_tf32: TF32;
    }
    assert_eq!(
        run(warp_s8, &input(&S8, 16, 8, 32), &begin, 32),
        expected(&S8)
    );
    assert_eq!(
        run(warp_u8, &input(&U8, 16, 8, 32), &begin, 32),
        expected(&U8)
    );
}

/// Element `i` of rows of integers of so many bits, which begin at a word.
fn packed(words: &[u32], start: usize, i: usize, (bits, signed): (usize, bool)) -> i32 {
    let word = words[start + i * bits / 32] >> (i * bits % 32);
    let unused = 32 - bits;
    match signed {
        true => ((word << unused) as i32) >> unused,
        false => ((word << unused) >> unused) as i32,
    }
}

/// Products of integers that fill all bits of a word: rows of `words_of_row` words times the transpose of others.
fn packed_product(
    words: &[u32],
    types: [(usize, bool); 2],
    (rows, columns, words_of_row): (usize, usize, usize),
) -> Vec<i32> {
    let depth = 32 * words_of_row / types[0].0;
    let element = |row: usize, column: usize| -> i32 {
        let left = |k| packed(words, row * words_of_row, k, types[0]);
        let right = |k| packed(words, (rows + column) * words_of_row, k, types[1]);
        (0..depth).map(|k| left(k) * right(k)).sum()
    };
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    places.map(|(row, column)| element(row, column)).collect()
}

/// Words of which every bit varies.
fn any_words(count: u32) -> Vec<u32> {
    let word =
        |i: u32| (i + 1).wrapping_mul(0x9e37_79b1) ^ i.wrapping_mul(0x85eb_ca6b).rotate_left(13);
    (0..count).map(word).collect()
}

#[test]
fn small_integers_and_bits_are_multiplied() {
    let words = any_words(192);
    let check = |got: Vec<i32>, types, what| {
        assert_eq!(got, packed_product(&words, types, (16, 8, 8)), "{what}");
    };
    let zeros = [0i32; 128];
    check(
        run(warp_bytes, &words, &zeros, 32),
        [(8, false), (8, true)],
        "bytes",
    );
    check(
        run(warp_s4, &words, &zeros, 32),
        [(4, true), (4, true)],
        "s4",
    );
    check(
        run(warp_nibbles, &words, &zeros, 32),
        [(4, true), (4, false)],
        "s4, u4",
    );
    check(
        run(warp_bits, &words, &zeros, 32),
        [(1, false), (1, false)],
        "bits",
    );
    // By a warpgroup twice.
    let words = any_words(2048 + 16 * 32);
    let got = run(warpgroup_bits, &words, &[0i32; 64 * 16], 128);
    let once = packed_product(&words, [(1, false); 2], (64, 16, 32));
    assert_eq!(got, once.iter().map(|x| 2 * x).collect::<Vec<_>>());
}

#[test]
fn doubles_are_multiplied() {
    let (device, stream) = device();
    let numbers: Vec<f64> = (0..64).map(|i| f64::from(i * 7 % 23) / 8.0 - 1.0).collect();
    let before: Vec<f64> = (0..64).map(f64::from).collect();
    let (input, mut output) = (buffer(&device, &numbers), buffer(&device, &before));
    device
        .launch(
            &stream,
            warp_f64,
            LaunchConfig::new(1, 32),
            (&input, &mut output),
        )
        .expect("a launch");
    for (i, got) in values(&output).into_iter().enumerate() {
        let (row, column) = (i / 8, i % 8);
        let sum: f64 = (0..4)
            .map(|k| numbers[4 * row + k] * numbers[32 + 4 * column + k])
            .sum();
        assert_eq!(got, before[i] + sum, "{row}, {column}");
    }
}

/// By one and by two, as they are and transposed, there and back.
#[test]
fn matrices_come_and_go_in_any_number() {
    let words = any_words(64);
    let got = run(matrices_there_and_back, &words, &[0u32; 256], 32);
    for (turn, got) in got.chunks(64).take(3).enumerate() {
        assert_eq!(got, words, "{turn}: there and back is the same");
    }
    let half = |words: &[u32], row: usize, column: usize| {
        words[4 * row + column / 2] >> (16 * (column % 2)) & 0xffff
    };
    for (row, column) in (0..64).map(|i| (i / 8, i % 8)) {
        assert_eq!(
            half(&got[192..], row, column),
            half(&words, column, row),
            "{row}, {column}"
        );
    }
}

#[test]
fn the_right_operand_may_be_stored_by_rows() {
    let mut all = words(&BF16, 16, 32, 1);
    // Row k of the right operand has the k-th element of each of the 8 columns.
    let mut right = vec![0u32; 64];
    for k in 0..16 {
        for column in 0..8 {
            let at = k * 8 + column;
            right[at / 2] |= (BF16.bits)(number(column * 16 + k, 2)) << (16 * (at % 2));
        }
    }
    all.extend(right);
    let got = run(warp_by_rows, &all, &[f32::NAN; 128], 32);
    let got: Vec<i32> = got.into_iter().map(|x| x as i32).collect();
    assert_eq!(got, product(&BF16, 16, 8, 32, 1));
}

#[test]
fn a_warpgroup_multiplies_every_type() {
    macro_rules! check {
        ($($kernel:ident: $left:ident, $right:ident, $columns:literal, $zero:literal;)*) => {$(
            let mut words_of_both = words(&$left, 64, 128, 1);
            words_of_both.extend(words(&$right, $columns, 128, 2));
            let got = run($kernel, &words_of_both, &[$zero; 64 * $columns], 128);
            let got: Vec<i32> = got.into_iter().map(|x| x as i32).collect();
            let expected = product_of([&$left, &$right], 64, $columns, 128, 2);
            assert_eq!(got, expected, stringify!($kernel));
        )*};
    }
    check! {
        warpgroup_f16: F16, F16, 64, 0.0f32;
        warpgroup_bf16: BF16, BF16, 256, 0.0f32;
        warpgroup_tf32: TF32, TF32, 128, 0.0f32;
        warpgroup_e4m3: E4M3, E4M3, 8, 0.0f32;
        warpgroup_e5m2: E5M2, E5M2, 192, 0.0f32;
        warpgroup_mixed: E4M3, E5M2, 32, 0.0f32;
        warpgroup_s8: S8, S8, 128, 0i32;
        warpgroup_u8: U8, U8, 64, 0i32;
        warpgroup_bytes: S8, U8, 96, 0i32;
        warpgroup_half: F16, F16, 64, 0.0f32;
        warpgroup_registers: BF16, BF16, 64, 0.0f32;
    }
}

#[test]
fn operands_may_lie_across_the_inner_dimension() {
    let got = run(
        warpgroup_across,
        &input(&BF16, 64, 64, 128),
        &[0.0f32; 64 * 64],
        128,
    );
    for (i, got) in got.into_iter().enumerate() {
        let (row, column) = (i / 64, i % 64);
        let sum: i32 = (0..64)
            .map(|k| number(k * 64 + row, 1) * number(k * 64 + column, 2))
            .sum();
        assert_eq!(got as i32, 2 * sum, "{row}, {column}");
    }
}

#[test]
fn matrices_are_stored_row_by_row() {
    let (device, stream) = device();
    let mut output = buffer(&device, &vec![0; 128]);
    device
        .launch(
            &stream,
            store_four,
            LaunchConfig::new(1, 32),
            (&mut output,),
        )
        .expect("a launch");
    // Matrix i, row r is four words: lanes 4 r to 4 r + 3 have one each, in register i.
    let expected: Vec<u32> = (0..128).map(|word| 100 * (word % 32) + word / 32).collect();
    assert_eq!(values(&output), expected);
}
