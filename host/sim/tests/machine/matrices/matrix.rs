//! `mma.sync` of every shape and type: products of plain matrices, which the ISA's tables
//! distribute over registers.
//!
//! PTX ISA 9.7.14.5 gives row and column of element i of a lane's fragment for each shape and
//! type. This file repeats them as they are there. Values are small integers, so every sum is
//! exact in every type.

use half::{bf16, f16};

use crate::common::{Numbers, Rig};

/// Row and column of element `i`, by the lane's group (`lane / 4`), its number there, and `i`.
type Place = fn(usize, usize, usize) -> (usize, usize);

/// How a type's values stand in a register: bits, and the bits of a small integer.
#[derive(Clone, Copy)]
pub(crate) struct Coded {
    pub(crate) bits: usize,
    pub(crate) code: fn(i64) -> u64,
    /// The integers to take.
    pub(crate) range: (i64, i64),
}

pub(crate) const F16: Coded = Coded {
    bits: 16,
    code: |v| f16::from_f64(v as f64).to_bits().into(),
    range: (-4, 4),
};
pub(crate) const BF16: Coded = Coded {
    bits: 16,
    code: |v| bf16::from_f64(v as f64).to_bits().into(),
    range: (-4, 4),
};
/// Sets the low bits that the instruction ignores.
pub(crate) const TF32: Coded = Coded {
    bits: 32,
    code: |v| ((v as f32).to_bits() | 0xfff).into(),
    range: (-9, 9),
};
pub(crate) const F32: Coded = Coded {
    bits: 32,
    code: |v| (v as f32).to_bits().into(),
    range: (-99, 99),
};
pub(crate) const F64: Coded = Coded {
    bits: 64,
    code: |v| (v as f64).to_bits(),
    range: (-999, 999),
};
pub(crate) const S32: Coded = Coded {
    bits: 32,
    code: |v| v as u32 as u64,
    range: (-99999, 99999),
};
pub(crate) const S8: Coded = Coded {
    bits: 8,
    code: |v| v as u8 as u64,
    range: (-128, 127),
};
pub(crate) const U8: Coded = Coded {
    bits: 8,
    code: |v| v as u64,
    range: (0, 255),
};
pub(crate) const S4: Coded = Coded {
    bits: 4,
    code: |v| v as u64 & 15,
    range: (-8, 7),
};
pub(crate) const U4: Coded = Coded {
    bits: 4,
    code: |v| v as u64,
    range: (0, 15),
};
pub(crate) const B1: Coded = Coded {
    bits: 1,
    code: |v| v as u64,
    range: (0, 1),
};
/// Sign, 4 bits of exponent with bias 7, 3 of fraction.
const E4M3: Coded = Coded {
    bits: 8,
    code: |v| small_float(v, 7, 3),
    range: (-3, 3),
};
/// Sign, 5 bits of exponent with bias 15, 2 of fraction.
const E5M2: Coded = Coded {
    bits: 8,
    code: |v| small_float(v, 15, 2),
    range: (-3, 3),
};

fn small_float(v: i64, bias: u64, fraction: u32) -> u64 {
    let sign = if v < 0 { 128 } else { 0 };
    sign | match v.abs() {
        0 => 0,
        1 => bias << fraction,
        2 => (bias + 1) << fraction,
        3 => (bias + 1) << fraction | 1 << (fraction - 1),
        _ => unreachable!("small"),
    }
}

pub(crate) fn coded(name: &str) -> Coded {
    match name {
        "f16" => F16,
        "bf16" => BF16,
        "tf32" => TF32,
        "f32" => F32,
        "f64" => F64,
        "s32" => S32,
        "s8" => S8,
        "u8" => U8,
        "s4" => S4,
        "u4" => U4,
        "b1" => B1,
        "e4m3" => E4M3,
        "e5m2" => E5M2,
        _ => unreachable!("{name}"),
    }
}

/// A shape: of multiplicands, their types, and where their elements are.
struct Shape {
    name: &'static str,
    size: (usize, usize, usize),
    types: &'static [&'static str],
    /// Elements in a lane's fragment of A and of B.
    count: (usize, usize),
    a: Place,
    b: Place,
}

const SHAPES: &[Shape] = &[
    Shape {
        name: "m16n8k8",
        size: (16, 8, 8),
        types: &["f16", "bf16"],
        count: (4, 2),
        a: |g, t, i| (if i < 2 { g } else { g + 8 }, t * 2 + (i & 1)),
        b: |g, t, i| (t * 2 + i, g),
    },
    Shape {
        name: "m16n8k16",
        size: (16, 8, 16),
        types: &["f16", "bf16"],
        count: (8, 4),
        a: |g, t, i| {
            (
                if i < 2 || (4..6).contains(&i) {
                    g
                } else {
                    g + 8
                },
                t * 2 + (i & 1) + if i >= 4 { 8 } else { 0 },
            )
        },
        b: |g, t, i| (t * 2 + (i & 1) + if i >= 2 { 8 } else { 0 }, g),
    },
    Shape {
        name: "m16n8k4",
        size: (16, 8, 4),
        types: &["tf32", "f64"],
        count: (2, 1),
        a: |g, t, i| (if i == 0 { g } else { g + 8 }, t),
        b: |g, t, _| (t, g),
    },
    Shape {
        name: "m16n8k8",
        size: (16, 8, 8),
        types: &["tf32", "f64"],
        count: (4, 2),
        a: |g, t, i| {
            (
                if i == 0 || i == 2 { g } else { g + 8 },
                if i < 2 { t } else { t + 4 },
            )
        },
        b: |g, t, i| (if i == 0 { t } else { t + 4 }, g),
    },
    Shape {
        name: "m16n8k16",
        size: (16, 8, 16),
        types: &["f64"],
        count: (8, 4),
        a: |g, t, i| {
            if i % 2 == 0 {
                (g, i * 2 + t)
            } else {
                (g + 8, i * 2 - 2 + t)
            }
        },
        b: |g, t, i| (t + i * 4, g),
    },
    Shape {
        name: "m8n8k4",
        size: (8, 8, 4),
        types: &["f64"],
        count: (1, 1),
        a: |g, t, _| (g, t),
        b: |g, t, _| (t, g),
    },
    Shape {
        name: "m8n8k16",
        size: (8, 8, 16),
        types: &["u8", "s8"],
        count: (4, 4),
        a: |g, t, i| (g, t * 4 + i),
        b: |g, t, i| (t * 4 + i, g),
    },
    Shape {
        name: "m16n8k16",
        size: (16, 8, 16),
        types: &["u8", "s8", "e4m3", "e5m2"],
        count: (8, 4),
        a: |g, t, i| (if i < 4 { g } else { g + 8 }, t * 4 + (i & 3)),
        b: |g, t, i| (t * 4 + i, g),
    },
    Shape {
        name: "m16n8k32",
        size: (16, 8, 32),
        types: &["u8", "s8", "e4m3", "e5m2"],
        count: (16, 8),
        a: |g, t, i| {
            (
                if i < 4 || (8..12).contains(&i) {
                    g
                } else {
                    g + 8
                },
                t * 4 + (i & 3) + if i >= 8 { 16 } else { 0 },
            )
        },
        b: |g, t, i| (t * 4 + (i & 3) + if i >= 4 { 16 } else { 0 }, g),
    },
    Shape {
        name: "m8n8k32",
        size: (8, 8, 32),
        types: &["u4", "s4"],
        count: (8, 8),
        a: |g, t, i| (g, t * 8 + i),
        b: |g, t, i| (t * 8 + i, g),
    },
    Shape {
        name: "m16n8k32",
        size: (16, 8, 32),
        types: &["u4", "s4"],
        count: (16, 8),
        a: |g, t, i| (if i < 8 { g } else { g + 8 }, t * 8 + (i & 7)),
        b: |g, t, i| (t * 8 + i, g),
    },
    Shape {
        name: "m16n8k64",
        size: (16, 8, 64),
        types: &["u4", "s4"],
        count: (32, 16),
        a: |g, t, i| {
            (
                if i < 8 || (16..24).contains(&i) {
                    g
                } else {
                    g + 8
                },
                t * 8 + (i & 7) + if i >= 16 { 32 } else { 0 },
            )
        },
        b: |g, t, i| (t * 8 + (i & 7) + if i >= 8 { 32 } else { 0 }, g),
    },
    Shape {
        name: "m8n8k128",
        size: (8, 8, 128),
        types: &["b1"],
        count: (32, 32),
        a: |g, t, i| (g, t * 32 + i),
        b: |g, t, i| (t * 32 + i, g),
    },
    Shape {
        name: "m16n8k128",
        size: (16, 8, 128),
        types: &["b1"],
        count: (64, 32),
        a: |g, t, i| (if i < 32 { g } else { g + 8 }, t * 32 + (i & 31)),
        b: |g, t, i| (t * 32 + i, g),
    },
    Shape {
        name: "m16n8k256",
        size: (16, 8, 256),
        types: &["b1"],
        count: (128, 64),
        a: |g, t, i| {
            (
                if i < 32 || (64..96).contains(&i) {
                    g
                } else {
                    g + 8
                },
                t * 32 + (i & 31) + if i >= 64 { 128 } else { 0 },
            )
        },
        b: |g, t, i| (t * 32 + (i & 31) + if i >= 32 { 128 } else { 0 }, g),
    },
];

/// C and D have one layout in all shapes: pairs of columns, and the elements from the third on are
/// eight rows below.
fn c_place(g: usize, t: usize, i: usize) -> (usize, usize) {
    (if i < 2 { g } else { g + 8 }, t * 2 + (i & 1))
}

/// The registers of a fragment, lane by lane in each, in the order in which a kernel loads them.
fn pack(
    matrix: &[Vec<i64>],
    coded: Coded,
    count: usize,
    place: impl Fn(usize, usize) -> (usize, usize),
) -> Vec<u8> {
    let width = coded.bits.max(32);
    let per = width / coded.bits;
    let mut bytes = Vec::new();
    for register in 0..count / per {
        for lane in 0..32 {
            let value = (0..per).fold(0u64, |bits, e| {
                let (row, column) = place(lane, register * per + e);
                bits | (coded.code)(matrix[row][column]) << (e * coded.bits)
            });
            bytes.extend_from_slice(&value.to_le_bytes()[..width / 8]);
        }
    }
    bytes
}

/// A kernel of one warp. It loads A, B and C from memory register by register, and stores D there.
fn kernel(instruction: &str, widths: [usize; 4], registers: [usize; 4]) -> String {
    let (mut text, mut lists) = (String::new(), Vec::new());
    for (operand, name) in ["a", "b", "c", "d"].iter().enumerate() {
        let (bytes, count) = (widths[operand] / 8, registers[operand]);
        let ty = if bytes == 8 { "b64" } else { "b32" };
        text += &format!(".reg .{ty} %{name}<{count}>;\n");
        lists.push(format!(
            "{{{}}}",
            (0..count)
                .map(|i| format!("%{name}{i}"))
                .collect::<Vec<_>>()
                .join(", ")
        ));
    }
    let mut access = |operand: usize, name: &str, store: bool| {
        let bytes = widths[operand] / 8;
        let ty = if bytes == 8 { "b64" } else { "b32" };
        text += &format!("ld.param.u64 %rd0, [p{name}]; mad.wide.u32 %rd0, %r0, {bytes}, %rd0;\n");
        for i in 0..registers[operand] {
            let at = i * 32 * bytes;
            text += &match store {
                true => format!("st.global.{ty} [%rd0+{at}], %{name}{i};\n"),
                false => format!("ld.global.{ty} %{name}{i}, [%rd0+{at}];\n"),
            };
        }
        if operand == 2 {
            text += &format!(
                "{instruction} {}, {}, {}, {};\n",
                lists[3], lists[0], lists[1], lists[2]
            );
        }
    };
    access(0, "a", false);
    access(1, "b", false);
    access(2, "c", false);
    access(3, "d", true);
    format!(
        ".version 8.8\n.target sm_90\n.address_size 64\n
        .visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {{
        .reg .b64 %rd<2>; .reg .b32 %r<2>; mov.u32 %r0, %laneid;\n{text} ret; }}"
    )
}

fn dot(
    a: &[Vec<i64>],
    b: &[Vec<i64>],
    c: &[Vec<i64>],
    each: impl Fn(i64, i64) -> i64,
) -> Vec<Vec<i64>> {
    let cell = |row: usize, column: usize| {
        (0..b.len())
            .map(|i| each(a[row][i], b[i][column]))
            .sum::<i64>()
            + c[row][column]
    };
    (0..a.len())
        .map(|row| (0..b[0].len()).map(|column| cell(row, column)).collect())
        .collect()
}

#[track_caller]
fn agree(
    shape: &Shape,
    types: [&str; 4],
    instruction: &str,
    each: fn(i64, i64) -> i64,
    clamp: fn(i64) -> i64,
    c_range: (i64, i64),
) {
    let (m, n, k) = shape.size;
    let [d_type, a_type, b_type, c_type] = types.map(coded);
    let mut numbers = Numbers(instruction.len() as u64);
    let a = numbers.matrix(m, k, a_type.range);
    let b = numbers.matrix(k, n, b_type.range);
    let c = numbers.matrix(m, n, c_range);
    let mut d = dot(&a, &b, &c, each);
    d.iter_mut().flatten().for_each(|v| *v = clamp(*v));
    let c_count = m * n / 32;
    let lane = |place: Place| move |lane: usize, i: usize| place(lane / 4, lane % 4, i);
    let images = [
        pack(&a, a_type, shape.count.0, lane(shape.a)),
        pack(&b, b_type, shape.count.1, lane(shape.b)),
        pack(&c, c_type, c_count, lane(c_place)),
    ];
    let expected = pack(&d, d_type, c_count, lane(c_place));
    let width = |coded: Coded| coded.bits.max(32);
    let widths = [width(a_type), width(b_type), width(c_type), width(d_type)];
    let counts = [shape.count.0, shape.count.1, c_count, c_count];
    let registers = [a_type, b_type, c_type, d_type].map(|ty| ty.bits);
    let registers = std::array::from_fn(|i| counts[i] * registers[i] / widths[i]);
    let rig = Rig::new(&kernel(instruction, widths, registers));
    let [pa, pb, pc] = images.map(|image| rig.buffer(&image));
    let pd = rig.buffer(&vec![0u8; expected.len()]);
    rig.ok("k", 1, 32, &[pa, pb, pc, pd]);
    let got: Vec<u8> = rig.read(pd, expected.len());
    assert!(got == expected, "{instruction}");
}

fn product(a: i64, b: i64) -> i64 {
    a * b
}

#[test]
fn every_shape_and_type_multiplies() {
    for shape in SHAPES {
        for &a in shape.types {
            // Types that go together, and what they add up in.
            let (partners, sums): (&[&str], &[[&str; 2]]) = match a {
                "f16" => (&["f16"], &[["f16", "f16"], ["f32", "f32"]]),
                "bf16" | "tf32" => (&[a], &[["f32", "f32"]]),
                "f64" => (&["f64"], &[["f64", "f64"]]),
                "e4m3" | "e5m2" => (&["e4m3", "e5m2"], &[["f32", "f32"], ["f16", "f16"]]),
                "u8" | "s8" => (&["u8", "s8"], &[["s32", "s32"]]),
                "u4" | "s4" => (&["u4", "s4"], &[["s32", "s32"]]),
                _ => continue,
            };
            for &b in partners {
                for &[d, c] in sums {
                    let name = shape.name;
                    let c_range = if c == "f16" {
                        (-99, 99)
                    } else {
                        coded(c).range
                    };
                    let instruction = format!("mma.sync.aligned.{name}.row.col.{d}.{a}.{b}.{c}");
                    agree(shape, [d, a, b, c], &instruction, product, |v| v, c_range);
                }
            }
        }
    }
}

#[test]
fn integers_wrap_or_clamp() {
    for shape in SHAPES.iter().filter(|s| s.types.contains(&"s8")) {
        for (word, range, clamp) in [
            (
                "",
                (i64::from(i32::MAX) - 50, i64::from(i32::MAX)),
                (|v| i64::from(v as i32)) as fn(i64) -> i64,
            ),
            (
                ".satfinite",
                (i64::from(i32::MAX) - 50, i64::from(i32::MAX)),
                |v| v.clamp(i32::MIN.into(), i32::MAX.into()),
            ),
            (
                ".satfinite",
                (i64::from(i32::MIN), i64::from(i32::MIN) + 50),
                |v| v.clamp(i32::MIN.into(), i32::MAX.into()),
            ),
        ] {
            let instruction = format!(
                "mma.sync.aligned.{}.row.col{word}.s32.s8.u8.s32",
                shape.name
            );
            agree(
                shape,
                ["s32", "s8", "u8", "s32"],
                &instruction,
                product,
                clamp,
                range,
            );
        }
    }
}

#[test]
fn single_bits_are_counted() {
    for shape in SHAPES.iter().filter(|s| s.types == ["b1"]) {
        let instruction = format!("mma.sync.aligned.{}.row.col.s32.b1.b1.s32", shape.name);
        let types = ["s32", "b1", "b1", "s32"];
        agree(
            shape,
            types,
            &format!("{instruction}.and.popc"),
            |a, b| a & b,
            |v| v,
            S32.range,
        );
        agree(
            shape,
            types,
            &format!("{instruction}.xor.popc"),
            |a, b| a ^ b,
            |v| v,
            S32.range,
        );
    }
}

/// The first form of `mma`: four products of 8 by 8 by 4. Two quads, 16 lanes apart, compute each.
#[test]
fn volta_multiplies_four_pairs() {
    // ISA 9.7.14.5.1: row and column of element i; `%laneid < 16` is the upper or left half.
    let a_row: fn(usize, usize) -> (usize, usize) =
        |l, i| (if l < 16 { l % 4 } else { l % 4 + 4 }, i);
    let a_col: fn(usize, usize) -> (usize, usize) =
        |l, i| (if l < 16 { i % 4 } else { i % 4 + 4 }, l % 4);
    let b_row: fn(usize, usize) -> (usize, usize) = |l, i| (l % 4, if l < 16 { i } else { i + 4 });
    let b_col: fn(usize, usize) -> (usize, usize) =
        |l, i| (i, if l < 16 { l % 4 } else { l % 4 + 4 });
    let c_half: fn(usize, usize) -> (usize, usize) =
        |l, i| (if l < 16 { l % 4 } else { l % 4 + 4 }, i);
    let c_single: fn(usize, usize) -> (usize, usize) = |l, i| {
        let x = (l & 1) + (i & 2);
        (if l < 16 { x } else { x + 4 }, (i & 4) + (l & 2) + (i & 1))
    };
    for (a_name, a_place) in [("row", a_row), ("col", a_col)] {
        for (b_name, b_place) in [("row", b_row), ("col", b_col)] {
            for (d_name, c_name) in [("f16", "f16"), ("f32", "f16"), ("f32", "f32")] {
                let instruction =
                    format!("mma.sync.aligned.m8n8k4.{a_name}.{b_name}.{d_name}.f16.f16.{c_name}");
                let places = |name| if name == "f16" { c_half } else { c_single };
                let mut numbers = Numbers(7);
                // Four of each, and each lane's elements are of its own.
                let a: Vec<_> = (0..4).map(|_| numbers.matrix(8, 4, F16.range)).collect();
                let b: Vec<_> = (0..4).map(|_| numbers.matrix(4, 8, F16.range)).collect();
                let c: Vec<_> = (0..4).map(|_| numbers.matrix(8, 8, F32.range)).collect();
                let d: Vec<_> = (0..4).map(|q| dot(&a[q], &b[q], &c[q], product)).collect();
                // Stack the four: rows of product q begin at q times their number.
                let stack = |all: &[Vec<Vec<i64>>]| all.concat();
                let of = |rows: usize, place: fn(usize, usize) -> (usize, usize)| {
                    move |lane: usize, i: usize| {
                        let (row, column) = place(lane, i);
                        (lane % 16 / 4 * rows + row, column)
                    }
                };
                let (c_type, d_type) = (coded(c_name), coded(d_name));
                let images = [
                    pack(&stack(&a), F16, 4, of(8, a_place)),
                    pack(&stack(&b), F16, 4, of(4, b_place)),
                    pack(&stack(&c), c_type, 8, of(8, places(c_name))),
                ];
                let expected = pack(&stack(&d), d_type, 8, of(8, places(d_name)));
                let registers = [2, 2, 8 * c_type.bits / 32, 8 * d_type.bits / 32];
                let rig = Rig::new(&kernel(&instruction, [32; 4], registers));
                let [pa, pb, pc] = images.map(|image| rig.buffer(&image));
                let pd = rig.buffer(&vec![0u8; expected.len()]);
                rig.ok("k", 1, 32, &[pa, pb, pc, pd]);
                assert!(
                    rig.read::<u8>(pd, expected.len()) == expected,
                    "{instruction}"
                );
            }
        }
    }
}

#[test]
fn a_warp_that_is_not_whole_cannot_multiply() {
    let text = kernel(
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
        [64; 4],
        [1, 1, 2, 2],
    );
    let rig = Rig::new(&text);
    let p = rig.buffer(&[0f64; 64]);
    let report = rig.fault("k", 1, 48, &[p, p, p, p]);
    assert!(
        report.contains("a matrix instruction in a warp that has only 16 threads"),
        "{report}"
    );
}
