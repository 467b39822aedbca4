//! D = A * B + C on fragments: `mma.sync` and `wmma.mma`.
//!
//! PTX ISA 9.7.14.4 "wmma.mma", 9.7.14.5 "mma". Open in the ISA: the order and the precision of a sum of f16, bf16, tf32 or
//! 8-bit float products, beyond "at least single precision". Here products are exact, their sum with C is taken in f64 in
//! the order of k, and rounded once; a GPU, which aligns and truncates addends, differs in the last digits. Integers are
//! exact and wrap, or clamp with `.satfinite`; f64 is a chain of `fma` in the order of k, each
//! rounded as the instruction says.

use super::element::Element;
use super::fragment;
use super::scale::Scales;
use crate::semantics::Rounding;
use crate::semantics::float::{canonical_f32, fma_rm_f64, fma_rn_f64, fma_rp_f64, fma_rz_f64};
use crate::semantics::half::{cvt_f32_f16, cvt_rn_f16_f32};
use crate::semantics::odd::odd_f32;
use half::f16;

/// The type of C's or D's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Accumulator {
    /// `.f16`, two in a register.
    F16,
    /// Sums of type `.f32`.
    F32,
    /// Sums of type `.s32`, which wrap.
    S32,
    /// `.s32` with `.satfinite`.
    S32Satfinite,
}

impl Accumulator {
    /// How many lie in a register.
    #[inline]
    pub(crate) fn per_register(self) -> usize {
        if self == Accumulator::F16 { 2 } else { 1 }
    }

    /// The value of element `index` of a register.
    #[inline(always)]
    pub(super) fn value(self, register: u32, index: usize) -> f64 {
        match self {
            Accumulator::F16 => {
                cvt_f32_f16(f16::from_bits((register >> (16 * (index & 1))) as u16)).into()
            }
            Accumulator::F32 => f32::from_bits(register).into(),
            Accumulator::S32 | Accumulator::S32Satfinite => (register as i32).into(),
        }
    }

    /// The same for a register of every lane.
    #[inline(always)]
    fn values(self, register: &[u32; 32], index: usize) -> [f64; 32] {
        match self {
            Accumulator::F16 => register.map(|bits| Accumulator::F16.value(bits, index)),
            Accumulator::F32 => register.map(|bits| Accumulator::F32.value(bits, index)),
            other => register.map(|bits| other.value(bits, index)),
        }
    }

    /// The bits of a value, rounded, wrapped or clamped.
    #[inline]
    pub(super) fn bits(self, value: f64) -> u32 {
        match self {
            Accumulator::F16 => cvt_rn_f16_f32(odd_f32(value)).to_bits().into(),
            Accumulator::F32 => canonical_f32(value as f32).to_bits(),
            Accumulator::S32 => value as i64 as u32,
            Accumulator::S32Satfinite => value as i32 as u32,
        }
    }
}

/// A matrix, large enough for every dense shape: 16 by 64, 32 by 16, 64 by 8 ...
pub(super) struct Matrix<const LEN: usize = 1024> {
    values: [f64; LEN],
}

impl<const LEN: usize> Matrix<LEN> {
    /// The matrix of `columns` columns whose elements lie in `registers` at the places that `position` says.
    #[inline(always)]
    pub(super) fn gather(
        columns: usize,
        registers: &[[u32; 32]],
        per_register: usize,
        values: impl Fn(&[u32; 32], usize) -> [f64; 32],
        position: impl Fn(usize, usize, usize) -> (usize, usize),
    ) -> Matrix<LEN> {
        let mut matrix = Matrix { values: [0.0; LEN] };
        for (number, register) in registers.iter().enumerate() {
            for index in 0..per_register {
                for (lane, value) in values(register, index).into_iter().enumerate() {
                    let (row, column) = position(lane, number, index);
                    if let Some(element) = matrix.values.get_mut(row * columns + column) {
                        *element = value;
                    }
                }
            }
        }
        matrix
    }

    /// Multiplies every element by a factor of its row and column.
    pub(super) fn scale(&mut self, columns: usize, factor: impl Fn(usize, usize) -> f64) {
        for (row, elements) in self.values.chunks_exact_mut(columns.max(1)).enumerate() {
            for (column, element) in elements.iter_mut().enumerate() {
                *element *= factor(row, column);
            }
        }
    }

    /// Adds the product of `a` and `b`, `m` by `k` by `N`, to the first `m` rows. Each sum is one of the products in
    /// their order, and then of what was there; columns side by side become vector code.
    #[inline(always)]
    fn add_product<const N: usize, const A: usize>(
        &mut self,
        (m, k): (usize, usize),
        a: &Matrix<A>,
        b: &Matrix,
    ) {
        let (to, _) = self.values.as_chunks_mut::<N>();
        let (right, _) = b.values.as_chunks::<N>();
        for (left, to) in a.values.chunks_exact(k.max(1)).zip(to).take(m) {
            let mut sums = [-0.0; N];
            for (x, right) in left.iter().zip(right) {
                for (sum, y) in sums.iter_mut().zip(right) {
                    *sum += x * y;
                }
            }
            for (to, sum) in to.iter_mut().zip(sums) {
                *to += sum;
            }
        }
    }
}

/// `mma.sync.m?n8k?`: `a`, `b`, `c` and `d` are the registers of the operands; `k` is the shape's. How many rows there are
/// follows from the number of registers.
#[inline(always)]
pub(crate) fn mma(
    k: usize,
    scales: Scales<'_>,
    (a_type, a): (Element, &[[u32; 32]]),
    (b_type, b): (Element, &[[u32; 32]]),
    (c_type, c): (Accumulator, &[[u32; 32]]),
    (d_type, d): (Accumulator, &mut [[u32; 32]]),
) {
    let (ea, eb) = (a_type.per_register(), b_type.per_register());
    // m8 has one register of A where m16 has two: its second register holds further columns.
    let eight_rows = a.len() * ea * 4 <= k;
    let a_position = |lane, register: usize, index| {
        fragment::mma_a(
            ea,
            lane,
            if eight_rows { register * 2 } else { register },
            index,
        )
    };
    let mut a: Matrix = Matrix::gather(k, a, ea, |lanes, i| a_type.values(lanes, i), a_position);
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
        (if eight_rows { 8 } else { 16 }, 8, k),
        &a,
        &b,
        (c_type, c),
        (d_type, d),
        place(c_type.per_register()),
        place(d_type.per_register()),
    );
}

/// `wmma.mma` of shape `m` by `n` by `k`, on fragments laid out by [`fragment::wmma`].
#[inline(always)]
pub(crate) fn wmma(
    (m, n, k): (usize, usize, usize),
    (a_type, a): (Element, &[[u32; 32]]),
    (b_type, b): (Element, &[[u32; 32]]),
    (c_type, c): (Accumulator, &[[u32; 32]]),
    (d_type, d): (Accumulator, &mut [[u32; 32]]),
) {
    // An element's number in its lane's fragment runs through the registers.
    let place = |registers: usize, per: usize, shape: (usize, usize)| {
        move |lane, register, index| {
            fragment::wmma(registers * per, lane, register * per + index, shape)
        }
    };
    let (ea, eb) = (a_type.per_register(), b_type.per_register());
    let (c_place, d_place) = (
        place(c.len(), c_type.per_register(), (m, n)),
        place(d.len(), d_type.per_register(), (m, n)),
    );
    let a: Matrix = Matrix::gather(
        k,
        a,
        ea,
        |lanes, i| a_type.values(lanes, i),
        place(a.len(), ea, (m, k)),
    );
    let b = Matrix::gather(
        n,
        b,
        eb,
        |lanes, i| b_type.values(lanes, i),
        place(b.len(), eb, (k, n)),
    );
    accumulate(
        (m, n, k),
        &a,
        &b,
        (c_type, c),
        (d_type, d),
        c_place,
        d_place,
    );
}

/// D = A * B + C with C and D at the places that the last two say.
#[inline(always)]
pub(super) fn accumulate<const A: usize>(
    (m, n, k): (usize, usize, usize),
    a: &Matrix<A>,
    b: &Matrix,
    (c_type, c): (Accumulator, &[[u32; 32]]),
    (d_type, d): (Accumulator, &mut [[u32; 32]]),
    c_place: impl Fn(usize, usize, usize) -> (usize, usize),
    d_place: impl Fn(usize, usize, usize) -> (usize, usize),
) {
    let mut sums: Matrix = Matrix::gather(
        n,
        c,
        c_type.per_register(),
        |lanes, i| c_type.values(lanes, i),
        c_place,
    );
    match n {
        8 => sums.add_product::<8, A>((m, k), a, b),
        16 => sums.add_product::<16, A>((m, k), a, b),
        _ => sums.add_product::<32, A>((m, k), a, b),
    }
    let per_register = d_type.per_register();
    for (number, register) in d.iter_mut().enumerate() {
        for (lane, bits) in register.iter_mut().enumerate() {
            *bits = (0..per_register).fold(0, |bits, index| {
                let (row, column) = d_place(lane, number, index);
                let sum = sums.values.get(row * n + column).copied();
                bits | d_type.bits(sum.unwrap_or(0.0)) << (16 * index)
            });
        }
    }
}

/// `mma.sync.m?n8k?.f64`: registers of 64 bits, one element each.
pub(crate) fn mma_f64(
    k: usize,
    rounding: Rounding,
    a: &[[u64; 32]],
    b: &[[u64; 32]],
    c: &[[u64; 32]],
    d: &mut [[u64; 32]],
) {
    let fma = match rounding {
        Rounding::Nearest => fma_rn_f64,
        Rounding::Zero => fma_rz_f64,
        Rounding::Down => fma_rm_f64,
        Rounding::Up => fma_rp_f64,
    };
    let eight_rows = a.len() * 4 <= k;
    let find = |registers: &[[u64; 32]], register: usize, lane: usize| {
        f64::from_bits(registers.get(register).map_or(0, |lanes| lanes[lane & 31]))
    };
    // The inverse of the fragment rule: row and column say lane and register.
    let a_at = |row: usize, i: usize| {
        let register = if eight_rows {
            i / 4
        } else {
            i / 4 * 2 + row / 8
        };
        find(a, register, row % 8 * 4 + i % 4)
    };
    let b_at = |i: usize, column: usize| find(b, i / 4, column * 4 + i % 4);
    for (number, register) in d.iter_mut().enumerate() {
        for (lane, bits) in register.iter_mut().enumerate() {
            let (row, column) = fragment::mma_c(lane, number);
            let start = find(c, number, lane);
            *bits = (0..k)
                .fold(start, |sum, i| fma(a_at(row, i), b_at(i, column), sum))
                .to_bits();
        }
    }
}

/// What `mma.b1` does with a bit of A and a bit of B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BitOp {
    /// The bits that differ are counted, `.xor.popc`.
    Xor,
    /// The bits that both have are counted, `.and.popc`.
    And,
}

/// `mma.sync.m?n8k?.s32.b1.b1.s32`: C plus how many bits of a row of A and a column of B the operation leaves set.
pub(crate) fn mma_b1(
    k: usize,
    op: BitOp,
    a: &[[u32; 32]],
    b: &[[u32; 32]],
    c: &[[u32; 32]],
    d: &mut [[u32; 32]],
) {
    let eight_rows = a.len() * 128 <= k;
    let find = |registers: &[[u32; 32]], register: usize, lane: usize| {
        registers.get(register).map_or(0, |lanes| lanes[lane & 31])
    };
    for (number, register) in d.iter_mut().enumerate() {
        for (lane, bits) in register.iter_mut().enumerate() {
            let (row, column) = fragment::mma_c(lane, number);
            let words = (0..k / 32).map(|word| {
                let a_register = if eight_rows {
                    word / 4
                } else {
                    word / 4 * 2 + row / 8
                };
                let a_word = find(a, a_register, row % 8 * 4 + word % 4);
                let b_word = find(b, word / 4, column * 4 + word % 4);
                match op {
                    BitOp::Xor => (a_word ^ b_word).count_ones(),
                    BitOp::And => (a_word & b_word).count_ones(),
                }
            });
            *bits = find(c, number, lane).wrapping_add(words.sum());
        }
    }
}
