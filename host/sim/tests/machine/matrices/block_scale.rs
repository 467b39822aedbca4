//! `mma.sync` of mixed elements of eight, six and four bits, and with scale factors for blocks.
//!
//! PTX ISA 9.7.14.5 has the layout of 8-bit elements, 9.7.14.3 that of the factors. This file
//! states both again.

use lanewise_sim::DeviceModel;

use crate::common::Rig;

/// One with these instructions.
fn consumer() -> DeviceModel {
    DeviceModel::named("rtx5090").expect("a built-in model")
}

/// A kernel of one warp. It loads the registers of A (4), of B (2) and of both matrices' factors
/// from memory, and stores D there.
fn kernel(kind: &str, types: &str, tail: &str) -> String {
    format!(
        ".version 8.8\n.target sm_120a\n.address_size 64
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 ps, .param .u64 pd) {{
    .reg .b64 %rd<5>; .reg .b32 %r<2>; .reg .b32 %a<4>; .reg .b32 %b<2>; .reg .b32 %s<2>; .reg .f32 %d<4>; .reg .b16 %h<2>;
    mov.u32 %r0, %laneid;
    ld.param.u64 %rd0, [pa]; mad.wide.u32 %rd0, %r0, 16, %rd0;
    ld.param.u64 %rd1, [pb]; mad.wide.u32 %rd1, %r0, 8, %rd1;
    ld.param.u64 %rd2, [ps]; mad.wide.u32 %rd2, %r0, 8, %rd2;
    ld.param.u64 %rd3, [pd]; mad.wide.u32 %rd3, %r0, 16, %rd3;
    ld.global.v4.b32 {{%a0, %a1, %a2, %a3}}, [%rd0];
    ld.global.v2.b32 {{%b0, %b1}}, [%rd1];
    ld.global.v2.b32 {{%s0, %s1}}, [%rd2];
    mov.b16 %h0, 0; mov.b16 %h1, 5;
    mov.f32 %d0, 0f3F800000; mov.f32 %d1, %d0; mov.f32 %d2, %d0; mov.f32 %d3, %d0;
    mma.sync.aligned.{kind}.{types} {{%d0, %d1, %d2, %d3}}, {{%a0, %a1, %a2, %a3}}, {{%b0, %b1}}, {{%d0, %d1, %d2, %d3}}{tail};
    st.global.v4.f32 [%rd3], {{%d0, %d1, %d2, %d3}};
    ret;
}}"
    )
}

/// The bits of a small whole number in a byte.
fn coded(ty: &str, value: i32) -> u8 {
    let (bias, fraction, shift, sign): (u8, u8, u8, u8) = match ty {
        "e4m3" => (7, 3, 0, 7),
        "e5m2" => (15, 2, 0, 7),
        "e3m2" => (3, 2, 0, 5),
        "e2m3" => (1, 3, 0, 5),
        "e2m1" => (1, 1, 2, 3),
        _ => unreachable!("{ty}"),
    };
    let magnitude = match value.abs() {
        0 => 0,
        1 => bias << fraction,
        2 => (bias + 1) << fraction,
        _ => (bias + 1) << fraction | 1 << (fraction - 1),
    };
    (u8::from(value < 0) << sign | magnitude) << shift
}

/// Row and column of byte `i` of a lane's registers of A.
fn left(lane: usize, i: usize) -> (usize, usize) {
    let row = lane / 4 + 8 * (i / 4 % 2);
    (row, lane % 4 * 4 + i % 4 + 16 * (i / 8))
}

fn right(lane: usize, i: usize) -> (usize, usize) {
    (lane % 4 * 4 + i % 4 + 16 * (i / 4), lane / 4)
}

/// Row and column of a lane's element of D.
fn sum(lane: usize, i: usize) -> (usize, usize) {
    (lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2)
}

fn run(text: &str, a: &[u8], b: &[u8], factors: &[[u8; 8]; 32]) -> Vec<f32> {
    let rig = Rig::on(consumer(), text);
    let (pa, pb, ps) = (
        rig.buffer(a),
        rig.buffer(b),
        rig.buffer(factors.as_flattened()),
    );
    let pd = rig.buffer(&[0f32; 128]);
    rig.ok("k", 1, 32, &[pa, pb, ps, pd]);
    rig.read(pd, 128)
}

#[test]
fn every_pair_of_small_types_multiplies() {
    let types = ["e4m3", "e5m2", "e3m2", "e2m3", "e2m1"];
    let at = |row: usize, column: usize| (row * 5 + column * 3) as i32 % 7 - 3;
    for (a_type, b_type) in types.iter().flat_map(|a| types.map(|b| (*a, b))) {
        let bytes = |count: usize, ty: &str, place: fn(usize, usize) -> (usize, usize)| {
            let each = (0..32).flat_map(|lane| (0..count).map(move |i| place(lane, i)));
            each.map(|(row, column)| coded(ty, at(row, column)))
                .collect::<Vec<u8>>()
        };
        let (a, b) = (bytes(16, a_type, left), bytes(8, b_type, right));
        let kind = "m16n8k32.row.col.kind::f8f6f4";
        let text = kernel(kind, &format!("f32.{a_type}.{b_type}.f32"), "");
        let got = run(&text, &a, &b, &[[0; 8]; 32]);
        for (index, &found) in got.iter().enumerate() {
            let (row, column) = sum(index / 4, index % 4);
            let product: i32 = (0..32).map(|k| at(row, k) * at(k, column)).sum();
            assert_eq!(
                found,
                product as f32 + 1.0,
                "{a_type} {b_type} {row} {column}"
            );
        }
    }
}

/// Matrices of ones: a sum is the sum of the blocks' factors. Bytes that are not selected are NaN.
#[test]
fn factors_are_those_of_the_selected_lanes_and_bytes() {
    struct Case {
        kind: &'static str,
        types: &'static str,
        one: u8,
        k: usize,
        blocks: usize,
        /// Byte and thread of A, and of B.
        selectors: [[usize; 2]; 2],
    }
    let cases = [
        Case {
            kind: "m16n8k32.row.col.kind::mxf8f6f4.block_scale",
            types: "f32.e4m3.e4m3.f32.ue8m0",
            one: 0x38,
            k: 32,
            blocks: 1,
            selectors: [[3, 1], [2, 3]],
        },
        Case {
            kind: "m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X",
            types: "f32.e2m1.e2m1.f32.ue8m0",
            one: 0x22,
            k: 64,
            blocks: 2,
            selectors: [[2, 0], [0, 1]],
        },
        Case {
            kind: "m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X",
            types: "f32.e2m1.e2m1.f32.ue4m3",
            one: 0x22,
            k: 64,
            blocks: 4,
            selectors: [[0, 1], [0, 2]],
        },
    ];
    for case in cases {
        let [[byte_a, thread_a], [byte_b, thread_b]] = case.selectors;
        let fine = case.types.ends_with("ue4m3");
        // 2 to the power of this.
        let code = |power: i32| match fine {
            true => ((power + 7) << 3) as u8,
            false => (power + 127) as u8,
        };
        let of_a = |row: usize, block: usize| (row * 3 + block) as i32 % 4;
        let of_b = |column: usize, block: usize| (column + 2 * block) as i32 % 4 - 2;
        let mut factors = [[if fine { 0x7f } else { 0xff }; 8]; 32];
        for row in 0..16 {
            let lane = row % 8 * 4 + thread_a * 2 + row / 8;
            (0..case.blocks).for_each(|n| factors[lane][byte_a + n] = code(of_a(row, n)));
        }
        for column in 0..8 {
            let lane = column * 4 + thread_b;
            (0..case.blocks).for_each(|n| factors[lane][4 + byte_b + n] = code(of_b(column, n)));
        }
        let tail = format!(", %s0, {{{byte_a}, {thread_a}}}, %s1, {{{byte_b}, {thread_b}}}");
        let text = kernel(case.kind, case.types, &tail);
        let got = run(&text, &[case.one; 512], &[case.one; 256], &factors);
        for (index, &found) in got.iter().enumerate() {
            let (row, column) = sum(index / 4, index % 4);
            let blocks = (0..case.blocks).map(|n| 2f32.powi(of_a(row, n) + of_b(column, n)));
            let expected = blocks.sum::<f32>() * (case.k / case.blocks) as f32 + 1.0;
            assert_eq!(found, expected, "{} {row} {column}", case.kind);
        }
    }
}

#[test]
fn selectors_that_name_nothing_are_refused_or_reported() {
    let kind = "m16n8k32.row.col.kind::mxf8f6f4.block_scale";
    let types = "f32.e4m3.e4m3.f32.ue8m0";
    let text = kernel(kind, types, ", %s0, {0, 2}, %s1, {0, 0}");
    let error = lanewise_sim::Module::load(&text).expect_err("a selector too large");
    assert!(error.to_string().contains("threads are below 2"), "{error}");
    let rig = Rig::on(
        consumer(),
        &kernel(kind, types, ", %s0, {%h1, %h0}, %s1, {%h0, %h0}"),
    );
    let [pa, pb, ps, pd] = [512, 256, 256, 512].map(|bytes| rig.buffer(&vec![0u8; bytes]));
    let fault = rig.fault("k", 1, 32, &[pa, pb, ps, pd]);
    assert!(
        fault.contains("selectors 5 and 0 of the factors of A"),
        "{fault}"
    );
}
