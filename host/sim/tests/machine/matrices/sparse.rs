//! `mma.sp` of every shape, type and selector: products with a matrix in which half of the
//! elements are zero.
//!
//! PTX ISA 9.7.14.6. The test makes the full matrix first, with zeros where the random metadata
//! puts them. It loads the stored elements into registers, and the result must equal the full
//! product. An H200 confirms which lane holds which metadata.

use crate::common::{Numbers, Rig};
use crate::machine::matrices::matrix::{Coded, F16, F32, S32, coded};

/// Elements of a chunk, elements that are stored together, and metadata for the two places of each.
struct Sparsity {
    chunk: usize,
    together: usize,
}

fn sparsity(ty: &str) -> Sparsity {
    let (chunk, together) = match ty {
        "tf32" => (2, 1),
        "u4" | "s4" => (8, 2),
        _ => (4, 1),
    };
    Sparsity { chunk, together }
}

/// A chunk's metadata and the columns that it selects, in the order of storage.
fn choose(numbers: &mut Numbers, ty: &str, ordered: bool) -> (u32, Vec<usize>) {
    if ty == "tf32" {
        return match numbers.within((0, 1)) {
            0 => (0b0100, vec![0]),
            _ => (0b1110, vec![1]),
        };
    }
    let first = numbers.within((0, 3)) as usize;
    let second = (first + numbers.within((1, 3)) as usize) % 4;
    let mut places = [first, second];
    if ordered {
        places.sort_unstable();
    }
    let together = sparsity(ty).together;
    let columns = places
        .iter()
        .flat_map(|&place| (0..together).map(move |i| place * together + i));
    ((places[0] | places[1] << 2) as u32, columns.collect())
}

/// The lane and the lowest bit of a chunk's metadata, from the ISA's figures.
fn metadata_place(
    ty: &str,
    chunks: usize,
    selector: usize,
    row: usize,
    chunk: usize,
) -> (usize, usize) {
    let quad = row % 8 * 4;
    match (ty, chunks) {
        ("f16" | "bf16" | "tf32", 4) => (quad + selector, row / 8 * 16 + chunk * 4),
        ("f16" | "bf16" | "tf32", _) => (
            quad + selector * 2 + chunk / 4,
            row / 8 * 16 + chunk % 4 * 4,
        ),
        (_, 8) => (quad + selector * 2 + row / 8, chunk * 4),
        _ => (quad + row / 8 + chunk / 8 * 2, chunk % 8 * 4),
    }
}

fn kernel(instruction: &str, registers: [usize; 4], selector: usize) -> String {
    let mut text = String::new();
    let list = |name: &str, count: usize| {
        let registers: Vec<String> = (0..count).map(|i| format!("%{name}{i}")).collect();
        format!("{{{}}}", registers.join(", "))
    };
    let names = ["a", "b", "c", "d"];
    for (name, count) in names.iter().zip(registers) {
        text += &format!(".reg .b32 %{name}<{count}>;\n");
    }
    for (name, count) in names.iter().zip(registers).take(3) {
        text += &format!("ld.param.u64 %rd0, [p{name}]; mad.wide.u32 %rd0, %r0, 4, %rd0;\n");
        for i in 0..count {
            text += &format!("ld.global.b32 %{name}{i}, [%rd0+{}];\n", i * 128);
        }
    }
    text +=
        "ld.param.u64 %rd0, [pm]; mad.wide.u32 %rd0, %r0, 4, %rd0; ld.global.b32 %r1, [%rd0];\n";
    let [a, b, c, d] = std::array::from_fn(|i| list(names[i], registers[i]));
    text += &format!("{instruction} {d}, {a}, {b}, {c}, %r1, {selector};\n");
    text += "ld.param.u64 %rd0, [pd]; mad.wide.u32 %rd0, %r0, 4, %rd0;\n";
    for i in 0..registers[3] {
        text += &format!("st.global.b32 [%rd0+{}], %d{i};\n", i * 128);
    }
    format!(
        ".version 8.8\n.target sm_90\n.address_size 64\n
        .visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pm, .param .u64 pd) {{
        .reg .b64 %rd<1>; .reg .b32 %r<2>; mov.u32 %r0, %laneid;\n{text} ret; }}"
    )
}

/// The words of a fragment: register by register, lane by lane.
fn words(coded: Coded, registers: usize, at: impl Fn(usize, usize) -> i64) -> Vec<u32> {
    let per = 32 / coded.bits;
    let word = |register: usize, lane: usize| {
        (0..per).fold(0, |bits, i| {
            bits | ((coded.code)(at(lane, register * per + i)) as u32) << (i * coded.bits)
        })
    };
    (0..registers)
        .flat_map(|register| (0..32).map(move |lane| (register, lane)))
        .map(|(r, l)| word(r, l))
        .collect()
}

#[track_caller]
fn agree(k: usize, types: [&str; 4], ordered: bool, selector: usize, numbers: &mut Numbers) {
    let [d, left, right, c] = types;
    let (a_coded, b_coded) = (coded(left), coded(right));
    let Sparsity { chunk, .. } = sparsity(left);
    let (chunks, half) = (k / chunk, chunk / 2);
    // The matrices; A also as it is stored.
    let (mut full, mut stored) = (vec![vec![0i64; k]; 16], vec![vec![0i64; k / 2]; 16]);
    let mut metadata = [0u32; 32];
    for row in 0..16 {
        for which in 0..chunks {
            let (bits, columns) = choose(numbers, left, ordered);
            let (lane, low) = metadata_place(left, chunks, selector, row, which);
            metadata[lane] |= bits << low;
            for (index, column) in columns.into_iter().enumerate() {
                let value = numbers.within(a_coded.range);
                full[row][which * chunk + column] = value;
                stored[row][which * half + index] = value;
            }
        }
    }
    // Metadata of lanes that are not selected means nothing.
    let used: Vec<usize> = (0..16)
        .flat_map(|row| (0..chunks).map(move |chunk| (row, chunk)))
        .map(|(row, chunk)| metadata_place(left, chunks, selector, row, chunk).0)
        .collect();
    for (lane, word) in metadata
        .iter_mut()
        .enumerate()
        .filter(|(lane, _)| !used.contains(lane))
    {
        *word = 0x5a5a_0000 | lane as u32;
    }
    let right_matrix = numbers.matrix(k, 8, b_coded.range);
    let accumulator = match c {
        "f16" => F16,
        "f32" => F32,
        _ => S32,
    };
    let sums = numbers.matrix(16, 8, accumulator.range);
    // A as a dense matrix of half its columns, B and C as ever: elements of a register side by
    // side, registers of A by the row eight below and then further columns, of B by further rows.
    let (ea, eb, ec) = (32 / a_coded.bits, 32 / b_coded.bits, 32 / accumulator.bits);
    let a_registers = k / 2 * 16 / 32 / ea;
    let b_registers = k * 8 / 32 / eb;
    let c_registers = 4 / ec;
    let a = words(a_coded, a_registers, |lane, i| {
        let (register, e) = (i / ea, i % ea);
        stored[lane / 4 + register % 2 * 8][register / 2 * 4 * ea + lane % 4 * ea + e]
    });
    let b = words(b_coded, b_registers, |lane, i| {
        right_matrix[i / eb * 4 * eb + lane % 4 * eb + i % eb][lane / 4]
    });
    let c_place = |lane: usize, i: usize| (lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2);
    let at = |matrix: &Vec<Vec<i64>>, lane: usize, i: usize| {
        let (row, column) = c_place(lane, i);
        matrix[row][column]
    };
    let c_words = words(accumulator, c_registers, |lane, i| at(&sums, lane, i));
    let mut product = sums.clone();
    for (row, to) in product.iter_mut().enumerate() {
        for (column, to) in to.iter_mut().enumerate() {
            *to += (0..k)
                .map(|i| full[row][i] * right_matrix[i][column])
                .sum::<i64>();
        }
    }
    let expected = words(accumulator, c_registers, |lane, i| at(&product, lane, i));
    let kind = if ordered {
        "sp::ordered_metadata"
    } else {
        "sp"
    };
    let instruction = format!("mma.{kind}.sync.aligned.m16n8k{k}.row.col.{d}.{left}.{right}.{c}");
    let rig = Rig::new(&kernel(
        &instruction,
        [a_registers, b_registers, c_registers, c_registers],
        selector,
    ));
    let out = rig.buffer(&vec![0u32; expected.len()]);
    let params = [
        rig.buffer(&a),
        rig.buffer(&b),
        rig.buffer(&c_words),
        rig.buffer(&metadata),
        out,
    ];
    rig.ok("k", 1, 32, &params);
    assert_eq!(
        rig.read::<u32>(out, expected.len()),
        expected,
        "{instruction}, selector {selector}"
    );
}

#[test]
fn products_with_half_of_a_matrix_are_those_with_all_of_it() {
    let mut numbers = Numbers(31);
    let mut each = |k: usize, types: [&str; 4], selectors: usize| {
        for selector in 0..selectors {
            for ordered in [false, true] {
                agree(k, types, ordered, selector, &mut numbers);
            }
        }
    };
    for c in ["f16", "f32"] {
        each(16, [c, "f16", "f16", c], 4);
        each(32, [c, "f16", "f16", c], 2);
    }
    each(16, ["f32", "bf16", "bf16", "f32"], 4);
    each(32, ["f32", "bf16", "bf16", "f32"], 2);
    each(8, ["f32", "tf32", "tf32", "f32"], 4);
    each(16, ["f32", "tf32", "tf32", "f32"], 2);
    for (left, right) in [("u8", "u8"), ("u8", "s8"), ("s8", "u8"), ("s8", "s8")] {
        each(32, ["s32", left, right, "s32"], 2);
        each(64, ["s32", left, right, "s32"], 1);
    }
    for (left, right) in [("u4", "u4"), ("u4", "s4"), ("s4", "u4"), ("s4", "s4")] {
        each(64, ["s32", left, right, "s32"], 2);
        each(128, ["s32", left, right, "s32"], 1);
    }
    for (left, right) in [
        ("e4m3", "e4m3"),
        ("e4m3", "e5m2"),
        ("e5m2", "e4m3"),
        ("e5m2", "e5m2"),
    ] {
        each(64, ["f32", left, right, "f32"], 1);
    }
}

/// A kernel in which only the metadata matters.
fn with_metadata(kind: &str, metadata: u32) -> Result<lanewise_sim::Report, lanewise_sim::Fault> {
    let instruction = format!("mma.{kind}.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
    let rig = Rig::new(&kernel(&instruction, [2, 2, 4, 4], 0));
    let zeros = rig.buffer(&[0u32; 128]);
    let metadata = rig.buffer(&[metadata; 32]);
    rig.run(
        "k",
        1,
        32,
        &[zeros, zeros, zeros, metadata, rig.buffer(&[0u32; 128])],
    )
}

#[test]
fn metadata_that_means_nothing_is_reported() {
    assert!(with_metadata("sp", 0x4444_4444).is_ok());
    assert!(with_metadata("sp::ordered_metadata", 0x4444_4444).is_ok());
    // One element twice; and the higher first, which only `.sp` takes.
    let twice = with_metadata("sp", 0x4444_5444)
        .expect_err("undefined")
        .to_string();
    assert!(
        twice.contains("metadata 0b0101 for chunk 3 of row 0"),
        "{twice}"
    );
    assert!(with_metadata("sp", 0x4644_4444).is_ok());
    let order = with_metadata("sp::ordered_metadata", 0x1444_4444)
        .expect_err("undefined")
        .to_string();
    assert!(
        order.contains("metadata 0b0001 for chunk 3 of row 8"),
        "{order}"
    );
}

#[test]
fn a_selector_names_lanes_that_there_are() {
    let text = kernel(
        "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
        [4, 4, 4, 4],
        2,
    );
    let message = lanewise_sim::Module::load(&text)
        .expect_err("two selectors")
        .to_string();
    assert!(
        message.contains("selector 2 of lanes with metadata, where this shape has 2"),
        "{message}"
    );
}
