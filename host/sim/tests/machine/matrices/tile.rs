//! `wmma`: matrices in memory, by rows and by columns, with strides, in global and
//! in shared memory.

use crate::common::{Numbers, Rig};
use crate::machine::matrices::matrix::{Coded, coded};

/// Shape, type of A and B, those of C and D, registers of A, B and C or D.
type Case = (
    &'static str,
    (usize, usize, usize),
    &'static str,
    &'static str,
    &'static str,
    [usize; 4],
);

const CASES: &[Case] = &[
    ("m16n16k16", (16, 16, 16), "f16", "f16", "f16", [8, 8, 4, 4]),
    ("m16n16k16", (16, 16, 16), "f16", "f32", "f16", [8, 8, 8, 4]),
    ("m16n16k16", (16, 16, 16), "f16", "f16", "f32", [8, 8, 4, 8]),
    ("m16n16k16", (16, 16, 16), "f16", "f32", "f32", [8, 8, 8, 8]),
    ("m8n32k16", (8, 32, 16), "f16", "f32", "f32", [8, 8, 8, 8]),
    ("m32n8k16", (32, 8, 16), "f16", "f16", "f16", [8, 8, 4, 4]),
    ("m16n16k16", (16, 16, 16), "u8", "s32", "s32", [2, 2, 8, 8]),
    ("m16n16k16", (16, 16, 16), "s8", "s32", "s32", [2, 2, 8, 8]),
    ("m8n32k16", (8, 32, 16), "u8", "s32", "s32", [1, 4, 8, 8]),
    ("m8n32k16", (8, 32, 16), "s8", "s32", "s32", [1, 4, 8, 8]),
    ("m32n8k16", (32, 8, 16), "u8", "s32", "s32", [4, 1, 8, 8]),
    ("m32n8k16", (32, 8, 16), "s8", "s32", "s32", [4, 1, 8, 8]),
    (
        "m16n16k16",
        (16, 16, 16),
        "bf16",
        "f32",
        "f32",
        [4, 4, 8, 8],
    ),
    ("m8n32k16", (8, 32, 16), "bf16", "f32", "f32", [2, 8, 8, 8]),
    ("m32n8k16", (32, 8, 16), "bf16", "f32", "f32", [8, 2, 8, 8]),
    ("m16n16k8", (16, 16, 8), "tf32", "f32", "f32", [4, 4, 8, 8]),
    ("m8n8k4", (8, 8, 4), "f64", "f64", "f64", [1, 1, 2, 2]),
    ("m8n8k32", (8, 8, 32), "s4", "s32", "s32", [1, 1, 2, 2]),
    ("m8n8k32", (8, 8, 32), "u4", "s32", "s32", [1, 1, 2, 2]),
    ("m8n8k128", (8, 8, 128), "b1", "s32", "s32", [1, 1, 2, 2]),
];

/// A matrix as bytes, with lines `stride` elements apart. The bytes between lines are not zero.
fn image(matrix: &[Vec<i64>], coded: Coded, by_rows: bool, stride: usize) -> Vec<u8> {
    let (rows, columns) = (matrix.len(), matrix[0].len());
    let (lines, length) = if by_rows {
        (rows, columns)
    } else {
        (columns, rows)
    };
    let mut bytes = vec![0xa5u8; lines * stride * coded.bits / 8];
    for line in 0..lines {
        for at in 0..length {
            let value = if by_rows {
                matrix[line][at]
            } else {
                matrix[at][line]
            };
            let code = (coded.code)(value);
            for bit in 0..coded.bits {
                let place = (line * stride + at) * coded.bits + bit;
                let mask = 1 << (place % 8);
                bytes[place / 8] =
                    bytes[place / 8] & !mask | if code >> bit & 1 == 1 { mask } else { 0 };
            }
        }
    }
    bytes
}

fn list(name: &str, count: usize) -> String {
    format!(
        "{{{}}}",
        (0..count)
            .map(|i| format!("%{name}{i}"))
            .collect::<Vec<_>>()
            .join(", ")
    )
}

#[test]
fn tiles_multiply_whatever_their_layout_and_stride() {
    for &(name, (m, n, k), ab, c, d, registers) in CASES {
        let narrow = matches!(ab, "s4" | "u4" | "b1");
        let layouts: &[(&str, &str)] = if narrow {
            &[("row", "col")]
        } else {
            &[
                ("row", "row"),
                ("row", "col"),
                ("col", "row"),
                ("col", "col"),
            ]
        };
        for (index, &(a_layout, b_layout)) in layouts.iter().enumerate() {
            for (space, gap) in [("", 0), (".global", 1), (".shared", 0)] {
                let (ab_type, c_type, d_type) = (coded(ab), coded(c), coded(d));
                let (c_layout, d_layout) = if index % 2 == 0 {
                    ("row", "col")
                } else {
                    ("col", "row")
                };
                // A gap keeps lines aligned: 32 bytes, 16 at least.
                let stride = |coded: Coded, length: usize| length + gap * 256 / coded.bits;
                let along = |layout: &str, rows: usize, columns: usize| {
                    if layout == "row" { columns } else { rows }
                };
                let strides = [
                    stride(ab_type, along(a_layout, m, k)),
                    stride(ab_type, along(b_layout, k, n)),
                    stride(c_type, along(c_layout, m, n)),
                    stride(d_type, along(d_layout, m, n)),
                ];
                let mut numbers = Numbers(index as u64 + 3);
                let (a, b) = (
                    numbers.matrix(m, k, ab_type.range),
                    numbers.matrix(k, n, ab_type.range),
                );
                let c_range = if c == "f16" || d == "f16" {
                    (-99, 99)
                } else {
                    c_type.range
                };
                let start = numbers.matrix(m, n, c_range);
                let each = |x: i64, y: i64| if ab == "b1" { x ^ y } else { x * y };
                let cell = |i: usize, j: usize| {
                    (0..k).map(|x| each(a[i][x], b[x][j])).sum::<i64>() + start[i][j]
                };
                let result: Vec<Vec<i64>> = (0..m)
                    .map(|i| (0..n).map(|j| cell(i, j)).collect())
                    .collect();
                let images = [
                    image(&a, ab_type, a_layout == "row", strides[0]),
                    image(&b, ab_type, b_layout == "row", strides[1]),
                    image(&start, c_type, c_layout == "row", strides[2]),
                ];
                let expected = image(&result, d_type, d_layout == "row", strides[3]);
                let widths = [ab, ab, c, d].map(|ty| if ty == "f64" { "b64" } else { "b32" });
                let declare: String = ["a", "b", "c", "d"]
                    .iter()
                    .zip(registers)
                    .zip(widths)
                    .map(|((name, count), ty)| format!(".reg .{ty} %{name}<{count}>; "))
                    .collect();
                let given = |s: usize| {
                    if gap == 0 {
                        String::new()
                    } else {
                        format!(", {s}")
                    }
                };
                let multiply = match ab {
                    "f16" => format!("wmma.mma.sync.aligned.{a_layout}.{b_layout}.{name}.{d}.{c}"),
                    "b1" => format!("wmma.mma.xor.popc.sync.aligned.row.col.{name}.s32.b1.b1.s32"),
                    _ => format!(
                        "wmma.mma.sync.aligned.{a_layout}.{b_layout}.{name}.{d}.{ab}.{ab}.{c}"
                    ),
                };
                // Shared matrices are copied in and out by 4-byte words.
                let sizes = [
                    images[0].len(),
                    images[1].len(),
                    images[2].len(),
                    expected.len(),
                ];
                let (mut before, mut after) = (String::new(), String::new());
                if space == ".shared" {
                    for (i, size) in sizes.iter().enumerate() {
                        let copy = |from: &str, to: &str| {
                            format!(
                                "mov.u32 %r1, %r0;\nL{i}: setp.ge.u32 %p0, %r1, {words}; @%p0 bra E{i}; mul.wide.u32 %rd6, %r1, 4;
                                add.u64 %rd4, %rd6, %rd{i}; add.u64 %rd5, %rd6, %rd1{i};
                                ld{from}; st{to}; add.u32 %r1, %r1, 32; bra L{i};\nE{i}:\n",
                                words = size / 4
                            )
                        };
                        before += &format!("mov.u64 %rd1{i}, s{i};\n");
                        if i < 3 {
                            before += &copy(".global.b32 %r2, [%rd4]", ".shared.b32 [%rd5], %r2");
                        } else {
                            // What lies between the lines of D is seen afterwards too.
                            after = copy(".shared.b32 %r2, [%rd5]", ".global.b32 [%rd4], %r2");
                        }
                    }
                    before += "bar.sync 0;\n";
                    after = format!("bar.sync 0;\n{after}");
                } else {
                    before = (0..4)
                        .map(|i| format!("mov.u64 %rd1{i}, %rd{i};\n"))
                        .collect();
                }
                let shared: String = (0..4)
                    .filter(|_| space == ".shared")
                    .map(|i| {
                        format!(
                            ".shared .align 128 .b8 s{i}[{}]; ",
                            sizes[i].next_multiple_of(128)
                        )
                    })
                    .collect();
                let text = format!(
                    ".version 8.8\n.target sm_90\n.address_size 64\n
                    .visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {{
                    {shared} {declare} .reg .b64 %rd<20>; .reg .b32 %r<4>; .reg .pred %p<2>; mov.u32 %r0, %laneid;
                    ld.param.u64 %rd0, [pa]; ld.param.u64 %rd1, [pb]; ld.param.u64 %rd2, [pc]; ld.param.u64 %rd3, [pd];
                    {before}
                    wmma.load.a.sync.aligned.{a_layout}.{name}{space}.{ab} {}, [%rd10]{};
                    wmma.load.b.sync.aligned.{b_layout}.{name}{space}.{ab} {}, [%rd11]{};
                    wmma.load.c.sync.aligned.{c_layout}.{name}{space}.{c} {}, [%rd12]{};
                    {multiply} {}, {}, {}, {};
                    wmma.store.d.sync.aligned.{d_layout}.{name}{space}.{d} [%rd13], {}{};
                    {after} ret; }}",
                    list("a", registers[0]), given(strides[0]), list("b", registers[1]), given(strides[1]),
                    list("c", registers[2]), given(strides[2]),
                    list("d", registers[3]), list("a", registers[0]), list("b", registers[1]), list("c", registers[2]),
                    list("d", registers[3]), given(strides[3]),
                );
                let rig = Rig::new(&text);
                let [pa, pb, pc] = images.map(|image| rig.buffer(&image));
                let pd = rig.buffer(&vec![0xa5u8; expected.len()]);
                rig.ok("k", 1, 32, &[pa, pb, pc, pd]);
                assert!(
                    rig.read::<u8>(pd, expected.len()) == expected,
                    "{multiply} in `{space}`, {c_layout} to {d_layout}"
                );
            }
        }
    }
}

const LOAD: &str = ".version 8.8\n.target sm_90\n.address_size 64\n
    .visible .entry k(.param .u64 p, .param .u64 stride) {
    .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .b32 %a<8>;
    ld.param.u64 %rd0, [p]; ld.param.u32 %r0, [stride]; mov.u32 %r1, %laneid; shr.u32 %r1, %r1, 4;
    mad.lo.u32 %r0, %r1, 0, %r0;
    wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, [%rd0], %r0; ret; }";

#[test]
fn a_tile_has_to_be_there_whole_and_aligned() {
    let rig = Rig::new(LOAD);
    let p = rig.buffer(&[0u16; 16 * 24 - 8]);
    rig.ok("k", 1, 32, &[p, 24]);
    let report = rig.fault("k", 1, 32, &[p, 32]);
    assert!(
        report.contains("32-byte read past the end of an allocation"),
        "{report}"
    );
    let report = rig.fault("k", 1, 32, &[p, 17]);
    assert!(
        report.contains("at an address that is not a multiple of 4"),
        "{report}"
    );
    let rig = Rig::new(&LOAD.replace("%r1, 0, %r0", "%r1, 8, %r0"));
    let report = rig.fault("k", 1, 32, &[p, 16]);
    assert!(
        report.contains("the threads of a warp name different matrices"),
        "{report}"
    );
}

/// State space, type, registers, the offset in bytes, and whether the address is accepted.
type Asked = (&'static str, &'static str, usize, &'static [(u64, bool)]);

/// What an H200 does (driver 580.159.04, 2026-11-22) at each of these offsets in bytes from an
/// address that is a multiple of 128.
#[test]
fn a_tile_needs_the_alignment_that_a_gpu_asks_for() {
    const ASKED: [Asked; 6] = [
        (
            "global",
            "f16",
            8,
            &[(2, false), (4, true), (8, true), (16, true), (24, true)],
        ),
        (
            "global",
            "s8",
            2,
            &[(1, false), (2, false), (4, true), (8, true), (16, true)],
        ),
        ("global", "f32", 8, &[(4, false), (8, true), (16, true)]),
        (
            "shared",
            "f16",
            8,
            &[(2, false), (4, false), (8, false), (16, true), (24, false)],
        ),
        (
            "shared",
            "s8",
            2,
            &[(1, false), (2, false), (4, false), (8, false), (16, true)],
        ),
        ("shared", "f32", 8, &[(4, false), (8, true), (16, true)]),
    ];
    for (space, ty, registers, offsets) in ASKED {
        let (what, register) = match ty {
            "f32" => ("c", "f32"),
            _ => ("a", "b32"),
        };
        let names = list("a", registers);
        let begin = match space {
            "global" => "ld.param.u64 %rd0, [p];",
            _ => "mov.u64 %rd0, s;",
        };
        let rig = Rig::new(&format!(
            ".version 8.8\n.target sm_90\n.address_size 64\n
            .visible .entry k(.param .u64 p, .param .u64 offset) {{
            .shared .align 128 .b8 s[2048]; .reg .b64 %rd<2>; .reg .{register} %a<8>;
            {begin} ld.param.u64 %rd1, [offset]; add.u64 %rd0, %rd0, %rd1;
            wmma.load.{what}.sync.aligned.row.m16n16k16.{space}.{ty} {names}, [%rd0], 16; ret; }}"
        ));
        let p = rig.buffer(&[0u8; 2048]);
        for &(offset, is_taken) in offsets {
            if is_taken {
                rig.ok("k", 1, 32, &[p, offset]);
            } else {
                let report = rig.fault("k", 1, 32, &[p, offset]);
                assert!(
                    report.contains("is not a multiple of"),
                    "{space} {ty} {offset}: {report}"
                );
            }
        }
    }
}

#[test]
fn f64_rounds_as_it_is_told() {
    // Each of four products is 2^-62, and 1 + 2^-62 is no double: up, each takes the sum to
    // the next one.
    for (word, expected) in [
        ("", 1.0),
        (".rn", 1.0),
        (".rz", 1.0),
        (".rm", 1.0),
        (".rp", 1.0 + 4.0 * f64::EPSILON),
    ] {
        let rig = Rig::new(&format!(
            ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {{
            .reg .b64 %rd<4>; .reg .f64 %f<8>; ld.param.u64 %rd0, [p];
            mov.f64 %f0, 0d3E20000000000000; mov.f64 %f1, 0d3DE0000000000000; mov.f64 %f2, 0d3FF0000000000000;
            wmma.mma.sync.aligned.row.col.m8n8k4{word}.f64.f64.f64.f64 {{%f4, %f5}}, {{%f0}}, {{%f1}}, {{%f2, %f2}};
            wmma.store.d.sync.aligned.row.m8n8k4.f64 [%rd0], {{%f4, %f5}}; ret; }}"
        ));
        let p = rig.buffer(&[0f64; 64]);
        rig.ok("k", 1, 32, &[p]);
        assert!(
            rig.read::<f64>(p, 64).iter().all(|&v| v == expected),
            "{word}"
        );
    }
}
