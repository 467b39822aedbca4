//! `wgmma.mma_async`: D = A * B + D of a warpgroup. B is in shared memory, and A may be.
//!
//! PTX ISA 9.7.15 "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions". Each
//! of the four warps has 16 of D's 64 rows, and needs the same number of rows of A. So this
//! module computes one warp's part. Sums are computed as in [`super::multiply`]: products are
//! exact, are added in f64 in the order of k, then to D, and the result is rounded once.
//! Integers and bits are exact.
//!
//! A descriptor (9.7.15.5.1.2) describes a matrix in shared memory: a start, two strides and a
//! swizzling mode. The matrix is stored in pieces of 16 bytes. [`Descriptor::place`] implements the
//! ISA's table of canonical layouts. K-major pieces are 16 bytes of one row of A or column of B.
//! MN-major pieces are eight neighbours at one k.

use super::element::Element;
use super::fragment;
use super::multiply::Accumulator;
use crate::semantics::tensor::Swizzle;

/// The number of rows of one warp.
pub(crate) const ROWS: usize = 16;
/// Bytes of a piece, which stay adjacent.
pub(crate) const PIECE: usize = 16;

/// The fields of a matrix descriptor. Addresses and strides are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    /// The shared address of the first element.
    pub(crate) start: u32,
    /// "Leading dimension byte offset".
    pub(crate) leading: u32,
    /// "Stride dimension byte offset".
    pub(crate) stride: u32,
    /// "Matrix base offset": the line of 128 bytes, of eight, at which the
    /// swizzling pattern starts.
    pub(crate) base: u32,
    /// The swizzling mode of the pieces.
    pub(crate) swizzle: Swizzle,
}

/// The order of a matrix's elements in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Major {
    /// Elements of one row of A or column of B are adjacent.
    K,
    /// Elements of one column of A or row of B are adjacent.
    Mn,
}

impl Descriptor {
    /// Reads the fields from the 64 bits of a descriptor.
    pub(crate) fn of(bits: u64) -> Self {
        let field = |at: u32| (bits >> at & 0x3fff) as u32 * PIECE as u32;
        Self {
            start: field(0),
            leading: field(16),
            stride: field(32),
            base: (bits >> 49 & 7) as u32,
            swizzle: match bits >> 62 {
                0 => Swizzle::None,
                1 => Swizzle::B128,
                2 => Swizzle::B64,
                _ => Swizzle::B32,
            },
        }
    }

    /// Returns the shared address of a piece. K-major, it is the `k`th piece of row or column `mn`.
    /// MN-major, it is the piece of row or column group `mn` at `k`.
    #[inline]
    pub(crate) fn place(&self, major: Major, mn: u32, k: u32) -> u32 {
        let piece = PIECE as u32;
        let offset = match (major, self.swizzle.span()) {
            (Major::K, None) => mn / 8 * self.stride + mn % 8 * piece + k * self.leading,
            // The leading offset is not used here.
            (Major::K, Some(span)) => mn / 8 * self.stride + mn % 8 * span + k * piece,
            (Major::Mn, None) => mn * self.stride + k % 8 * piece + k / 8 * self.leading,
            (Major::Mn, Some(span)) => {
                let wide = span / piece;
                mn % wide * piece + mn / wide * self.leading + k % 8 * span + k / 8 * self.stride
            }
        };
        // The pattern starts at the base, and addresses are counted from there.
        let base = self.base * 128;
        self.swizzle
            .place(self.start.wrapping_add(offset).wrapping_sub(base))
            .wrapping_add(base)
    }
}

/// A matrix with `lines` rows (of A) or columns (of B) of `k` elements. The elements of line `i`
/// begin at `i * k`.
#[derive(Debug)]
pub(crate) struct Lines {
    /// Raw bits of each element.
    pub(crate) bits: Vec<u32>,
    /// The number of elements of a line.
    pub(crate) k: usize,
}

impl Lines {
    /// Returns, for each line, whether any of its bits is set.
    pub(crate) fn any(&self) -> Vec<bool> {
        let lines = self.bits.chunks(self.k.max(1));
        lines
            .map(|line| line.iter().any(|bits| *bits != 0))
            .collect()
    }

    /// Loads lines `from..to` of a matrix in shared memory, with elements of `size` bytes. `piece`
    /// reads 16 bytes at a shared address.
    ///
    /// # Errors
    /// The error of `piece` for an invalid address.
    pub(crate) fn load<E>(
        descriptor: &Descriptor,
        major: Major,
        (from, to): (usize, usize),
        (k, size): (usize, usize),
        mut piece: impl FnMut(u32) -> Result<[u8; PIECE], E>,
    ) -> Result<Self, E> {
        let mut bits = vec![0; (to - from) * k];
        let each = PIECE / size;
        let element = |bytes: &[u8; PIECE], i: usize| {
            let mut word = [0; 4];
            word[..size].copy_from_slice(&bytes[i * size..(i + 1) * size]);
            u32::from_le_bytes(word)
        };
        match major {
            Major::K => {
                for line in from..to {
                    for first in (0..k).step_by(each) {
                        let at = descriptor.place(major, line as u32, (first / each) as u32);
                        let bytes = piece(at)?;
                        for i in 0..each {
                            bits[(line - from) * k + first + i] = element(&bytes, i);
                        }
                    }
                }
            }
            Major::Mn => {
                for at_k in 0..k {
                    for first in (from..to).step_by(each) {
                        let at = descriptor.place(major, (first / each) as u32, at_k as u32);
                        let bytes = piece(at)?;
                        for i in 0..each {
                            bits[(first - from + i) * k + at_k] = element(&bytes, i);
                        }
                    }
                }
            }
        }
        Ok(Self { bits, k })
    }

    /// Returns the warp's 16 rows of A, from its registers.
    pub(crate) fn of_registers(k: usize, a_type: Option<Element>, registers: &[[u32; 32]]) -> Self {
        let mut bits = vec![0; ROWS * k];
        // Single bits are stored in words.
        let each = a_type.map_or(1, Element::per_register);
        for (number, register) in registers.iter().enumerate() {
            for (lane, &word) in register.iter().enumerate() {
                for index in 0..each {
                    let (row, column) = fragment::mma_a(each, lane, number, index);
                    if let Some(to) = bits.get_mut(row * k + column) {
                        *to = word >> (32 / each * index);
                    }
                }
            }
        }
        Self { bits, k }
    }

    /// Moves the stored elements of a sparse matrix to their columns.
    pub(crate) fn spread(&self, a_type: Element, indices: &[[u8; 16]; 16]) -> Self {
        let k = self.k * 2;
        let mut bits = vec![0; ROWS * k];
        for row in 0..ROWS {
            for stored in 0..self.k {
                let column = super::sparse::column(a_type, indices, row, stored);
                if let Some(to) = bits.get_mut(row * k + column) {
                    *to = self.bits[row * self.k + stored];
                }
            }
        }
        Self { bits, k }
    }

    /// Returns the elements' values, line by line.
    #[inline(always)]
    fn values(&self, ty: Element, negated: bool) -> Vec<f64> {
        let sign = if negated { -1.0 } else { 1.0 };
        let mut values = vec![0.0; self.bits.len()];
        ty.first_values(&self.bits, &mut values);
        for value in &mut values {
            *value *= sign;
        }
        values
    }
}

/// Returns the row and column of element `index` of a lane's part of D.
pub(crate) fn place(lane: usize, index: usize) -> (usize, usize) {
    let (row, column) = fragment::mma_c(lane, index % 4);
    (row, column + index / 4 * 8)
}

/// Computes one warp's rows of D = A * B + D, or without D. `a` has 16 lines, and `b` as many lines
/// as D has columns. The loops have no closures. A closure is compiled for each level of vector
/// instructions, but the iterators that call it are not, so each element would cost a call.
#[inline(always)]
pub(crate) fn wgmma(
    (a_type, a, negate_a): (Element, &Lines, bool),
    (b_type, b, negate_b): (Element, &Lines, bool),
    (d_type, d, add): (Accumulator, &mut [[u32; 32]], bool),
) {
    let (k, n) = (a.k, b.bits.len() / b.k.max(1));
    let left = a.values(a_type, negate_a);
    // Columns are adjacent, so that the inner loop becomes vector code.
    let mut right = vec![0.0; k * n];
    let columns = b.values(b_type, negate_b);
    for (at, column) in columns.chunks_exact(k).enumerate() {
        for (row, value) in right.chunks_exact_mut(n).zip(column) {
            row[at] = *value;
        }
    }
    let mut sums = vec![-0.0; ROWS * n];
    for (left, sums) in left.chunks_exact(k).zip(sums.chunks_exact_mut(n)) {
        for (x, right) in left.iter().zip(right.chunks_exact(n)) {
            for (sum, y) in sums.iter_mut().zip(right) {
                *sum += x * y;
            }
        }
    }
    let per_register = d_type.per_register();
    for (number, register) in d.iter_mut().enumerate() {
        for (lane, bits) in register.iter_mut().enumerate() {
            let before = std::mem::take(bits);
            for index in 0..per_register {
                let (row, column) = place(lane, number * per_register + index);
                let sum = sums.get(row * n + column).copied().unwrap_or(0.0);
                let sum = match add {
                    true => d_type.value(before, index) + sum,
                    false => sum + 0.0,
                };
                *bits |= d_type.bits(sum) << (16 * index);
            }
        }
    }
}

/// Does the same for single bits, in words of 32: D plus the number of bits that `and` leaves set.
pub(crate) fn wgmma_b1(a: &Lines, b: &Lines, d: &mut [[u32; 32]], add: bool) {
    for (number, register) in d.iter_mut().enumerate() {
        for (lane, bits) in register.iter_mut().enumerate() {
            let (row, column) = place(lane, number);
            let left = a.bits.get(row * a.k..(row + 1) * a.k).unwrap_or(&[]);
            let right = b.bits.get(column * b.k..(column + 1) * b.k).unwrap_or(&[]);
            let both = left.iter().zip(right).map(|(a, b)| (a & b).count_ones());
            let before = if add { *bits } else { 0 };
            *bits = before.wrapping_add(both.sum());
        }
    }
}
