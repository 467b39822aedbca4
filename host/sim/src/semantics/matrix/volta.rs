//! `mma.sync.m8n8k4` on f16: four products at once, each by eight lanes.
//!
//! PTX ISA 9.7.14.5.1 "Matrix Fragments for mma.m8n8k4 with .f16 floating point type". Lanes 4q to
//! 4q + 3 and 16 + 4q to 19 + 4q hold product q. The second four lanes hold the lower half of A, C
//! and D and the right half of B. Sums are computed as in `multiply`.

use super::element::Element;
use super::multiply::Accumulator;

/// Returns the row and column of A's element `index` of `lane`, for A stored by rows or by columns.
#[inline]
pub(crate) fn a(by_rows: bool, lane: usize, index: usize) -> (usize, usize) {
    let half = lane / 16 * 4;
    if by_rows {
        (lane % 4 + half, index)
    } else {
        (index + half, lane % 4)
    }
}

/// Returns the row and column of B's element `index` of `lane`, for B stored by rows or by columns.
#[inline]
pub(crate) fn b(by_rows: bool, lane: usize, index: usize) -> (usize, usize) {
    let half = lane / 16 * 4;
    if by_rows {
        (lane % 4, index + half)
    } else {
        (index, lane % 4 + half)
    }
}

/// Returns the row and column of element `index` of `lane`'s fragment of C or D.
#[inline]
pub(crate) fn c(ty: Accumulator, lane: usize, index: usize) -> (usize, usize) {
    let half = lane / 16 * 4;
    match ty {
        Accumulator::F16 => (lane % 4 + half, index),
        _ => (
            (lane & 1) + (index & 2) + half,
            (index & 4) + (lane & 2) + (index & 1),
        ),
    }
}

/// `mma.sync.m8n8k4`: takes registers of A and B, with the storage order of each, and of C and D,
/// with their types.
pub(crate) fn mma_m8n8k4(
    (a_rows, a_registers): (bool, &[[u32; 32]]),
    (b_rows, b_registers): (bool, &[[u32; 32]]),
    (c_type, c_registers): (Accumulator, &[[u32; 32]]),
    (d_type, d_registers): (Accumulator, &mut [[u32; 32]]),
) {
    for product in 0..4 {
        let lanes = || (0..8).map(|i| i / 4 * 16 + product * 4 + i % 4);
        let (mut left, mut right, mut sum) = ([[0.0; 4]; 8], [[0.0; 8]; 4], [[0.0; 8]; 8]);
        for lane in lanes() {
            for index in 0..4 {
                let half = |registers: &[[u32; 32]]| {
                    let register = registers.get(index / 2).map_or(0, |lanes| lanes[lane]);
                    Element::F16.value(register, index % 2)
                };
                let ((row, column), (b_row, b_column)) =
                    (a(a_rows, lane, index), b(b_rows, lane, index));
                left[row][column] = half(a_registers);
                right[b_row][b_column] = half(b_registers);
            }
            for index in 0..8 {
                let per = c_type.per_register();
                let register = c_registers.get(index / per).map_or(0, |lanes| lanes[lane]);
                let (row, column) = c(c_type, lane, index);
                sum[row][column] = c_type.value(register, index % per);
            }
        }
        for lane in lanes() {
            let per = d_type.per_register();
            for (number, register) in d_registers.iter_mut().enumerate() {
                register[lane] = (0..per).fold(0, |bits, index| {
                    let (row, column) = c(d_type, lane, number * per + index);
                    let (row, column) = (row % 8, column % 8);
                    let dot: f64 = (0..4).map(|k| left[row][k] * right[k][column]).sum();
                    bits | d_type.bits(dot + sum[row][column]) << (16 * index)
                });
            }
        }
    }
}
