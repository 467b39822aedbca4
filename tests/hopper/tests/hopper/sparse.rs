//! Products whose left operand stores only half of its elements, compared with the products
//! of full operands.

use hopper_kernels::sparse::*;
use lanewise_std::matrix::sparse::{GROUPS, TwoOfFour};

use crate::matrices::{BF16, E4M3, E5M2, F16, Kind, S4, S8, TF32, U4, U8, added};

/// How the left operand is cut: columns of a group, and elements that stay together.
fn cut(kind: &Kind) -> (usize, usize) {
    match kind.width {
        32 => (2, 1),
        4 => (8, 2),
        _ => (4, 1),
    }
}

/// Returns the column of a stored element with this number in its group, from
/// the group's metadata.
fn column(kind: &Kind, choice: u32, stored: usize) -> usize {
    let (_, together) = cut(kind);
    match kind.width {
        32 => choice as usize % 2,
        _ => {
            let places = TwoOfFour::ALL[choice as usize % 6].places();
            places[stored / together] * together + stored % together
        }
    }
}

/// A choice for each group.
fn choices(count: usize) -> Vec<u32> {
    (0..count as u32)
        .map(|i| i.wrapping_mul(0x9e37_79b1) >> 13)
        .collect()
}

/// The product of a left operand of this many rows, `bytes` of each stored, and of the transpose of
/// a right one of this many columns. `choice` is that of a row and a group.
fn product(
    [left, right]: [&Kind; 2],
    (rows, columns): (usize, usize),
    bytes: usize,
    choice: impl Fn(usize, usize) -> u32,
) -> Vec<i32> {
    let stored = 8 * bytes / left.width;
    let (group, _) = cut(left);
    let sum = |row: usize, of: usize| -> i32 {
        (0..stored)
            .map(|i| {
                let (number, within) = (i / (group / 2), i % (group / 2));
                let k = number * group + column(left, choice(row, number), within);
                left.number(row * stored + i, 1) * right.number(of * 2 * stored + k, 2)
            })
            .sum()
    };
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    places.map(|(row, column)| sum(row, column)).collect()
}

/// The stored elements, those of the right operand, and the choices, which begin at word `start`.
fn input(
    [left, right]: [&Kind; 2],
    (rows, columns): (usize, usize),
    [bytes, bytes_of_right]: [usize; 2],
    (start_of_right, start): (usize, usize),
    choices: &[u32],
) -> Vec<u32> {
    let mut all = left.words(8 * rows * bytes / left.width, 1);
    all.resize(start_of_right, 0);
    all.extend(right.words(8 * columns * bytes_of_right / right.width, 2));
    all.resize(start, 0);
    all.extend(choices);
    all
}

#[test]
fn a_warp_multiplies_what_is_stored() {
    let begin: Vec<i32> = (0..128).collect();
    let choices = choices(16 * GROUPS);
    macro_rules! check {
        ($($kernel:ident: $left:ident, $right:ident, $bytes:literal, $part:literal;)*) => {$(
            let kinds = [&$left, &$right];
            let words = input(kinds, (16, 8), [$bytes, 2 * $bytes], (128, OF_WARP), &choices);
            let got = added($kernel, &words, &begin, 32);
            // Groups of one product.
            let groups = 2 * 8 * $bytes / $left.width / cut(&$left).0;
            let added_up = product(kinds, (16, 8), $bytes, |row, group| choices[row * GROUPS + $part * groups + group]);
            let expected: Vec<i32> = added_up.iter().zip(&begin).map(|(a, b)| a + b).collect();
            assert_eq!(got, expected, stringify!($kernel));
        )*};
    }
    check! {
        sparse_f16: F16, F16, 32, 0;
        sparse_f16_second: F16, F16, 32, 1;
        sparse_f16_sum: F16, F16, 32, 1;
        sparse_bf16_half: BF16, BF16, 16, 2;
        sparse_f16_sum_half: F16, F16, 16, 3;
        sparse_tf32: TF32, TF32, 32, 1;
        sparse_tf32_half: TF32, TF32, 16, 3;
        sparse_floats: E4M3, E5M2, 32, 0;
        sparse_s8: S8, S8, 32, 0;
        sparse_bytes_half: U8, S8, 16, 1;
        sparse_u4: U4, U4, 32, 0;
        sparse_nibbles_half: S4, U4, 16, 1;
    }
}

#[test]
fn a_warpgroup_multiplies_what_is_stored() {
    // Rows of 128 bytes of each tile; of the left one the first 64 count.
    let choices = choices(64 * 2 * GROUPS);
    macro_rules! check {
        ($($kernel:ident: $left:ident, $right:ident, $columns:literal;)*) => {$(
            let kinds = [&$left, &$right];
            let mut words = input(kinds, (64, $columns), [64, 128], (2048, OF_WARPGROUP), &choices);
            // The stored rows are 128 bytes apart.
            let stored: Vec<u32> = words[..64 * 16].to_vec();
            for (row, half) in stored.chunks(16).enumerate() {
                words[32 * row..32 * row + 16].copy_from_slice(half);
            }
            let got = added($kernel, &words, &[0; 64 * $columns], 128);
            let groups = 2 * 8 * 64 / $left.width / cut(&$left).0;
            let expected = product(kinds, (64, $columns), 64, |row, group| choices[row * groups + group]);
            assert_eq!(got, expected, stringify!($kernel));
        )*};
    }
    check! {
        warpgroup_sparse_f16: F16, F16, 64;
        warpgroup_sparse_bf16: BF16, BF16, 88;
        warpgroup_sparse_tf32: TF32, TF32, 40;
        warpgroup_sparse_floats: E4M3, E5M2, 16;
        warpgroup_sparse_s8: S8, S8, 128;
        warpgroup_sparse_bytes: U8, S8, 48;
        warpgroup_sparse_half: F16, F16, 24;
        warpgroup_sparse_registers: BF16, BF16, 64;
    }
}
