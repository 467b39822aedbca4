//! D = A * B + C on fragments: `mma.sync` and `wmma.mma`.
//!
//! PTX ISA 9.7.14.4 "wmma.mma", 9.7.14.5 "mma". Open in the ISA: the order and the precision of a
//! sum of f16, bf16, tf32 or 8-bit float products, beyond "at least single precision". Here
//! products are exact. Their sum with C is computed in f64 in the order of k, and rounded once. A
//! GPU aligns and truncates addends, so its results differ in the last digits. Integers are exact
//! and wrap, or are clamped with `.satfinite`. f64 is a chain of `fma` in the order of k, each with
//! the instruction's rounding.

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

/// Evaluates the body with `ty` as a constant, so that no loop in it tests the type.
macro_rules! each_accumulator {
    ($of:expr, |$ty:ident| $body:expr) => {
        each_accumulator!(@of $of, $ty, $body, F16 F32 S32 S32Satfinite)
    };
    (@of $of:expr, $ty:ident, $body:expr, $($name:ident)*) => {
        match $of {
            $(Accumulator::$name => {
                let $ty = Accumulator::$name;
                $body
            })*
        }
    };
}

impl Accumulator {
    /// Returns the number of elements in a register.
    #[inline]
    pub(crate) fn per_register(self) -> usize {
        if self == Accumulator::F16 { 2 } else { 1 }
    }

    /// Returns the value of element `index` of a register.
    #[inline(always)]
    pub(in crate::semantics) fn value(self, register: u32, index: usize) -> f64 {
        match self {
            Accumulator::F16 => {
                cvt_f32_f16(f16::from_bits((register >> (16 * (index & 1))) as u16)).into()
            }
            Accumulator::F32 => f32::from_bits(register).into(),
            Accumulator::S32 | Accumulator::S32Satfinite => (register as i32).into(),
        }
    }

    /// Returns the values of element `index` in every lane's register.
    #[inline(always)]
    fn values(self, register: &[u32; 32], index: usize) -> [f64; 32] {
        let mut values = [0.0; 32];
        each_accumulator!(
            self,
            |ty| for (to, &bits) in values.iter_mut().zip(register) {
                *to = ty.value(bits, index);
            }
        );
        values
    }

    /// Writes a register of every lane, from the values that `sum` returns for a lane and an index
    /// in its register.
    #[inline(always)]
    fn pack(self, register: &mut [u32; 32], sum: impl Fn(usize, usize) -> f64) {
        each_accumulator!(
            self,
            |ty| for (lane, to) in register.iter_mut().enumerate() {
                *to = ty.bits(sum(lane, 0));
                if ty.per_register() == 2 {
                    *to |= ty.bits(sum(lane, 1)) << 16;
                }
            }
        );
    }

    /// Returns the bits of a value, rounded, wrapped or clamped.
    #[inline(always)]
    pub(in crate::semantics) fn bits(self, value: f64) -> u32 {
        match self {
            Accumulator::F16 => cvt_rn_f16_f32(odd_f32(value)).to_bits().into(),
            Accumulator::F32 => canonical_f32(value as f32).to_bits(),
            Accumulator::S32 => value as i64 as u32,
            Accumulator::S32Satfinite => value as i32 as u32,
        }
    }
}

/// A matrix that is large enough for every dense shape: 16 by 64, 32 by 16, 64 by 8 ...
pub(super) struct Matrix<const LEN: usize = 1024> {
    values: [f64; LEN],
}

impl<const LEN: usize> Matrix<LEN> {
    /// Returns the matrix of `columns` columns whose elements are in `registers`, at the places
    /// that `position` returns.
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

    /// Adds the product of `a` and `b`, `m` by `k` by `N`, to the first `m` rows. Each sum adds the
    /// products in their order, and then the old value. Adjacent columns become vector code.
    /// Products are exact in f64, so adding one by a fused multiplication has the same result.
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
                    *sum = x.mul_add(*y, *sum);
                }
            }
            for (to, sum) in to.iter_mut().zip(sums) {
                *to += sum;
            }
        }
    }
}

/// `mma.sync.m?n8k?`: `a`, `b`, `c` and `d` are the registers of the operands, and `k` is the
/// shape's. The number of rows follows from the number of registers.
#[inline(always)]
pub(crate) fn mma(
    k: usize,
    scales: Scales<'_>,
    (a_type, a): (Element, &[[u32; 32]]),
    (b_type, b): (Element, &[[u32; 32]]),
    (c_type, c): (Accumulator, &[[u32; 32]]),
    (d_type, d): (Accumulator, &mut [[u32; 32]]),
) {
    // Few shapes have a larger k, and clearing more than necessary takes as long
    // as the multiplication.
    match k {
        ..=16 => mma_up_to::<16>(
            k,
            scales,
            (a_type, a),
            (b_type, b),
            (c_type, c),
            (d_type, d),
        ),
        _ => mma_up_to::<64>(
            k,
            scales,
            (a_type, a),
            (b_type, b),
            (c_type, c),
            (d_type, d),
        ),
    }
}

/// [`mma`] for a k of at most `K`. By the rule of [`fragment`], a quad's values are neighbours in a
/// row of A or a column of B, and two registers of C or D are eight rows. So no element's position
/// needs to be looked up.
#[inline(always)]
fn mma_up_to<const K: usize>(
    k: usize,
    scales: Scales<'_>,
    (a_type, a): (Element, &[[u32; 32]]),
    (b_type, b): (Element, &[[u32; 32]]),
    (c_type, c): (Accumulator, &[[u32; 32]]),
    (d_type, d): (Accumulator, &mut [[u32; 32]]),
) {
    // m8 has one register of A where m16 has two: its second register holds further columns.
    let eight_rows = a.len() * a_type.per_register() * 4 <= k;
    let mut left = [[0.0; K]; 16];
    for (number, register) in a.iter().enumerate() {
        let (lower, part) = match eight_rows {
            true => (0, number),
            false => (number % 2 * 8, number / 2),
        };
        a_type.quads(register, |row, values| {
            let first = part * values.len();
            let row = &mut left[(lower + row) % 16];
            if let Some(to) = row.get_mut(first..first + values.len()) {
                to.copy_from_slice(values);
            }
        });
    }
    let mut right = [[0.0; 8]; K];
    for (number, register) in b.iter().enumerate() {
        b_type.quads(register, |column, values| {
            let rows = right.iter_mut().skip(number * values.len());
            for (row, &value) in rows.zip(values) {
                row[column % 8] = value;
            }
        });
    }
    if let Some([of_left, of_right]) = scales {
        for (row, elements) in left.iter_mut().enumerate() {
            for (column, element) in elements.iter_mut().take(k).enumerate() {
                *element *= of_left.of_left(row, column, k);
            }
        }
        for (row, elements) in right.iter_mut().take(k).enumerate() {
            for (column, element) in elements.iter_mut().enumerate() {
                *element *= of_right.of_right(row, column, k);
            }
        }
    }
    // The position of a value of C or D among those of all rows: the group of eight rows, and the
    // place in the group.
    let place = |index: usize, lane: usize| (index / 2 % 2, lane % 32 * 2 + index % 2);
    let mut sums = [[0.0; 64]; 2];
    for (number, register) in c.iter().enumerate() {
        for index in 0..c_type.per_register() {
            let values = c_type.values(register, index);
            for (lane, value) in values.into_iter().enumerate() {
                let (rows, at) = place(number * c_type.per_register() + index, lane);
                sums[rows][at] = value;
            }
        }
    }
    let rows = if eight_rows { 8 } else { 16 };
    let right = right.get(..k).unwrap_or(&right);
    let (to, _) = sums.as_flattened_mut().as_chunks_mut::<32>();
    let (left, _) = left.as_chunks::<4>();
    for (left, to) in left.iter().zip(to).take(rows / 4) {
        let of_row = |row: usize| left[row].iter();
        let left = (of_row(0).zip(of_row(1))).zip(of_row(2).zip(of_row(3)));
        let mut dots = [[-0.0; 8]; 4];
        for (((a, b), (c, d)), right) in left.zip(right) {
            for (dots, x) in dots.iter_mut().zip([a, b, c, d]) {
                for (dot, y) in dots.iter_mut().zip(right) {
                    *dot = x.mul_add(*y, *dot);
                }
            }
        }
        for (to, dot) in to.iter_mut().zip(dots.as_flattened()) {
            *to += dot;
        }
    }
    for (number, register) in d.iter_mut().enumerate() {
        d_type.pack(register, |lane, index| {
            let (rows, at) = place(number * d_type.per_register() + index, lane);
            sums[rows][at]
        });
    }
}

/// `wmma.mma` of shape `m` by `n` by `k`, on fragments with the layout of [`fragment::wmma`].
#[inline(always)]
pub(crate) fn wmma(
    (m, n, k): (usize, usize, usize),
    (a_type, a): (Element, &[[u32; 32]]),
    (b_type, b): (Element, &[[u32; 32]]),
    (c_type, c): (Accumulator, &[[u32; 32]]),
    (d_type, d): (Accumulator, &mut [[u32; 32]]),
) {
    // An element's number in its lane's fragment counts through the registers.
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

/// Computes D = A * B + C. The last two arguments return the positions of C and D.
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
    for (number, register) in d.iter_mut().enumerate() {
        d_type.pack(register, |lane, index| {
            let (row, column) = d_place(lane, number, index);
            sums.values.get(row * n + column).copied().unwrap_or(0.0)
        });
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
    // This is the inverse of the fragment rule: it returns lane and register for a row and column.
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

/// The operation of `mma.b1` on a bit of A and a bit of B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BitOp {
    /// Counts the bits that differ, `.xor.popc`.
    Xor,
    /// Counts the bits that are set in both, `.and.popc`.
    And,
}

/// `mma.sync.m?n8k?.s32.b1.b1.s32`: C plus the number of bits that are set after the operation on a
/// row of A and a column of B.
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
