//! `ldmatrix`, `stmatrix`, `movmatrix`: 8 by 8 matrices of halves between shared
//! memory and fragments.
//!
//! PTX ISA 9.7.14.5: lane l holds elements (l / 4, 2 (l % 4)) and its right neighbour, and with
//! `.trans` those of the transposed matrix; lane 8 m + r has the address of row r of matrix m.

use lanewise_sim::Launch;

use crate::common::Rig;

/// A kernel that fills shared memory of 4 KiB from global memory, runs one instruction, and stores
/// it back. `{space}` may be `.shared` or nothing.
fn kernel(instruction: &str, space: &str) -> String {
    let generic = if space.is_empty() {
        "cvta.shared.u64 %rd4, %rd4;"
    } else {
        ""
    };
    format!(
        ".version 8.8\n.target sm_90\n.address_size 64\n
        .visible .entry k(.param .u64 data, .param .u64 offsets, .param .u64 registers) {{
        .shared .align 16 .b8 s[4096]; .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .b32 %f<4>; .reg .pred %p<2>;
        ld.param.u64 %rd0, [data]; ld.param.u64 %rd1, [offsets]; ld.param.u64 %rd2, [registers];
        mov.u32 %r0, %laneid; mov.u64 %rd3, s; mul.wide.u32 %rd5, %r0, 4; mov.u32 %r1, 0;
        add.u64 %rd1, %rd1, %rd5; add.u64 %rd2, %rd2, %rd5; add.u64 %rd0, %rd0, %rd5; add.u64 %rd6, %rd3, %rd5;
    IN: ld.global.b32 %r2, [%rd0]; st.shared.b32 [%rd6], %r2; add.u64 %rd0, %rd0, 128; add.u64 %rd6, %rd6, 128;
        add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 32; @%p0 bra IN; bar.sync 0;
        ld.global.u32 %r3, [%rd1]; cvt.u64.u32 %rd4, %r3; add.u64 %rd4, %rd4, %rd3; {generic}
        ld.global.b32 %f0, [%rd2]; ld.global.b32 %f1, [%rd2+128]; ld.global.b32 %f2, [%rd2+256]; ld.global.b32 %f3, [%rd2+384];
        {instruction}
        bar.sync 0; st.global.b32 [%rd2], %f0; st.global.b32 [%rd2+128], %f1; st.global.b32 [%rd2+256], %f2; st.global.b32 [%rd2+384], %f3;
    OUT: sub.u64 %rd0, %rd0, 128; sub.u64 %rd6, %rd6, 128; ld.shared.b32 %r2, [%rd6]; st.global.b32 [%rd0], %r2;
        sub.u32 %r1, %r1, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra OUT; ret; }}"
    )
}

/// Offsets of 32 rows, none overlapping, in no order.
fn offsets() -> Vec<u32> {
    (0..32)
        .map(|lane| (lane * 23 + 5) % 32 * 128 + (lane * 3 % 8) * 16)
        .collect()
}

/// Row and column of half `half` of a lane's register.
fn place(lane: usize, half: usize, trans: bool) -> (usize, usize) {
    let (row, column) = (lane / 4, lane % 4 * 2 + half);
    if trans { (column, row) } else { (row, column) }
}

/// All forms: number of matrices, `.trans`, space.
fn forms() -> impl Iterator<Item = (usize, bool, &'static str)> {
    let counts = [1, 2, 4].into_iter();
    counts
        .flat_map(|n| [false, true].map(|t| (n, t)))
        .flat_map(|(n, t)| ["", ".shared", ".shared::cta"].map(|s| (n, t, s)))
}

fn list(count: usize) -> &'static str {
    ["{%f0}", "{%f0, %f1}", "", "{%f0, %f1, %f2, %f3}"][count - 1]
}

#[test]
fn ldmatrix_gives_each_lane_two_neighbours_of_a_row() {
    let data: Vec<u16> = (0..2048).map(|i| (i * 31 + 7) as u16).collect();
    for (count, trans, space) in forms() {
        let trans_word = if trans { ".trans" } else { "" };
        let instruction = format!(
            "ldmatrix.sync.aligned.m8n8.x{count}{trans_word}{space}.b16 {}, [%rd4];",
            list(count)
        );
        let rig = Rig::new(&kernel(&instruction, space));
        let before = vec![0xdead_beefu32; 128];
        let (d, o, r) = (
            rig.buffer(&data),
            rig.buffer(&offsets()),
            rig.buffer(&before),
        );
        rig.ok("k", 1, 32, &[d, o, r]);
        let registers: Vec<u32> = rig.read(r, 128);
        for matrix in 0..4 {
            for lane in 0..32 {
                let element = |half| {
                    let (row, column) = place(lane, half, trans);
                    u32::from(data[offsets()[matrix * 8 + row] as usize / 2 + column])
                };
                let expected = if matrix < count {
                    element(1) << 16 | element(0)
                } else {
                    0xdead_beef
                };
                assert_eq!(
                    registers[matrix * 32 + lane],
                    expected,
                    "{instruction} matrix {matrix} lane {lane}"
                );
            }
        }
        assert_eq!(rig.read::<u16>(d, 2048), data, "a load writes nothing");
    }
}

#[test]
fn stmatrix_takes_from_each_lane_two_neighbours_of_a_row() {
    let fragments: Vec<u32> = (0..128u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    for (count, trans, space) in forms() {
        let trans_word = if trans { ".trans" } else { "" };
        let instruction = format!(
            "stmatrix.sync.aligned.m8n8.x{count}{trans_word}{space}.b16 [%rd4], {};",
            list(count)
        );
        let rig = Rig::new(&kernel(&instruction, space));
        let mut expected = vec![0x1111u16; 2048];
        let (d, o, r) = (
            rig.buffer(&expected),
            rig.buffer(&offsets()),
            rig.buffer(&fragments),
        );
        rig.ok("k", 1, 32, &[d, o, r]);
        for matrix in 0..count {
            for lane in 0..32 {
                for half in 0..2 {
                    let (row, column) = place(lane, half, trans);
                    expected[offsets()[matrix * 8 + row] as usize / 2 + column] =
                        (fragments[matrix * 32 + lane] >> (16 * half)) as u16;
                }
            }
        }
        assert_eq!(rig.read::<u16>(d, 2048), expected, "{instruction}");
    }
}

#[test]
fn movmatrix_transposes() {
    let rig = Rig::new(&kernel(
        "movmatrix.sync.aligned.m8n8.trans.b16 %f1, %f0;",
        ".shared",
    ));
    let fragments: Vec<u32> = (0..128u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let (d, o, r) = (
        rig.buffer(&[0u16; 2048]),
        rig.buffer(&offsets()),
        rig.buffer(&fragments),
    );
    rig.ok("k", 1, 32, &[d, o, r]);
    let mut matrix = [[0u16; 8]; 8];
    for lane in 0..32 {
        for half in 0..2 {
            let (row, column) = place(lane, half, false);
            matrix[column][row] = (fragments[lane] >> (16 * half)) as u16;
        }
    }
    let registers: Vec<u32> = rig.read(r + 128, 32);
    for (lane, register) in registers.into_iter().enumerate() {
        let (row, column) = place(lane, 0, false);
        assert_eq!(
            register,
            u32::from(matrix[row][column + 1]) << 16 | u32::from(matrix[row][column]),
            "lane {lane}"
        );
    }
}

#[test]
fn rows_lie_in_shared_memory_and_are_aligned() {
    let run = |instruction: &str, space: &str, offset: u32| {
        let rig = Rig::new(&kernel(instruction, space));
        let mut all = offsets();
        all[9] = offset;
        let (d, o, r) = (
            rig.buffer(&[0u16; 2048]),
            rig.buffer(&all),
            rig.buffer(&[0u32; 128]),
        );
        rig.run("k", 1, 32, &[d, o, r])
            .map_err(|fault| fault.to_string())
    };
    let x1 = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%f0}, [%rd4];";
    let x2 = "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%f0, %f1}, [%rd4];";
    assert!(
        run(x1, ".shared", 3).is_ok(),
        "lane 9 names no row of one matrix"
    );
    let report = run(x2, ".shared", 8).expect_err("not aligned");
    assert!(
        report.contains("16-byte read of shared memory at an address that is not a multiple of 16"),
        "{report}"
    );
    assert!(report.contains("thread (9,0,0)"), "{report}");
    let report = run(x2, ".shared", 4096).expect_err("outside");
    assert!(
        report.contains("16-byte read outside of shared memory"),
        "{report}"
    );
    let global = "ld.param.u64 %rd4, [data]; ldmatrix.sync.aligned.m8n8.x1.b16 {%f0}, [%rd4];";
    let report = run(global, "", 0).expect_err("global");
    assert!(
        report.contains("is no generic address of shared memory"),
        "{report}"
    );
}

#[test]
fn wavefronts_are_those_of_an_h200() {
    // As an H200 counts (driver 580, 2026-11-21): ldmatrix.x4 with rows 16, 128 and
    // 144 bytes apart.
    for (apart, wavefronts, conflicts) in [(16, 4, 0), (128, 32, 28), (144, 4, 0)] {
        let rig = Rig::new(&format!(
            ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k() {{
            .shared .align 128 .b8 s[8192]; .reg .b64 %rd<4>; .reg .b32 %r<8>;
            mov.u32 %r0, %laneid; mov.u64 %rd0, s; mad.wide.u32 %rd0, %r0, {apart}, %rd0;
            ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%r1, %r2, %r3, %r4}}, [%rd0]; ret; }}"
        ));
        let launch = Launch {
            count: true,
            ..Launch::new("k", [1; 3], [32, 1, 1], &[])
        };
        let report = rig
            .device
            .launch(&rig.instance, &launch)
            .unwrap_or_else(|fault| panic!("{fault}"));
        let loads = report.counters.expect("counted").shared_loads;
        assert_eq!(
            (loads.requests, loads.wavefronts, loads.conflicts),
            (1, wavefronts, conflicts),
            "{apart}"
        );
    }
}

/// Bits `at` to `at + width` of a row.
fn element(row: &[u8], at: usize, width: usize) -> u8 {
    (0..width).fold(0, |v, bit| {
        v | (row[(at + bit) / 8] >> ((at + bit) % 8) & 1) << bit
    })
}

#[test]
fn bytes_and_what_is_narrower_come_as_bytes() {
    let data: Vec<u8> = (0..4096).map(|i| (i * 31 + i / 16 * 7) as u8).collect();
    for (shape, registers) in [
        ("m8n16.x1", 1),
        ("m8n16.x2", 2),
        ("m8n16.x4", 4),
        ("m16n16.x1.trans", 2),
        ("m16n16.x2.trans", 4),
    ] {
        let trans = shape.contains("trans");
        for (ty, width) in [("b8", 8), ("b8x16.b6x16_p32", 6), ("b8x16.b4x16_p64", 4)] {
            if ty == "b8" && !trans {
                continue;
            }
            for space in ["", ".shared", ".shared::cta"] {
                let instruction = format!(
                    "ldmatrix.sync.aligned.{shape}{space}.{ty} {}, [%rd4];",
                    list(registers)
                );
                let text = kernel(&instruction, space).replace("sm_90", "sm_100a");
                let rig = Rig::on(lanewise_sim::DeviceModel::b200(), &text);
                let (d, o, r) = (
                    rig.buffer(&data),
                    rig.buffer(&offsets()),
                    rig.buffer(&[0u32; 128]),
                );
                rig.ok("k", 1, 32, &[d, o, r]);
                let got: Vec<u32> = rig.read(r, registers * 32);
                let row = |lane: usize| &data[offsets()[lane] as usize..][..16];
                for (place, got) in got.into_iter().enumerate() {
                    let (register, group, thread) = (place / 32, place % 32 / 4, place % 4);
                    for (i, got) in got.to_le_bytes().into_iter().enumerate() {
                        // By rows: the group is the row. Transposed: it is the column, eight
                        // further in odd registers.
                        let (lane, column) = match trans {
                            false => (register * 8 + group, thread * 4 + i),
                            true => (register / 2 * 16 + thread * 4 + i, group + register % 2 * 8),
                        };
                        assert_eq!(
                            got,
                            element(row(lane), column * width, width),
                            "{instruction} {place} byte {i}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn bytes_are_stored_by_columns() {
    let fragments: Vec<u32> = (0..128u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    for count in [1, 2, 4] {
        let instruction = format!(
            "stmatrix.sync.aligned.m16n8.x{count}.trans.shared.b8 [%rd4], {};",
            list(count)
        );
        let text = kernel(&instruction, ".shared").replace("sm_90", "sm_100a");
        let rig = Rig::on(lanewise_sim::DeviceModel::b200(), &text);
        let mut expected = vec![0x11u8; 4096];
        let (d, o, r) = (
            rig.buffer(&expected),
            rig.buffer(&offsets()),
            rig.buffer(&fragments),
        );
        rig.ok("k", 1, 32, &[d, o, r]);
        for place in 0..count * 32 {
            let (matrix, group, thread) = (place / 32, place % 32 / 4, place % 4);
            for (i, byte) in fragments[place].to_le_bytes().into_iter().enumerate() {
                // As in an accumulator: a pair of columns of row `group`, then of the
                // row eight below.
                let (row, column) = (group + i / 2 * 8, thread * 2 + i % 2);
                expected[offsets()[matrix * 8 + column] as usize + row] = byte;
            }
        }
        assert_eq!(rig.read::<u8>(d, 4096), expected, "{instruction}");
    }
}
