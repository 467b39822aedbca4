//! `mma.sp`: a product whose first matrix has only half of its columns.
//!
//! PTX ISA 9.7.14.6 "Matrix multiply-accumulate operation using mma.sp instruction with sparse
//! matrix A". A's rows are divided into chunks, of which half of the elements are stored: two of
//! four, for tf32 one of two, for 4-bit integers two pairs of four. Each chunk has four bits of
//! metadata, which contain the positions of its elements: two bits for each element or pair. For
//! tf32, 0b0100 is the first element and 0b1110 the second. The stored elements are in the lanes
//! like a dense matrix of half the columns.
//!
//! Some lanes of each quad hold the metadata of its two rows. If not all lanes are needed,
//! the selector chooses them. With elements of 16 and 32 bits, a register contains half of a
//! row's metadata and half of that of the row eight below. With 8 and 4 bits, it contains
//! that of one row.
//!
//! The ISA shows in figures which lane holds which metadata. It was measured on an H200, for every
//! shape, type and selector (2026-11-21).
//!
//! Undefined in the ISA: metadata that names one element twice; with `::ordered_metadata`,
//! metadata that is out of order; and for tf32, any metadata other than those two. [`misplaced`]
//! finds such metadata.

use super::element::Element;
use super::fragment;
use super::multiply::{Accumulator, Matrix, accumulate};
use super::scale::Scales;

/// Returns the number of elements of a chunk.
fn chunk(a_type: Element) -> usize {
    match a_type {
        Element::Tf32 => 2,
        Element::S4 | Element::U4 | Element::E2m1x8 => 8,
        _ => 4,
    }
}

/// Returns the number of chunks of one row whose metadata a register contains.
fn chunks_per_register(a_type: Element) -> usize {
    match a_type {
        Element::F16 | Element::Bf16 | Element::Tf32 => 4,
        _ => 8,
    }
}

/// Returns the number of selectors: sets of lanes that can hold the metadata.
pub(crate) fn selectors(k: usize, a_type: Element) -> usize {
    // There are four bits for each chunk of 16 rows, and eight quads have four registers
    // of 32 bits.
    (16 / (k / chunk(a_type)).max(1)).clamp(1, 4)
}

/// Returns the lane that holds the metadata of a chunk, and the lowest bit there.
fn place(
    a_type: Element,
    chunks: usize,
    selector: usize,
    (row, chunk): (usize, usize),
) -> (usize, usize) {
    let per_register = chunks_per_register(a_type);
    let (half, which) = (row / 8, chunk / per_register);
    let bit = chunk % per_register * 4;
    let in_quad = if per_register == 4 {
        // The selector chooses one lane of four, or two.
        selector * (chunks / 4) + which
    } else {
        selector * 2 + half + 2 * which
    };
    let bit = if per_register == 4 {
        half * 16 + bit
    } else {
        bit
    };
    (row % 8 * 4 + (in_quad & 3), bit)
}

/// Returns the four bits of every chunk, row by row.
fn nibbles(
    k: usize,
    a_type: Element,
    metadata: &[u32; 32],
    selector: usize,
) -> impl Iterator<Item = (usize, usize, u32)> + '_ {
    let chunks = k / chunk(a_type);
    (0..16 * chunks).map(move |number| {
        let (row, chunk) = (number / chunks, number % chunks);
        let (lane, bit) = place(a_type, chunks, selector, (row, chunk));
        (row, chunk, metadata[lane] >> bit & 15)
    })
}

/// Returns the first row, chunk and metadata that the ISA does not allow.
pub(crate) fn misplaced(
    k: usize,
    a_type: Element,
    metadata: &[u32; 32],
    (selector, ordered): (usize, bool),
) -> Option<(usize, usize, u32)> {
    nibbles(k, a_type, metadata, selector).find(|&(_, _, bits)| {
        let (first, second) = (bits & 3, bits >> 2);
        match a_type {
            Element::Tf32 => bits != 0b0100 && bits != 0b1110,
            _ if ordered => first >= second,
            _ => first == second,
        }
    })
}

/// Returns the four bits of each chunk of each row. They contain the positions of its elements.
pub(crate) fn indices(
    k: usize,
    a_type: Element,
    metadata: &[u32; 32],
    selector: usize,
) -> [[u8; 16]; 16] {
    let mut indices = [[0u8; 16]; 16];
    for (row, chunk, bits) in nibbles(k, a_type, metadata, selector) {
        indices[row & 15][chunk & 15] = bits as u8;
    }
    indices
}

/// Returns the column of the element of a row that is number `stored` among the stored ones.
pub(crate) fn column(
    a_type: Element,
    indices: &[[u8; 16]; 16],
    row: usize,
    stored: usize,
) -> usize {
    let size = chunk(a_type);
    let (chunk, within) = (stored / (size / 2), stored % (size / 2));
    let bits = usize::from(indices[row & 15][chunk & 15]);
    let column = match a_type {
        Element::Tf32 => bits >> 1 & 1,
        Element::S4 | Element::U4 | Element::E2m1x8 => {
            (bits >> (within / 2 * 2) & 3) * 2 + within % 2
        }
        _ => bits >> (within * 2) & 3,
    };
    chunk * size + column
}

/// `mma.sp.m16n8k?`: as [`super::mma`], with A's metadata and the selector of lanes that hold it.
#[inline(always)]
pub(crate) fn mma_sp(
    k: usize,
    scales: Scales<'_>,
    (metadata, selector): (&[u32; 32], usize),
    (a_type, a): (Element, &[[u32; 32]]),
    (b_type, b): (Element, &[[u32; 32]]),
    (c_type, c): (Accumulator, &[[u32; 32]]),
    (d_type, d): (Accumulator, &mut [[u32; 32]]),
) {
    let (ea, eb) = (a_type.per_register(), b_type.per_register());
    let indices = indices(k, a_type, metadata, selector);
    let a_position = |lane, register, index| {
        let (row, stored) = fragment::mma_a(ea, lane, register, index);
        (row, column(a_type, &indices, row, stored))
    };
    let mut a: Matrix<2048> =
        Matrix::gather(k, a, ea, |lanes, i| a_type.values(lanes, i), a_position);
    let mut b = Matrix::gather(
        8,
        b,
        eb,
        |lanes, i| b_type.values(lanes, i),
        |lane, r, i| fragment::mma_b(eb, lane, r, i),
    );
    if let Some([left, right]) = scales {
        a.scale(k, |row, column| left.of_left(row, column, k));
        b.scale(8, |row, column| right.of_right(row, column, k));
    }
    let place =
        |per: usize| move |lane, register, index| fragment::mma_c(lane, register * per + index);
    accumulate(
        (16, 8, k),
        &a,
        &b,
        (c_type, c),
        (d_type, d),
        place(c_type.per_register()),
        place(d_type.per_register()),
    );
}
