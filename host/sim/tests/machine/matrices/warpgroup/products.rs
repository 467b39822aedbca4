//! Every type, layout and source of a matrix.

use lanewise_sim::tensor::{Access, Element, Fill, Interleave, Promotion, Swizzle, TensorMap};

use super::*;

/// One multiplication of 64 by `n` by `k`.
struct Case {
    types: (&'static str, Type, Type),
    n: usize,
    k: usize,
    of_registers: bool,
    layouts: [(usize, bool); 2],
    add: bool,
    signs: [i32; 2],
}

fn product(a: &[i32], b: &[i32], k: usize, (row, column): (usize, usize)) -> i32 {
    (0..k).map(|i| a[row * k + i] * b[column * k + i]).sum()
}

#[track_caller]
fn check(case: &Case) {
    let &Case {
        types: (d_type, at, bt),
        n,
        k,
        of_registers,
        layouts,
        add,
        signs,
    } = case;
    let (a, b) = (matrix(7, 64, k, at), matrix(11, n, k, bt));
    let count = n / if d_type == "f16" { 4 } else { 2 };
    let mut given = Given::new(count);
    let [la, lb] = [(layouts[0], 64, at), (layouts[1], n, bt)]
        .map(|((swizzle, major), lines, ty)| Layout::dense(swizzle, major, lines, k, ty.bytes));
    la.put(&mut given.image, 0, &a, k, at);
    lb.put(&mut given.image, 16384, &b, k, bt);
    given.descriptors = [la.descriptor(0), lb.descriptor(16384)];
    given.a = a_registers(&a, k, at);
    let start = |row: usize, column: usize| (row as i32 * 3 - column as i32) % 50;
    given.d = d_words(d_type, n, start);
    let float = !matches!(d_type, "s32");
    let mut constants = String::new();
    if float {
        constants = format!(", {}, {}", signs[0], signs[1]);
    }
    if at.bytes == 2 {
        if !of_registers {
            constants += if layouts[0].1 { ", 1" } else { ", 0" };
        }
        constants += if layouts[1].1 { ", 1" } else { ", 0" };
    }
    let left = if of_registers {
        "{%a0, %a1, %a2, %a3}"
    } else {
        "%da"
    };
    let instruction = format!(
        "wgmma.mma_async.sync.aligned.m64n{n}k{k}.{d_type}.{}.{}",
        at.name, bt.name
    );
    let body = format!(
        "wgmma.fence.sync.aligned; {instruction} {}, {left}, %db, {}{constants}; {END}",
        registers(count),
        if add { "%p1" } else { "%p2" },
    );
    let got = given.ok(&kernel(count, &body));
    let sign = if float { signs[0] * signs[1] } else { 1 };
    let expected = d_words(d_type, n, |row, column| {
        (if add { start(row, column) } else { 0 }) + sign * product(&a, &b, k, (row, column))
    });
    assert_eq!(
        got, expected,
        "{instruction} registers {of_registers} layouts {layouts:?}"
    );
}

#[test]
fn all_types_from_registers_and_from_shared_memory() {
    let types = [
        ("f16", F16, F16, 16),
        ("f32", F16, F16, 16),
        ("f32", BF16, BF16, 16),
        ("f32", TF32, TF32, 8),
        ("f16", E4M3, E5M2, 32),
        ("f32", E5M2, E4M3, 32),
        ("s32", S8, U8, 32),
        ("s32", U8, S8, 32),
    ];
    for (number, (d, a, b, k)) in types.into_iter().enumerate() {
        for (n, of_registers, swizzle) in [
            (8, false, 0),
            (32, true, 128),
            (96, false, 128),
            (256, number % 2 == 0, 64),
        ] {
            check(&Case {
                types: (d, a, b),
                n,
                k,
                of_registers,
                layouts: [(swizzle, false); 2],
                add: n != 8,
                signs: [1, if n == 96 { -1 } else { 1 }],
            });
        }
    }
}

#[test]
fn every_swizzle_and_major_order() {
    for ty in [F16, BF16] {
        for swizzle in [0, 32, 64, 128] {
            for (a, b) in [(false, false), (true, false), (false, true), (true, true)] {
                check(&Case {
                    types: ("f32", ty, ty),
                    n: 64,
                    k: 16,
                    of_registers: false,
                    layouts: [(swizzle, a), (swizzle, b)],
                    add: true,
                    signs: [-1, 1],
                });
            }
        }
    }
}

#[test]
fn bits_are_counted() {
    let n = 24;
    let word =
        |seed: u32, i: usize| (i as u32 + 1).wrapping_mul(seed).wrapping_mul(0x85eb_ca6b) ^ seed;
    let (a, b): (Vec<u32>, Vec<u32>) = (
        (0..64 * 8).map(|i| word(0x1234_5679, i)).collect(),
        (0..n * 8).map(|i| word(0x0bad_cafe, i)).collect(),
    );
    let mut given = Given::new(n / 2);
    // K-major, no swizzle: 16 bytes are four words.
    for (base, words, lines) in [(0, &a, 64), (16384, &b, n)] {
        for (i, w) in words.iter().enumerate() {
            let (line, k) = (i / 8, i % 8);
            let at = base + line % 8 * 16 + line / 8 * 128 + k / 4 * (lines * 16) + k % 4 * 4;
            given.image[at..at + 4].copy_from_slice(&w.to_le_bytes());
        }
    }
    let layout = |lines: usize| Layout {
        swizzle: 0,
        mn_major: false,
        leading: lines * 16,
        stride: 128,
    };
    given.descriptors = [layout(64).descriptor(0), layout(n).descriptor(16384)];
    given.d = d_words("s32", n, |r, c| (r * 100 + c) as i32);
    let body = format!(
        "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n{n}k256.s32.b1.b1.and.popc {}, %da, %db, 1; {END}",
        registers(n / 2)
    );
    let got = given.ok(&kernel(n / 2, &body));
    let expected = d_words("s32", n, |r, c| {
        let both: u32 = (0..8)
            .map(|k| (a[r * 8 + k] & b[c * 8 + k]).count_ones())
            .sum();
        (r * 100 + c) as i32 + both as i32
    });
    assert_eq!(got, expected);
}

/// Two of four elements of each row are stored, and two bits for each give its place. Lanes 0 and 1
/// of a quad hold these bits.
#[test]
fn sparse_matrices_are_spread_by_their_metadata() {
    for (ty, k, of_registers, selector) in [
        (F16, 32, false, 0),
        (BF16, 32, true, 1),
        (S8, 64, false, 0),
        (E4M3, 64, true, 0),
    ] {
        let n = 16;
        let d_type = if ty.name == "s8" { "s32" } else { "f32" };
        let (stored, b) = (matrix(5, 64, k / 2, ty), matrix(11, n, k, ty));
        let mut full = vec![0; 64 * k];
        let mut nibbles = vec![0u32; 64 * k / 4];
        for row in 0..64 {
            for chunk in 0..k / 4 {
                let [first, second] =
                    [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]][(row * 5 + chunk * 3) % 6];
                full[row * k + chunk * 4 + first] = stored[row * k / 2 + chunk * 2];
                full[row * k + chunk * 4 + second] = stored[row * k / 2 + chunk * 2 + 1];
                nibbles[row * k / 4 + chunk] = (first | second << 2) as u32;
            }
        }
        let mut given = Given::new(n / 2);
        // As for `mma.sp`: with 16 bits a register is half of a row and half of the row eight
        // below, with 8 bits it is of one row.
        for row in 0..64 {
            for chunk in 0..k / 4 {
                let (warp, r) = (row / 16, row % 16);
                let (lane, bit) = if ty.bytes == 2 {
                    (
                        r % 8 * 4 + selector * 2 + chunk / 4,
                        r / 8 * 16 + chunk % 4 * 4,
                    )
                } else {
                    (r % 8 * 4 + r / 8 + chunk / 8 * 2, chunk % 8 * 4)
                };
                given.meta[warp * 32 + lane] |= nibbles[row * k / 4 + chunk] << bit;
            }
        }
        let (la, lb) = (
            Layout::dense(0, false, 64, k / 2, ty.bytes),
            Layout::dense(64, false, n, k, ty.bytes),
        );
        la.put(&mut given.image, 0, &stored, k / 2, ty);
        lb.put(&mut given.image, 16384, &b, k, ty);
        given.descriptors = [la.descriptor(0), lb.descriptor(16384)];
        given.a = a_registers(&stored, k / 2, ty);
        let constants = match (ty.name, of_registers) {
            ("s8", _) => "",
            ("e4m3", _) => ", 1, 1",
            (_, true) => ", 1, 1, 0",
            _ => ", 1, 1, 0, 0",
        };
        let left = if of_registers {
            "{%a0, %a1, %a2, %a3}"
        } else {
            "%da"
        };
        let body = format!(
            "wgmma.fence.sync.aligned; wgmma.mma_async.sp.sync.aligned.m64n{n}k{k}.{d_type}.{0}.{0} {1}, {left}, %db, %m, {selector}, %p2{constants}; {END}",
            ty.name,
            registers(n / 2)
        );
        let got = given.ok(&kernel(n / 2, &body));
        let expected = d_words(d_type, n, |r, c| product(&full, &b, k, (r, c)));
        assert_eq!(got, expected, "{} registers {of_registers}", ty.name);
    }
}

/// A depth of 64 in four steps along swizzled rows, as real multiplications do it: the descriptors
/// of each step start 32 bytes further.
const STEPS: &str = "wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 D, %da, %db, %p2, 1, 1, 0, 0; add.u64 %da, %da, 2; add.u64 %db, %db, 2;
    wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 D, %da, %db, %p1, 1, 1, 0, 0; add.u64 %da, %da, 2; add.u64 %db, %db, 2;
    wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 D, %da, %db, %p1, 1, 1, 0, 0; add.u64 %da, %da, 2; add.u64 %db, %db, 2;
    wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 D, %da, %db, %p1, 1, 1, 0, 0;
    wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;";

fn steps() -> String {
    STEPS.replace(" D,", &format!(" {},", registers(32)))
}

#[test]
fn steps_along_k_stay_in_the_swizzled_rows() {
    let (a, b) = (matrix(3, 64, 64, BF16), matrix(9, 64, 64, BF16));
    let layout = Layout {
        swizzle: 128,
        mn_major: false,
        leading: 16,
        stride: 1024,
    };
    for base in [0, 3] {
        let mut given = Given::new(32);
        // A pattern that starts at another line is written and read from there.
        let from = base * 128;
        for (at, values) in [(0, &a), (16384, &b)] {
            for (i, &value) in values.iter().enumerate() {
                let place = at + from + shuffled(128, layout.offset(i / 64, i % 64, 2));
                given.image[place..place + 2]
                    .copy_from_slice(&bf16::from_f32(value as f32).to_bits().to_le_bytes());
            }
        }
        let base = (base as u64) << 49;
        given.descriptors = [
            layout.descriptor(from) | base,
            layout.descriptor(16384 + from) | base,
        ];
        let got = given.ok(&kernel(32, &steps()));
        assert_eq!(
            got,
            d_words("f32", 64, |r, c| product(&a, &b, 64, (r, c))),
            "base {base:#x}"
        );
    }
}

/// `wgmma` reads data that TMA has swizzled.
#[test]
fn boxes_of_tensors_are_multiplied() {
    let (a, b) = (matrix(3, 64, 64, BF16), matrix(9, 64, 64, BF16));
    let body = format!(
        "mov.u64 %rd10, ma; cvta.param.u64 %rd10, %rd10; mov.u64 %rd11, mb; cvta.param.u64 %rd11, %rd11; mov.u64 %rd17, bar; mov.u32 %x0, 0;
        setp.eq.u32 %p3, %r0, 0; @%p3 mbarrier.init.shared.b64 [%rd17], 1; fence.proxy.async.shared::cta; bar.sync 0;
        @%p3 mbarrier.arrive.expect_tx.shared.b64 _, [%rd17], 16384;
        @%p3 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%rd4], [%rd10, {{%x0, %x0}}], [%rd17];
        @%p3 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%rd4+8192], [%rd11, {{%x0, %x0}}], [%rd17];
    W:  mbarrier.try_wait.parity.shared.b64 %p0, [%rd17], 0; @!%p0 bra W; {}",
        steps()
    );
    let text = kernel(32, &body)
        .replace(
            ".param .u64 bdesc)",
            ".param .u64 bdesc, .param .align 64 .b8 ma[128], .param .align 64 .b8 mb[128])",
        )
        .replace(
            &format!("s[{SHARED}];"),
            &format!("s[{SHARED}]; .shared .align 8 .b64 bar;"),
        );
    let rig = Rig::new(&text);
    let map = |values: &[i32]| {
        let words: Vec<u16> = values
            .iter()
            .map(|&v| bf16::from_f32(v as f32).to_bits())
            .collect();
        TensorMap {
            element: Element::Bf16,
            rank: 2,
            address: rig.buffer_aligned(&words, 16),
            size: [64, 64, 1, 1, 1],
            strides: [128, 0, 0, 0],
            steps: [1; 5],
            access: Access::Tiled([64, 64, 1, 1, 1]),
            interleave: Interleave::None,
            swizzle: Swizzle::B128,
            promotion: Promotion::None,
            fill: Fill::Zero,
        }
    };
    let layout = Layout {
        swizzle: 128,
        mn_major: false,
        leading: 16,
        stride: 1024,
    };
    let d = rig.buffer(&[0u32; 128 * 32]);
    let words = [
        rig.buffer_aligned(&[0u8; SHARED], 16),
        d,
        rig.buffer_aligned(&[0u32; 512], 16),
        rig.buffer(&[0u32; 128]),
        layout.descriptor(0),
        layout.descriptor(8192),
    ];
    let mut params: Vec<u8> = words.iter().flat_map(|p| p.to_le_bytes()).collect();
    params.resize(64, 0);
    params.extend(map(&a).encode());
    params.extend(map(&b).encode());
    let launch = Launch {
        checks: Checks::all(),
        ..Launch::new("k", [1, 1, 1], [128, 1, 1], &params)
    };
    let report = rig
        .device
        .launch(&rig.instance, &launch)
        .unwrap_or_else(|fault| panic!("{fault}"));
    assert!(report.findings.is_empty(), "{}", report.findings[0]);
    assert_eq!(
        rig.read::<u32>(d, 128 * 32),
        d_words("f32", 64, |r, c| product(&a, &b, 64, (r, c)))
    );
}

#[test]
fn sums_clamp_where_they_are_told_to() {
    for (word, expected) in [(".satfinite", i32::MAX), ("", i32::MIN + 32 * 4 - 2)] {
        let mut given = Given::new(4);
        let (la, lb) = (
            Layout::dense(0, false, 64, 32, 1),
            Layout::dense(0, false, 8, 32, 1),
        );
        la.put(&mut given.image, 0, &[2; 64 * 32], 32, S8);
        lb.put(&mut given.image, 16384, &[2; 8 * 32], 32, S8);
        given.descriptors = [la.descriptor(0), lb.descriptor(16384)];
        given.d = vec![(i32::MAX - 1) as u32; 512];
        let body = format!(
            "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k32{word}.s32.s8.s8 {}, %da, %db, %p1; {END}",
            registers(4)
        );
        assert_eq!(
            given.ok(&kernel(4, &body)),
            vec![expected as u32; 512],
            "{word}"
        );
    }
}
