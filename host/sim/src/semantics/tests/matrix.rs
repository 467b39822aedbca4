//! Matrix fragments compared with the ISA's tables, and products compared with plain loops.

use crate::semantics::Rounding;
use crate::semantics::float::fma_rn_f64;
use crate::semantics::matrix::fragment::{mma_a, mma_b, mma_c};
use crate::semantics::matrix::load::{address_lane, load, movmatrix, position, store};
use crate::semantics::matrix::{Accumulator, BitOp, Element, fragment, mma, mma_b1, mma_f64, wmma};
use half::{bf16, f16};

/// A repeatable stream of small integers, -7 to 7: their products and sums are exact in every type.
struct Small(u64);

impl Small {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) % 15) as f64 - 7.0
    }
}

/// A matrix of small integers, kept within the type's values.
fn small(rows: usize, columns: usize, element: Element, seed: u64) -> Vec<Vec<f64>> {
    let mut small = Small(seed);
    let fit = |x: f64| match element {
        Element::U8 | Element::U4 => x.abs(),
        _ => x,
    };
    (0..rows)
        .map(|_| (0..columns).map(|_| fit(small.next())).collect())
        .collect()
}

/// Returns a value's bits in a type, at its place in a register.
fn bits(element: Element, value: f64, index: usize) -> u32 {
    let raw = match element {
        Element::F16 => f16::from_f64(value).to_bits().into(),
        Element::Bf16 => bf16::from_f64(value).to_bits().into(),
        Element::Tf32 => (value as f32).to_bits() | 0x1555, // low bits that do not count
        Element::S8 => value as i8 as u8 as u32,
        Element::U8 => value as u32,
        Element::S4 | Element::U4 => value as i32 as u32 & 0xf,
        // For narrow floats, search all codes.
        _ => (0..256)
            .find(|&code| element.value(code, 0) == value)
            .expect("a small number"),
    };
    let width = 32 / element.per_register() as u32;
    raw << (width * index as u32)
}

/// Returns the registers of a fragment, from a matrix and the places of its elements.
fn scatter(
    matrix: &[Vec<f64>],
    registers: usize,
    per: usize,
    put: impl Fn(f64, usize) -> u32,
    place: impl Fn(usize, usize, usize) -> (usize, usize),
) -> Vec<[u32; 32]> {
    (0..registers)
        .map(|register| {
            std::array::from_fn(|lane| {
                (0..per).fold(0, |bits, index| {
                    let (row, column) = place(lane, register, index);
                    bits | put(matrix[row][column], index)
                })
            })
        })
        .collect()
}

/// Returns A * B + C.
fn product(a: &[Vec<f64>], b: &[Vec<f64>], c: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let cell = |row: usize, column: usize| {
        (0..b.len()).map(|i| a[row][i] * b[i][column]).sum::<f64>() + c[row][column]
    };
    (0..a.len())
        .map(|row| (0..b[0].len()).map(|column| cell(row, column)).collect())
        .collect()
}

#[test]
fn fragments_follow_the_isa_tables() {
    for lane in 0..32 {
        let (group, thread) = (lane / 4, lane % 4);
        // m16n8k16, .f16 / .bf16
        for i in 0..8 {
            let row = if i < 2 || (4..6).contains(&i) {
                group
            } else {
                group + 8
            };
            let column = thread * 2 + (i & 1) + if i >= 4 { 8 } else { 0 };
            assert_eq!(mma_a(2, lane, i / 2, i % 2), (row, column));
        }
        for i in 0..4 {
            let row = thread * 2 + (i & 1) + if i >= 2 { 8 } else { 0 };
            assert_eq!(mma_b(2, lane, i / 2, i % 2), (row, group));
            assert_eq!(
                mma_c(lane, i),
                (if i < 2 { group } else { group + 8 }, thread * 2 + (i & 1))
            );
        }
        // m16n8k8, .tf32
        for i in 0..4 {
            let row = if i % 2 == 0 { group } else { group + 8 };
            assert_eq!(
                mma_a(1, lane, i, 0),
                (row, if i < 2 { thread } else { thread + 4 })
            );
        }
        assert_eq!(
            (mma_b(1, lane, 0, 0), mma_b(1, lane, 1, 0)),
            ((thread, group), (thread + 4, group))
        );
        // m16n8k32, .u8 / .s8
        for i in 0..16 {
            let row = if i < 4 || (8..12).contains(&i) {
                group
            } else {
                group + 8
            };
            let column = thread * 4 + (i & 3) + if i >= 8 { 16 } else { 0 };
            assert_eq!(mma_a(4, lane, i / 4, i % 4), (row, column));
        }
        for i in 0..8 {
            let row = thread * 4 + (i & 3) + if i >= 4 { 16 } else { 0 };
            assert_eq!(mma_b(4, lane, i / 4, i % 4), (row, group));
        }
    }
}

/// One shape of `mma` at one pair of types, on small integers, where every sum is exact.
fn check_mma(m: usize, k: usize, (ta, tb): (Element, Element), acc: Accumulator) {
    let (ea, eb) = (ta.per_register(), tb.per_register());
    let (a, b) = (small(m, k, ta, 1), small(k, 8, tb, 2));
    let c = small(m, 8, Element::S8, 3);
    let a_place = |lane, r: usize, i| mma_a(ea, lane, if m == 8 { 2 * r } else { r }, i);
    let fa = scatter(&a, m * k / 32 / ea, ea, |x, i| bits(ta, x, i), a_place);
    let fb = scatter(
        &b,
        8 * k / 32 / eb,
        eb,
        |x, i| bits(tb, x, i),
        |lane, r, i| mma_b(eb, lane, r, i),
    );
    let per = if acc == Accumulator::F16 { 2 } else { 1 };
    let put = |x: f64, i: usize| match acc {
        Accumulator::F16 => bits(Element::F16, x, i),
        Accumulator::F32 => (x as f32).to_bits(),
        _ => x as i32 as u32,
    };
    let c_place = |lane, r: usize, i| mma_c(lane, r * per + i);
    let fc = scatter(&c, m / 4 / per, per, put, c_place);
    let expected = scatter(&product(&a, &b, &c), m / 4 / per, per, put, c_place);
    let mut fd = vec![[0xdead_beef; 32]; m / 4 / per];
    mma(k, None, (ta, &fa), (tb, &fb), (acc, &fc), (acc, &mut fd));
    assert_eq!(fd, expected, "m{m}n8k{k} {ta:?} {tb:?} {acc:?}");
}

/// Returns registers of any bits: numbers of every size, infinities and NaNs.
fn any_bits(registers: usize, seed: u64) -> Vec<[u32; 32]> {
    let mut state = Small(seed);
    let mut next = || {
        state.next();
        (state.0 >> 32) as u32
    };
    (0..registers)
        .map(|_| std::array::from_fn(|_| next()))
        .collect()
}

/// `mma` element by element, each at the place that the tables say.
fn plain_mma(
    (m, k): (usize, usize),
    (ta, a): (Element, &[[u32; 32]]),
    (tb, b): (Element, &[[u32; 32]]),
    (tc, c): (Accumulator, &[[u32; 32]]),
    (td, d): (Accumulator, &mut [[u32; 32]]),
) {
    let (ea, eb) = (ta.per_register(), tb.per_register());
    let (mut left, mut right) = (vec![vec![0.0; k]; m], vec![[0.0; 8]; k]);
    for lane in 0..32 {
        for (number, index) in (0..a.len()).flat_map(|r| (0..ea).map(move |i| (r, i))) {
            let register = if m == 8 { 2 * number } else { number };
            let (row, column) = mma_a(ea, lane, register, index);
            left[row][column] = ta.value(a[number][lane], index);
        }
        for (number, index) in (0..b.len()).flat_map(|r| (0..eb).map(move |i| (r, i))) {
            let (row, column) = mma_b(eb, lane, number, index);
            right[row][column] = tb.value(b[number][lane], index);
        }
    }
    let (pc, pd) = (tc.per_register(), td.per_register());
    for lane in 0..32 {
        for (number, register) in d.iter_mut().enumerate() {
            register[lane] = (0..pd).fold(0, |bits, i| {
                let index = number * pd + i;
                let (row, column) = mma_c(lane, index);
                let products = (0..k).map(|i| left[row][i] * right[i][column]);
                let dot = products.fold(-0.0, |sum, product| sum + product);
                let sum = tc.value(c[index / pc][lane], index % pc) + dot;
                bits | td.bits(sum) << (16 * i)
            });
        }
    }
}

#[test]
fn mma_agrees_with_its_elements_one_by_one() {
    use Accumulator::{F16, F32, S32, S32Satfinite};
    use Element::*;
    let floats = [Bf16, Tf32, E4m3, E5m2, E3m2, E2m3, E2m1, E2m1x8];
    let mut cases = Vec::new();
    for (of, accumulators) in [
        (&[Element::F16][..], &[F16, F32][..]),
        (&floats[..], &[F32][..]),
        (&[S8, U8, S4, U4][..], &[S32, S32Satfinite][..]),
    ] {
        let pairs = accumulators
            .iter()
            .flat_map(|&c| accumulators.iter().map(move |&d| (c, d)));
        for (c, d) in pairs {
            for &a in of {
                let k = 4 * a.per_register();
                for &b in of.iter().filter(|b| b.per_register() * 4 == k) {
                    cases.extend([(16, k), (16, 2 * k), (8, k)].map(|shape| (shape, a, b, c, d)));
                }
            }
        }
    }
    for (number, ((m, k), ta, tb, tc, td)) in cases.into_iter().enumerate() {
        let seed = number as u64 * 4;
        let each = ta.per_register() * 32;
        let (a, b) = (
            any_bits(m * k / each, seed),
            any_bits(8 * k / each, seed + 1),
        );
        let c = any_bits(m / 4 / tc.per_register(), seed + 2);
        let mut fast = vec![[0; 32]; m / 4 / td.per_register()];
        let mut plain = fast.clone();
        mma(k, None, (ta, &a), (tb, &b), (tc, &c), (td, &mut fast));
        plain_mma((m, k), (ta, &a), (tb, &b), (tc, &c), (td, &mut plain));
        assert_eq!(fast, plain, "m{m}n8k{k} {ta:?} {tb:?} {tc:?} {td:?}");
    }
}

#[test]
fn mma_multiplies_in_every_shape_and_type() {
    use Accumulator::{F16, F32, S32, S32Satfinite};
    use Element::*;
    for (k, t, accs) in [
        (8, Element::F16, [F16, F32]),
        (16, Element::F16, [F16, F32]),
        (8, Bf16, [F32, F32]),
        (16, Bf16, [F32, F32]),
    ] {
        for acc in accs {
            check_mma(16, k, (t, t), acc);
        }
    }
    check_mma(16, 4, (Tf32, Tf32), F32);
    check_mma(16, 8, (Tf32, Tf32), F32);
    for types in [(E4m3, E4m3), (E4m3, E5m2), (E5m2, E4m3), (E5m2, E5m2)] {
        check_mma(16, 16, types, F32);
        check_mma(16, 32, types, F32);
        check_mma(16, 32, types, F16);
    }
    for types in [(S8, S8), (U8, S8), (S8, U8), (U8, U8)] {
        check_mma(8, 16, types, S32);
        check_mma(16, 16, types, S32Satfinite);
        check_mma(16, 32, types, S32);
    }
    for types in [(S4, S4), (U4, S4), (S4, U4), (U4, U4)] {
        check_mma(8, 32, types, S32);
        check_mma(16, 32, types, S32);
        check_mma(16, 64, types, S32Satfinite);
    }
}

#[test]
fn integer_accumulators_wrap_or_saturate() {
    let ones = [[0x0101_0101; 32]];
    let c = [[i32::MAX as u32; 32]; 2];
    let mut d = [[0; 32]; 2];
    mma(
        16,
        None,
        (Element::S8, &ones),
        (Element::S8, &ones),
        (Accumulator::S32, &c),
        (Accumulator::S32, &mut d),
    );
    assert_eq!(d, [[i32::MAX.wrapping_add(16) as u32; 32]; 2]);
    let satfinite = Accumulator::S32Satfinite;
    mma(
        16,
        None,
        (Element::S8, &ones),
        (Element::S8, &ones),
        (satfinite, &c),
        (satfinite, &mut d),
    );
    assert_eq!(d, c);
}

#[test]
fn wmma_multiplies_in_every_shape() {
    use Accumulator::{F32, S32};
    let shapes = [(16, 16, 16), (32, 8, 16), (8, 32, 16)];
    // Registers of A and of B per shape, from the ISA's table of fragments.
    for (shape, (bf16_regs, s8_regs)) in
        shapes
            .into_iter()
            .zip([((4, 4), (2, 2)), ((8, 2), (4, 1)), ((2, 8), (1, 4))])
    {
        for (t, regs, acc) in [
            (Element::F16, (8, 8), F32),
            (Element::Bf16, bf16_regs, F32),
            (Element::S8, s8_regs, S32),
        ] {
            check_wmma(shape, t, regs, acc);
        }
    }
    check_wmma((16, 16, 8), Element::Tf32, (4, 4), F32);
}

/// One shape of `wmma` at one type, on small integers.
fn check_wmma(
    (m, n, k): (usize, usize, usize),
    t: Element,
    (ra, rb): (usize, usize),
    acc: Accumulator,
) {
    let e = t.per_register();
    let (a, b, c) = (
        small(m, k, t, 4),
        small(k, n, t, 5),
        small(m, n, Element::S8, 6),
    );
    let place = |registers: usize, shape| {
        move |lane, r: usize, i| fragment::wmma(registers * e, lane, r * e + i, shape)
    };
    let fa = scatter(&a, ra, e, |x, i| bits(t, x, i), place(ra, (m, k)));
    let fb = scatter(&b, rb, e, |x, i| bits(t, x, i), place(rb, (k, n)));
    let put = |x: f64, _| {
        if acc == Accumulator::F32 {
            (x as f32).to_bits()
        } else {
            x as i32 as u32
        }
    };
    let c_place = |lane, r: usize, _| fragment::wmma(8, lane, r, (m, n));
    let fc = scatter(&c, 8, 1, put, c_place);
    let mut fd = vec![[0; 32]; 8];
    wmma((m, n, k), (t, &fa), (t, &fb), (acc, &fc), (acc, &mut fd));
    assert_eq!(
        fd,
        scatter(&product(&a, &b, &c), 8, 1, put, c_place),
        "m{m}n{n}k{k} {t:?}"
    );
}

#[test]
fn wmma_fragments_hold_every_element() {
    for (shape, count) in [
        ((16, 16), 8),
        ((16, 16), 16),
        ((32, 16), 16),
        ((8, 16), 16),
        ((16, 8), 4),
    ] {
        let mut seen = vec![0; shape.0 * shape.1];
        for (row, column) in
            (0..32).flat_map(|lane| (0..count).map(move |i| fragment::wmma(count, lane, i, shape)))
        {
            seen[row * shape.1 + column] += 1;
        }
        assert!(
            seen.iter().all(|&times| times == 32 * count / seen.len()),
            "{shape:?}"
        );
    }
}

#[test]
fn f64_products_are_fma_chains() {
    for (m, k) in [(8, 4), (16, 4), (16, 8), (16, 16)] {
        let value = |matrix: usize, row: usize, column: usize| {
            ((matrix * 97 + row * 31 + column * 7) as f64).sqrt() - 5.0
        };
        let fragment = |count: usize,
                        matrix: usize,
                        place: &dyn Fn(usize, usize) -> (usize, usize)|
         -> Vec<[u64; 32]> {
            let bits = |r, lane| {
                let (row, column) = place(lane, r);
                value(matrix, row, column).to_bits()
            };
            (0..count)
                .map(|r| std::array::from_fn(|lane| bits(r, lane)))
                .collect()
        };
        let a = fragment(m * k / 32, 1, &|lane, r| {
            mma_a(1, lane, if m == 8 { 2 * r } else { r }, 0)
        });
        let b = fragment(k / 4, 2, &|lane, r| mma_b(1, lane, r, 0));
        let c = fragment(m / 4, 3, &mma_c);
        let mut d = vec![[0; 32]; m / 4];
        mma_f64(k, Rounding::Nearest, &a, &b, &c, &mut d);
        for (r, lane) in (0..m / 4).flat_map(|r| (0..32).map(move |lane| (r, lane))) {
            let (row, column) = mma_c(lane, r);
            let expected = (0..k).fold(value(3, row, column), |sum, i| {
                fma_rn_f64(value(1, row, i), value(2, i, column), sum)
            });
            assert_eq!(
                d[r][lane],
                expected.to_bits(),
                "m{m}n8k{k} row {row} column {column}"
            );
        }
    }
}

#[test]
fn single_bits_count() {
    for (m, k) in [(8usize, 128usize), (16, 128), (16, 256)] {
        let bit = |matrix: usize, row: usize, column: usize| {
            (matrix * 5 + row * 3 + column * column) % 7 < 3
        };
        let word = |matrix, transposed: bool, (row, column): (usize, usize)| {
            (0..32).fold(0u32, |w, i| {
                let (r, c) = if transposed {
                    (row + i, column)
                } else {
                    (row, column + i)
                };
                w | u32::from(bit(matrix, r, c)) << i
            })
        };
        let a: Vec<[u32; 32]> = (0..m * k / 1024)
            .map(|r| {
                std::array::from_fn(|lane| {
                    word(1, false, mma_a(32, lane, if m == 8 { 2 * r } else { r }, 0))
                })
            })
            .collect();
        let b: Vec<[u32; 32]> = (0..k / 128)
            .map(|r| std::array::from_fn(|lane| word(2, true, mma_b(32, lane, r, 0))))
            .collect();
        let c = vec![[5; 32]; m / 4];
        for (op, truth) in [
            (BitOp::Xor, (|x, y| x != y) as fn(bool, bool) -> bool),
            (BitOp::And, |x, y| x && y),
        ] {
            let mut d = vec![[0; 32]; m / 4];
            mma_b1(k, op, &a, &b, &c, &mut d);
            for (r, lane) in (0..m / 4).flat_map(|r| (0..32).map(move |lane| (r, lane))) {
                let (row, column) = mma_c(lane, r);
                let count = (0..k)
                    .filter(|&i| truth(bit(1, row, i), bit(2, i, column)))
                    .count();
                assert_eq!(d[r][lane] as usize, 5 + count, "m{m}n8k{k} {op:?}");
            }
        }
    }
}

#[test]
fn a_sum_in_f32_is_rounded_once_and_nan_is_canonical() {
    let one_each =
        |value: f64| vec![[bits(Element::F16, value, 0) | bits(Element::F16, value, 1); 32]; 4];
    let mut d = vec![[0; 32]; 4];
    let huge = vec![[2f32.powi(24).to_bits(); 32]; 4];
    // 2^24 + 16 ones: f32 addition one by one would stay at 2^24.
    let (a, b) = (one_each(1.0), one_each(1.0)[..2].to_vec());
    mma(
        16,
        None,
        (Element::F16, &a),
        (Element::F16, &b),
        (Accumulator::F32, &huge),
        (Accumulator::F32, &mut d),
    );
    assert_eq!(f32::from_bits(d[0][0]), 2f32.powi(24) + 16.0);
    let (a, b) = (one_each(f64::INFINITY), one_each(0.0)[..2].to_vec());
    mma(
        16,
        None,
        (Element::F16, &a),
        (Element::F16, &b),
        (Accumulator::F32, &huge),
        (Accumulator::F32, &mut d),
    );
    assert_eq!(d, vec![[0x7fff_ffff; 32]; 4]);
}

#[test]
fn ldmatrix_gives_a_quad_a_row() {
    let rows: [[u16; 8]; 8] =
        std::array::from_fn(|row| std::array::from_fn(|column| (row * 16 + column) as u16));
    let plain = load(&rows, false);
    assert_eq!(
        (plain[0], plain[1], plain[4], plain[31]),
        (0x0001_0000, 0x0003_0002, 0x0011_0010, 0x0077_0076)
    );
    let trans = load(&rows, true);
    assert_eq!(
        (trans[0], trans[1], trans[4]),
        (0x0010_0000, 0x0030_0020, 0x0011_0001)
    );
    assert_eq!(
        (store(&plain, false), store(&trans, true), movmatrix(&plain)),
        (rows, rows, trans)
    );
    assert_eq!(
        (
            address_lane(0, 7),
            address_lane(3, 2),
            position(5, 1, false)
        ),
        (7, 26, (1, 3))
    );
}
