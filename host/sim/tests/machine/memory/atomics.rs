//! `atom` and `red` of every type and operation, under contention across blocks.
//!
//! The returned values show whether there was an order. Each access is an edge from the value that
//! it read to the value that it wrote. The accesses of a cell happened one after another if and
//! only if their edges make one path from the first value to the last. That holds for every order,
//! so the test does not need to know the order.

use std::collections::HashMap;

use half::{bf16, f16};

use crate::common::Rig;

const CELLS: usize = 4;
const BLOCKS: usize = 8;
const THREADS: usize = 64;

/// How an operation computes the new value from the old value, the operand and the second operand,
/// all as bits.
type Meaning = fn(u128, u128, u128) -> u128;

/// An operation: modifiers after the space, type, bytes, meaning, and operands to choose from.
struct Case {
    operation: &'static str,
    ty: &'static str,
    size: usize,
    meaning: Meaning,
    operands: &'static [u128],
    two: bool,
}

const fn case(
    operation: &'static str,
    ty: &'static str,
    size: usize,
    operands: &'static [u128],
    meaning: Meaning,
) -> Case {
    Case {
        operation,
        ty,
        size,
        meaning,
        operands,
        two: false,
    }
}

const fn cas(ty: &'static str, size: usize, operands: &'static [u128]) -> Case {
    Case {
        two: true,
        ..case(
            "cas",
            ty,
            size,
            operands,
            |old, b, c| {
                if old == b { c } else { old }
            },
        )
    }
}

const WORDS: &[u128] = &[0, 1, 5, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
const LONGS: &[u128] = &[
    0,
    1,
    5,
    1 << 62,
    1 << 63,
    0xffff_ffff_ffff_ffff,
    0xffff_ffff,
];
const SMALL: &[u128] = &[0, 1, 2, 3];
const WIDE: &[u128] = &[0, 1, 1 << 64, (7 << 64) | 7, u128::MAX];
/// 1, 2, -1, 0.5.
const SINGLES: &[u128] = &[0x3f80_0000, 0x4000_0000, 0xbf80_0000, 0x3f00_0000];
const DOUBLES: &[u128] = &[0x3ff0 << 48, 0x4000 << 48, 0xbff0 << 48, 0x3fe0 << 48];
const HALVES: &[u128] = &[0x3c00, 0x4000, 0xbc00, 0x3800];
const BRAINS: &[u128] = &[0x3f80, 0x4000, 0xbf80, 0x3f00];
const HALF_PAIRS: &[u128] = &[0x3c00_4000, 0x4000_bc00, 0xbc00_0000, 0x3800_3800];
const BRAIN_PAIRS: &[u128] = &[0x3f80_4000, 0x4000_bf80, 0xbf80_0000, 0x3f00_3f00];

fn half(a: u128, b: u128) -> u128 {
    (f16::from_bits(a as u16) + f16::from_bits(b as u16))
        .to_bits()
        .into()
}

fn brain(a: u128, b: u128) -> u128 {
    (bf16::from_bits(a as u16) + bf16::from_bits(b as u16))
        .to_bits()
        .into()
}

fn pairs(a: u128, b: u128, of: fn(u128, u128) -> u128) -> u128 {
    of(a >> 16, b >> 16) << 16 | of(a & 0xffff, b & 0xffff)
}

const CASES: &[Case] = &[
    case("and", "b32", 4, WORDS, |a, b, _| a & b),
    case("or", "b32", 4, WORDS, |a, b, _| a | b),
    case("xor", "b32", 4, WORDS, |a, b, _| a ^ b),
    case("exch", "b32", 4, WORDS, |_, b, _| b),
    case("and", "b64", 8, LONGS, |a, b, _| a & b),
    case("or", "b64", 8, LONGS, |a, b, _| a | b),
    case("xor", "b64", 8, LONGS, |a, b, _| a ^ b),
    case("exch", "b64", 8, LONGS, |_, b, _| b),
    case("exch", "b128", 16, WIDE, |_, b, _| b),
    case("add", "u32", 4, WORDS, |a, b, _| (a + b) & 0xffff_ffff),
    case("add", "s32", 4, WORDS, |a, b, _| (a + b) & 0xffff_ffff),
    case("add", "u64", 8, LONGS, |a, b, _| {
        u128::from((a as u64).wrapping_add(b as u64))
    }),
    case("min", "u32", 4, WORDS, |a, b, _| a.min(b)),
    case("max", "u32", 4, WORDS, |a, b, _| a.max(b)),
    case("min", "s32", 4, WORDS, |a, b, _| {
        (a as i32).min(b as i32) as u32 as u128
    }),
    case("max", "s32", 4, WORDS, |a, b, _| {
        (a as i32).max(b as i32) as u32 as u128
    }),
    case("min", "u64", 8, LONGS, |a, b, _| a.min(b)),
    case("max", "u64", 8, LONGS, |a, b, _| a.max(b)),
    case("min", "s64", 8, LONGS, |a, b, _| {
        (a as i64).min(b as i64) as u64 as u128
    }),
    case("max", "s64", 8, LONGS, |a, b, _| {
        (a as i64).max(b as i64) as u64 as u128
    }),
    case("inc", "u32", 4, &[3, 9, 100], |a, b, _| {
        if a >= b { 0 } else { a + 1 }
    }),
    case("dec", "u32", 4, &[3, 9, 100], |a, b, _| {
        if a == 0 || a > b { b } else { a - 1 }
    }),
    case("add", "f32", 4, SINGLES, |a, b, _| {
        (f32::from_bits(a as u32) + f32::from_bits(b as u32))
            .to_bits()
            .into()
    }),
    case("add", "f64", 8, DOUBLES, |a, b, _| {
        (f64::from_bits(a as u64) + f64::from_bits(b as u64))
            .to_bits()
            .into()
    }),
    case("add.noftz", "f16", 2, HALVES, |a, b, _| half(a, b)),
    case("add.noftz", "bf16", 2, BRAINS, |a, b, _| brain(a, b)),
    case("add.noftz", "f16x2", 4, HALF_PAIRS, |a, b, _| {
        pairs(a, b, half)
    }),
    case("add.noftz", "bf16x2", 4, BRAIN_PAIRS, |a, b, _| {
        pairs(a, b, brain)
    }),
    cas("b16", 2, SMALL),
    cas("b32", 4, SMALL),
    cas("b64", 8, SMALL),
    cas("b128", 16, WIDE),
];

/// The register type that holds a case's values, and the type of plain loads and stores.
fn register(size: usize) -> (&'static str, &'static str) {
    match size {
        2 => ("b16", "b16"),
        4 => ("b32", "b32"),
        8 => ("b64", "b64"),
        _ => ("b128", "b128"),
    }
}

/// One access by each thread. Cells, operands, second operands and the values read are in memory
/// one after another.
fn kernel(case: &Case, space: &str, red: bool, hint: bool) -> String {
    let (reg, mov) = register(case.size);
    let Case {
        operation,
        ty,
        size,
        two,
        ..
    } = case;
    let shared = space.starts_with(".shared");
    let bytes = CELLS * size;
    let opcode = if red { "red" } else { "atom" };
    let (hint, policy) = if hint {
        (".L2::cache_hint", ", %rd7")
    } else {
        ("", "")
    };
    let found = if red { "" } else { "%x2, " };
    let second = if *two { ", %x1" } else { "" };
    // Shared cells are this block's own; the first threads bring them in and out.
    let (before, after) = if shared {
        (
            format!(
                "mov.u64 %rd5, tile; mad.wide.u32 %rd6, %r4, {size}, %rd5;
                @%p0 ld.global.{mov} %x3, [%rd4]; @%p0 st.shared.{mov} [%rd6], %x3;
                bar.sync 0; mov.u64 %rd0, %rd4; mov.u64 %rd4, %rd6;"
            ),
            format!(
                "bar.sync 0; @%p0 ld.shared.{mov} %x3, [%rd4]; @%p0 st.global.{mov} [%rd0], %x3;"
            ),
        )
    } else {
        Default::default()
    };
    format!(
        ".visible .entry k(.param .u64 cells, .param .u64 first, .param .u64 second, .param .u64 found) {{
        .shared .align 16 .b8 tile[{bytes}];
        .reg .b32 %r<8>; .reg .b64 %rd<9>; .reg .{reg} %x<4>; .reg .pred %p<2>;
        mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;
        mad.lo.u32 %r3, %r0, %r1, %r2; and.b32 %r4, %r3, {mask};
        setp.lt.u32 %p0, %r2, {CELLS};
        ld.param.u64 %rd0, [cells]; ld.param.u64 %rd1, [first];
        ld.param.u64 %rd2, [second]; ld.param.u64 %rd3, [found];
        mad.wide.u32 %rd4, %r4, {size}, %rd0; mad.wide.u32 %rd1, %r3, {size}, %rd1;
        mad.wide.u32 %rd2, %r3, {size}, %rd2; mad.wide.u32 %rd3, %r3, {size}, %rd3;
        ld.global.{mov} %x0, [%rd1]; ld.global.{mov} %x1, [%rd2]; mov.b64 %rd7, 0;
        {before}
        {opcode}{space}.{operation}{hint}.{ty} {found}[%rd4], %x0{second}{policy};
        {after}
        {store} ret; }}",
        mask = CELLS - 1,
        store = if red { String::new() } else { format!("st.global.{mov} [%rd3], %x2;") },
    )
}

fn bytes(values: &[u128], size: usize) -> Vec<u8> {
    values
        .iter()
        .flat_map(|v| v.to_le_bytes()[..size].to_vec())
        .collect()
}

fn values(bytes: &[u8], size: usize) -> Vec<u128> {
    let widen = |chunk: &[u8]| {
        let mut all = [0; 16];
        all[..size].copy_from_slice(chunk);
        u128::from_le_bytes(all)
    };
    bytes.chunks_exact(size).map(widen).collect()
}

/// Returns whether the edges make one path from `from` to `to`: every value except the ends is left
/// as often as it is reached.
fn is_path(from: u128, to: u128, edges: impl Iterator<Item = (u128, u128)>) -> bool {
    let mut balance: HashMap<u128, i64> = HashMap::new();
    *balance.entry(from).or_default() -= 1;
    *balance.entry(to).or_default() += 1;
    for (old, new) in edges {
        *balance.entry(old).or_default() += 1;
        *balance.entry(new).or_default() -= 1;
    }
    balance.values().all(|&b| b == 0)
}

fn contend(case: &Case, space: &str, red: bool, hint: bool) {
    let shared = space.starts_with(".shared");
    let blocks = if shared { 1 } else { BLOCKS };
    let threads = blocks * THREADS;
    let name = format!("{space}.{}.{} red {red}", case.operation, case.ty);
    let text = format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n{}",
        kernel(case, space, red, hint)
    );
    let rig = Rig::new(&text);
    let pick = |i: usize| case.operands[(i * 7 + i / 5) % case.operands.len()];
    let start: Vec<u128> = (0..CELLS)
        .map(|i| case.operands[i % case.operands.len()])
        .collect();
    let first: Vec<u128> = (0..threads).map(pick).collect();
    let second: Vec<u128> = (0..threads).map(|i| pick(i + 1)).collect();
    let cells = rig.buffer(&bytes(&start, case.size));
    let found = rig.buffer(&vec![0u8; threads * case.size]);
    let (a, b) = (
        rig.buffer(&bytes(&first, case.size)),
        rig.buffer(&bytes(&second, case.size)),
    );
    rig.ok("k", blocks as u32, THREADS as u32, &[cells, a, b, found]);
    let end = values(&rig.read(cells, CELLS * case.size), case.size);
    let found = values(&rig.read(found, threads * case.size), case.size);
    for cell in 0..CELLS {
        let of = (cell..threads).step_by(CELLS);
        if red {
            // Reductions are those whose order does not matter.
            let all = of.fold(start[cell], |v, i| (case.meaning)(v, first[i], second[i]));
            assert_eq!(end[cell], all, "{name}, cell {cell}");
        } else {
            let edges = of.map(|i| (found[i], (case.meaning)(found[i], first[i], second[i])));
            assert!(
                is_path(start[cell], end[cell], edges),
                "{name}, cell {cell}"
            );
        }
    }
}

#[test]
fn atomics_of_every_type_happen_one_after_another() {
    for case in CASES {
        for space in ["", ".global", ".shared", ".shared::cta", ".shared::cluster"] {
            contend(case, space, false, false);
        }
        if !case.two {
            contend(case, ".global", false, true);
        }
    }
}

#[test]
fn reductions_of_every_type_add_up() {
    for case in CASES
        .iter()
        .filter(|c| !c.two && !matches!(c.operation, "exch" | "inc" | "dec"))
    {
        for space in ["", ".global", ".shared"] {
            contend(case, space, true, false);
        }
        contend(case, ".global", true, true);
    }
}

/// A vector: type, elements, bytes of one, operands, meaning.
type Vector = (
    &'static str,
    usize,
    usize,
    &'static [u128],
    fn(u128, u128) -> u128,
);

const VECTORS: &[Vector] = &[
    ("f32", 2, 4, SINGLES, single),
    ("f32", 4, 4, SINGLES, single),
    ("f16", 2, 2, HALVES, half),
    ("f16", 4, 2, HALVES, half),
    ("f16", 8, 2, HALVES, half),
    ("bf16", 2, 2, BRAINS, brain),
    ("bf16", 4, 2, BRAINS, brain),
    ("bf16", 8, 2, BRAINS, brain),
    ("f16x2", 2, 4, HALF_PAIRS, half_pairs),
    ("f16x2", 4, 4, HALF_PAIRS, half_pairs),
    ("bf16x2", 2, 4, BRAIN_PAIRS, brain_pairs),
    ("bf16x2", 4, 4, BRAIN_PAIRS, brain_pairs),
];

fn single(a: u128, b: u128) -> u128 {
    (f32::from_bits(a as u32) + f32::from_bits(b as u32))
        .to_bits()
        .into()
}

fn half_pairs(a: u128, b: u128) -> u128 {
    pairs(a, b, half)
}

fn brain_pairs(a: u128, b: u128) -> u128 {
    pairs(a, b, brain)
}

#[test]
fn each_element_of_a_vector_is_one_step() {
    for &(ty, count, size, operands, add) in VECTORS {
        let (reg, mov) = register(size);
        let rows = |from: usize| {
            (from..from + count)
                .map(|i| format!("%x{i}"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let (load, store): (String, String) = (0..count)
            .map(|e| {
                let at = e * size;
                (
                    format!("ld.global.{mov} %x{e}, [%rd1+{at}]; "),
                    format!("st.global.{mov} [%rd2+{at}], %x{}; ", e + count),
                )
            })
            .unzip();
        let noftz = if ty == "f32" { "" } else { ".noftz" };
        let rig = Rig::new(&format!(
            ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 cell, .param .u64 first, .param .u64 found) {{
            .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .{reg} %x<16>;
            mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r0, %r1, %r2;
            ld.param.u64 %rd0, [cell]; ld.param.u64 %rd1, [first]; ld.param.u64 %rd2, [found];
            mad.wide.u32 %rd1, %r3, {whole}, %rd1; mad.wide.u32 %rd2, %r3, {whole}, %rd2;
            {load}
            atom.global.add{noftz}.v{count}.{ty} {{{}}}, [%rd0], {{{}}};
            red.relaxed.gpu.global.add{noftz}.v{count}.{ty} [%rd0+{whole}], {{{}}};
            {store} ret; }}",
            rows(count), rows(0), rows(0), whole = size * count
        ));
        let threads = 128;
        let first: Vec<u128> = (0..threads * count)
            .map(|i| operands[(i * 5 + i / 7) % operands.len()])
            .collect();
        let cell = rig.buffer(&vec![0u8; 2 * count * size]);
        let found = rig.buffer(&vec![0u8; threads * count * size]);
        let a = rig.buffer(&bytes(&first, size));
        rig.ok("k", 4, 32, &[cell, a, found]);
        let end = values(&rig.read(cell, 2 * count * size), size);
        let found = values(&rig.read(found, threads * count * size), size);
        for e in 0..count {
            let of = || (e..threads * count).step_by(count);
            let edges = of().map(|i| (found[i], add(found[i], first[i])));
            assert!(is_path(0, end[e], edges), "{ty} x {count}, element {e}");
            let all = of().fold(0, |sum, i| add(sum, first[i]));
            assert_eq!(end[count + e], all, "red of {ty} x {count}, element {e}");
        }
    }
}

#[test]
fn extremes_of_halves_are_numbers_and_vectors_are_aligned_as_a_whole() {
    let rig = Rig::new(
        ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 cell) {
        .reg .b64 %rd<2>; .reg .b16 %h<4>;
        ld.param.u64 %rd0, [cell]; mov.b16 %h0, 0x7e00; mov.b16 %h1, 0x4200;
        red.global.min.noftz.v2.f16 [%rd0], {%h0, %h1};
        red.global.max.noftz.v2.bf16 [%rd0+4], {%h1, %h1}; ret; }",
    );
    // 4 and 4; 1 and 100: a NaN loses, 3 is less than 4, 32 (0x4200 as bf16) is more than 1.
    let cell = rig.buffer(&[0x4400u16, 0x4400, 0x3f80, 0x42c8]);
    rig.ok("k", 1, 1, &[cell]);
    assert_eq!(rig.read::<u16>(cell, 4), [0x4400, 0x4200, 0x4200, 0x42c8]);
    let report = rig.fault("k", 1, 1, &[cell + 2]);
    assert!(
        report.contains(
            "4-byte atomic access of global memory at an address that is not a multiple of 4"
        ),
        "{report}"
    );
}

#[test]
fn single_adds_flush_subnormals_in_global_memory_only() {
    // Measured on an H200: 1 + 2 units of the last place give 0 in global memory, 3 in shared.
    let rig = Rig::new(
        ".visible .entry k(.param .u64 cell) { .shared .b32 s; .reg .b64 %rd<2>; .reg .b32 %r<4>;
        ld.param.u64 %rd0, [cell]; mov.b32 %r0, 2; mov.b32 %r1, 1; st.shared.b32 [s], %r1;
        atom.global.add.f32 %r2, [%rd0], %r0; atom.shared.add.f32 %r2, [s], %r0;
        ld.shared.b32 %r3, [s]; st.global.b32 [%rd0+4], %r3; ret; }",
    );
    let cell = rig.buffer(&[1u32, 0]);
    rig.ok("k", 1, 1, &[cell]);
    assert_eq!(rig.read::<u32>(cell, 2), [0, 3]);
}
