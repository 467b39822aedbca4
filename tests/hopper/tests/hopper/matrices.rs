//! Products of single tiles, for each type of elements, with values whose products add
//! up without rounding.

use hopper::{buffer, device, values};
use hopper_kernels::matrices::*;
use lanewise::{DeviceCopy, LaunchConfig};
use lanewise_std::GlobalMut;
use lanewise_std::half::{self, F16x2};
use lanewise_std::kernel::SafeKernel;

/// A type of elements: the bits of one, and how it has a small number.
pub(crate) struct Kind {
    pub(crate) width: usize,
    /// The offset that is added to a number, so that none is negative for an unsigned type.
    least: i32,
    bits: fn(i32) -> u32,
}

impl Kind {
    const fn new(width: usize, bits: fn(i32) -> u32) -> Self {
        Kind {
            width,
            least: 0,
            bits,
        }
    }

    /// A small whole number from -4 to 4 (0 to 8 without a sign).
    pub(crate) fn number(&self, i: usize, seed: usize) -> i32 {
        ((i * 7919 + seed * 104_729) >> 3) as i32 % 9 - 4 + self.least
    }

    /// Such numbers, one after another from the first bit on, as words.
    pub(crate) fn words(&self, count: usize, seed: usize) -> Vec<u32> {
        let numbers: Vec<i32> = (0..count).map(|i| self.number(i, seed)).collect();
        self.pack(&numbers)
    }

    /// These numbers, one after another, as words.
    fn pack(&self, numbers: &[i32]) -> Vec<u32> {
        let mut words = vec![0u32; (numbers.len() * self.width).div_ceil(32)];
        let mask = u32::MAX >> (32 - self.width);
        for (i, &number) in numbers.iter().enumerate() {
            let at = i * self.width;
            words[at / 32] |= ((self.bits)(number) & mask) << (at % 32);
        }
        words
    }
}

/// A float of 8 or 16 bits with this many of exponent, of a small whole number.
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

pub(crate) const F16: Kind = Kind::new(16, |x| small_float(x, 5, 10));
pub(crate) const BF16: Kind = Kind::new(16, |x| small_float(x, 8, 7));
pub(crate) const TF32: Kind = Kind::new(32, |x| (x as f32).to_bits());
pub(crate) const E4M3: Kind = Kind::new(8, |x| small_float(x, 4, 3));
pub(crate) const E5M2: Kind = Kind::new(8, |x| small_float(x, 5, 2));
pub(crate) const S8: Kind = Kind::new(8, |x| x as u32);
pub(crate) const S4: Kind = Kind::new(4, |x| x as u32);
pub(crate) const U8: Kind = Kind {
    least: 4,
    ..Kind::new(8, |x| x as u32)
};
pub(crate) const U4: Kind = Kind {
    least: 4,
    ..Kind::new(4, |x| x as u32)
};

/// The product of rows of numbers and of the transpose of others, each this many bytes
/// deep, `times` times.
fn product(
    [left, right]: [&Kind; 2],
    (rows, columns): (usize, usize),
    bytes: usize,
    times: i32,
) -> Vec<i32> {
    let each = 8 * bytes / left.width;
    let left: Vec<i32> = (0..rows * each).map(|i| left.number(i, 1)).collect();
    let right: Vec<i32> = (0..columns * each).map(|i| right.number(i, 2)).collect();
    let sum = |row: usize, column: usize| -> i32 {
        let pairs = left[row * each..][..each]
            .iter()
            .zip(&right[column * each..]);
        pairs.map(|(a, b)| a * b).sum()
    };
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    places
        .map(|(row, column)| times * sum(row, column))
        .collect()
}

/// Runs the kernel on these words. The outputs begin with these values.
fn run<K, T>(kernel: K, input: &[u32], output: &[T], threads: u32) -> Vec<T>
where
    T: DeviceCopy + 'static,
    K: SafeKernel<Params = (&'static [u32], GlobalMut<'static, T>)>,
{
    let (device, stream) = device();
    let (input, mut output) = (buffer(&device, input), buffer(&device, output));
    stream
        .launch(kernel, LaunchConfig::new(1, threads), (&input, &mut output))
        .expect("a launch");
    values(&output)
}

/// Both operands, this many rows and columns of this many bytes; the right one begins at this word.
fn input(
    [left, right]: [&Kind; 2],
    (rows, columns): (usize, usize),
    bytes: usize,
    start: usize,
) -> Vec<u32> {
    let mut all = left.words(8 * rows * bytes / left.width, 1);
    all.resize(start, 0);
    all.extend(right.words(8 * columns * bytes / right.width, 2));
    all
}

/// A sum in the registers of a warp, as numbers: of half floats two in a register.
pub(crate) trait Numbers: DeviceCopy + 'static {
    /// Registers that begin with these numbers.
    fn of(numbers: &[i32]) -> Vec<Self>;
    /// The numbers in registers.
    fn numbers(registers: &[Self]) -> Vec<i32>;
}
impl Numbers for i32 {
    fn of(numbers: &[i32]) -> Vec<i32> {
        numbers.to_vec()
    }
    fn numbers(registers: &[i32]) -> Vec<i32> {
        registers.to_vec()
    }
}
impl Numbers for f32 {
    fn of(numbers: &[i32]) -> Vec<f32> {
        numbers.iter().map(|&x| x as f32).collect()
    }
    fn numbers(registers: &[f32]) -> Vec<i32> {
        registers.iter().map(|&x| x as i32).collect()
    }
}
impl Numbers for F16x2 {
    fn of(numbers: &[i32]) -> Vec<F16x2> {
        let half = |x: i32| half::F16::from_f32(x as f32);
        let pairs = numbers.chunks(2);
        pairs
            .map(|pair| F16x2::new(half(pair[0]), half(pair[1])))
            .collect()
    }
    fn numbers(registers: &[F16x2]) -> Vec<i32> {
        let pairs = registers.iter().flat_map(|pair| [pair.low, pair.high]);
        pairs.map(|x| x.to_f32() as i32).collect()
    }
}

/// What a kernel of one block adds to numbers that begin as these.
pub(crate) fn added<K, T: Numbers>(
    kernel: K,
    input: &[u32],
    begin: &[i32],
    threads: u32,
) -> Vec<i32>
where
    K: SafeKernel<Params = (&'static [u32], GlobalMut<'static, T>)>,
{
    T::numbers(&run(kernel, input, &T::of(begin), threads))
}

#[test]
fn a_warp_multiplies_every_type() {
    let begin: Vec<i32> = (0..128).collect();
    macro_rules! check {
        ($($kernel:ident: $left:ident, $right:ident, $bytes:literal;)*) => {$(
            let kinds = [&$left, &$right];
            let got = added($kernel, &input(kinds, (16, 8), $bytes, 128), &begin, 32);
            let added_up = product(kinds, (16, 8), $bytes, 1);
            let expected: Vec<i32> = added_up.iter().zip(&begin).map(|(a, b)| a + b).collect();
            assert_eq!(got, expected, stringify!($kernel));
        )*};
    }
    check! {
        warp_f16: F16, F16, 32;
        warp_bf16: BF16, BF16, 32;
        warp_tf32: TF32, TF32, 32;
        warp_e4m3: E4M3, E4M3, 32;
        warp_e5m2: E5M2, E5M2, 32;
        warp_floats: E4M3, E5M2, 32;
        warp_s8: S8, S8, 32;
        warp_u8: U8, U8, 32;
        warp_bytes: U8, S8, 32;
        warp_s4: S4, S4, 32;
        warp_nibbles: S4, U4, 32;
        warp_f16_half: F16, F16, 16;
        warp_bf16_half: BF16, BF16, 16;
        warp_tf32_half: TF32, TF32, 16;
        warp_e4m3_half: E4M3, E4M3, 16;
        warp_s8_half: S8, S8, 16;
        warp_nibbles_half: U4, S4, 16;
        warp_f16_sum: F16, F16, 32;
        warp_f16_sum_half: F16, F16, 16;
        warp_e5m2_sum: E5M2, E5M2, 32;
        warp_floats_sum_half: E5M2, E4M3, 16;
        warp_s8_saturating: S8, S8, 32;
        warp_u4_saturating: U4, U4, 16;
    }
}

#[test]
fn integers_may_stop_at_the_ends_of_their_range() {
    let kinds = [&S8, &S8];
    let product = product(kinds, (16, 8), 32, 1);
    let words = input(kinds, (16, 8), 32, 128);
    for begin in [i32::MAX - 20, i32::MIN + 20] {
        let got = added(warp_s8_saturating, &words, &[begin; 128], 32);
        let expected: Vec<i32> = product.iter().map(|x| begin.saturating_add(*x)).collect();
        assert_eq!(got, expected);
        let got = added(warp_s8, &words, &[begin; 128], 32);
        let expected: Vec<i32> = product.iter().map(|x| begin.wrapping_add(*x)).collect();
        assert_eq!(got, expected);
    }
}

/// Element `i` of rows of integers of this many bits, which begin at a word.
fn packed(words: &[u32], start: usize, i: usize, (bits, signed): (usize, bool)) -> i32 {
    let word = words[start + i * bits / 32] >> (i * bits % 32);
    let unused = 32 - bits;
    match signed {
        true => ((word << unused) as i32) >> unused,
        false => ((word << unused) >> unused) as i32,
    }
}

/// Products of integers that fill all bits of a word: rows of `words_of_row` words times the
/// transpose of others.
fn packed_product(
    words: &[u32],
    types: [(usize, bool); 2],
    (rows, columns, words_of_row): (usize, usize, usize),
) -> Vec<i32> {
    let depth = 32 * words_of_row / types[0].0;
    let numbers = |row: usize, of_type| -> Vec<i32> {
        (0..depth)
            .map(|k| packed(words, row * words_of_row, k, of_type))
            .collect()
    };
    let left: Vec<_> = (0..rows).map(|row| numbers(row, types[0])).collect();
    let right: Vec<_> = (rows..rows + columns)
        .map(|row| numbers(row, types[1]))
        .collect();
    let element = |row: usize, column: usize| -> i32 {
        let pairs = left[row].iter().zip(&right[column]);
        pairs.map(|(a, b)| a * b).sum()
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
    // Half as deep: 16 rows of 4 words, and what is behind them.
    let got = run(warp_bits_half, &words, &zeros, 32);
    let mut dense = words[..64].to_vec();
    dense.extend(&words[128..160]);
    assert_eq!(got, packed_product(&dense, [(1, false); 2], (16, 8, 4)));
    // By a warpgroup twice.
    let words = any_words(2048 + 240 * 32);
    let check = |got: Vec<i32>, columns| {
        let once = packed_product(&words, [(1, false); 2], (64, columns, 32));
        assert_eq!(got, once.iter().map(|x| 2 * x).collect::<Vec<_>>());
    };
    check(run(warpgroup_bits, &words, &[0i32; 64 * 16], 128), 16);
    check(run(warpgroup_240, &words, &[0i32; 64 * 240], 128), 240);
}

#[test]
fn doubles_are_multiplied() {
    let (device, stream) = device();
    let numbers: Vec<f64> = (0..64).map(|i| f64::from(i * 7 % 23) / 8.0 - 1.0).collect();
    let before: Vec<f64> = (0..64).map(f64::from).collect();
    let (input, mut output) = (buffer(&device, &numbers), buffer(&device, &before));
    stream
        .launch(warp_f64, LaunchConfig::new(1, 32), (&input, &mut output))
        .expect("a launch");
    for (i, got) in values(&output).into_iter().enumerate() {
        let (row, column) = (i / 8, i % 8);
        let sum: f64 = (0..4)
            .map(|k| numbers[4 * row + k] * numbers[32 + 4 * column + k])
            .sum();
        assert_eq!(got, before[i] + sum, "{row}, {column}");
    }
}

#[test]
fn doubles_are_multiplied_in_rows_of_16() {
    macro_rules! check {
        ($($deep:literal)*) => {$({
            let (device, stream) = device();
            let depth = 4 * $deep;
            let numbers: Vec<f64> = (0..24 * depth).map(|i| f64::from(i as u32 * 7 % 23) / 8.0 - 1.0).collect();
            let before: Vec<f64> = (0..128).map(f64::from).collect();
            let (input, mut output) = (buffer(&device, &numbers), buffer(&device, &before));
            let arguments = (&input, &mut output);
            stream.launch(warp_f64_deep::<$deep>, LaunchConfig::new(1, 32), arguments)
                .expect("a launch");
            for (i, got) in values(&output).into_iter().enumerate() {
                let (row, column) = (i / 8, i % 8);
                let sum: f64 = (0..depth)
                    .map(|k| numbers[depth * row + k] * numbers[depth * (16 + column) + k])
                    .sum();
                assert_eq!(got, before[i] + sum, "{row}, {column}");
            }
        })*};
    }
    check! { 1 2 4 }
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
    let mut all = BF16.words(16 * 16, 1);
    // Row k of the right operand has the k-th element of each of the 8 columns.
    let mut right = vec![0u32; 64];
    for k in 0..16 {
        for column in 0..8 {
            let at = k * 8 + column;
            right[at / 2] |= (BF16.bits)(BF16.number(column * 16 + k, 2)) << (16 * (at % 2));
        }
    }
    all.extend(right);
    let got = run(warp_by_rows, &all, &[f32::NAN; 128], 32);
    let got: Vec<i32> = got.into_iter().map(|x| x as i32).collect();
    assert_eq!(got, product([&BF16; 2], (16, 8), 32, 1));
}

#[test]
fn a_warpgroup_multiplies_every_type() {
    macro_rules! check {
        ($($kernel:ident: $left:ident, $right:ident, $columns:literal, $zero:literal;)*) => {$(
            let kinds = [&$left, &$right];
            let words = input(kinds, (64, $columns), 128, 2048);
            let got = run($kernel, &words, &[$zero; 64 * $columns], 128);
            let got: Vec<i32> = got.into_iter().map(|x| x as i32).collect();
            let expected = product(kinds, (64, $columns), 128, 2);
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
        warpgroup_half_8: E4M3, E5M2, 8, 0.0f32;
        warpgroup_half_104: F16, F16, 104, 0.0f32;
        warpgroup_half_200: E5M2, E5M2, 200, 0.0f32;
        warpgroup_registers: BF16, BF16, 64, 0.0f32;
        warpgroup_24: F16, F16, 24, 0.0f32;
        warpgroup_40: BF16, BF16, 40, 0.0f32;
        warpgroup_136: E5M2, E4M3, 136, 0.0f32;
        warpgroup_248: TF32, TF32, 248, 0.0f32;
        warpgroup_48: U8, S8, 48, 0i32;
        warpgroup_112: S8, S8, 112, 0i32;
    }
}

#[test]
fn operands_may_lie_across_the_inner_dimension() {
    let got = run(
        warpgroup_across,
        &input([&BF16; 2], (64, 64), 128, 2048),
        &[0.0f32; 64 * 64],
        128,
    );
    for (i, got) in got.into_iter().enumerate() {
        let (row, column) = (i / 64, i % 64);
        let sum: i32 = (0..64)
            .map(|k| BF16.number(k * 64 + row, 1) * BF16.number(k * 64 + column, 2))
            .sum();
        assert_eq!(got as i32, 2 * sum, "{row}, {column}");
    }
}

#[test]
fn matrices_are_stored_row_by_row() {
    let (device, stream) = device();
    let mut output = buffer(&device, &vec![0; 128]);
    stream
        .launch(store_four, LaunchConfig::new(1, 32), (&mut output,))
        .expect("a launch");
    // Matrix i, row r is four words: lanes 4 r to 4 r + 3 have one each, in register i.
    let expected: Vec<u32> = (0..128).map(|word| 100 * (word % 32) + word / 32).collect();
    assert_eq!(values(&output), expected);
}
