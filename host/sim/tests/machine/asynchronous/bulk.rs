//! `cp.async.bulk`, `cp.reduce.async.bulk`, `st.async`, `red.async`.

use half::{bf16, f16};
use lanewise_sim::{Checks, DeviceModel, Launch, Report};

use crate::common::Rig;

const HEAD: &str = ".version 8.8\n.target sm_100a\n.address_size 64\n
    .visible .entry k(.param .u64 from, .param .u64 out) {
    .shared .align 128 .b8 s[1024]; .shared .align 128 .b8 t[1024]; .shared .align 8 .b64 bar;
    .reg .b64 %rd<16>; .reg .b32 %r<12>; .reg .pred %p<4>; .reg .b16 %h<4>;
    ld.param.u64 %rd0, [from]; ld.param.u64 %rd1, [out]; mov.u64 %rd2, s; mov.u64 %rd3, t; mov.u64 %rd4, bar;
    mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 0; mul.wide.u32 %rd5, %r0, 4; add.u64 %rd6, %rd2, %rd5; add.u64 %rd7, %rd3, %rd5;
    add.u64 %rd8, %rd0, %rd5; add.u64 %rd9, %rd1, %rd5; mov.u32 %r1, %cluster_ctarank;
    @%p0 mbarrier.init.shared.b64 [%rd4], 1; @%p0 fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;
    barrier.cluster.arrive; barrier.cluster.wait;\n";

/// Waits for phase 0.
const WAIT: &str = "WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%rd4], 0; @!%p1 bra WAIT;\n";

fn launch(rig: &Rig, cluster: u32, blocks: u32, threads: u32, params: [u64; 2]) -> Report {
    let params: Vec<u8> = params.iter().flat_map(|p| p.to_le_bytes()).collect();
    let launch = Launch {
        cluster: [cluster, 1, 1],
        checks: Checks::all(),
        ..Launch::new("k", [blocks, 1, 1], [threads, 1, 1], &params)
    };
    rig.device
        .launch(&rig.instance, &launch)
        .unwrap_or_else(|fault| panic!("{fault}"))
}

fn words(n: u32) -> Vec<u32> {
    (0..n).map(|i| i.wrapping_mul(0x9e37_79b9) + 1).collect()
}

fn rig(body: &str) -> Rig {
    Rig::on(DeviceModel::b200(), &format!("{HEAD}{body} ret; }}"))
}

#[track_caller]
fn clean(report: &Report) {
    assert!(report.findings.is_empty(), "{}", report.findings[0]);
}

/// Each side of a copy is compared with the array that its own address is computed from. `s` ends
/// where `t` begins, so all of these accesses stay inside the block's shared memory.
#[test]
fn both_sides_of_a_copy_stay_inside_their_arrays() {
    let signals = |copy: &str, bytes: u32| {
        format!(
            "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%rd4], {bytes}; @%p0 {copy};\n{WAIT}"
        )
    };
    let group = |copy: &str| {
        format!("@%p0 {copy}; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n")
    };
    let brings = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
    let stores = "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32";
    let adds = "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32";
    let takes = "cp.async.bulk.global.shared::cta.bulk_group";
    // The places of 32 and of 4 bytes.
    for (is_outside, wide, word) in [(false, 992, 1020), (true, 1008, 1024)] {
        let brings = format!("{brings} [%rd2+{wide}], [%rd0], 32, [%rd4]");
        let cases = [
            ("write", signals(&brings, 32)),
            ("read", group(&format!("{takes} [%rd1], [%rd2+{wide}], 32"))),
            (
                "write",
                signals(&format!("{stores} [%rd2+{word}], 7, [%rd4]"), 4),
            ),
            (
                "write",
                signals(&format!("{adds} [%rd2+{word}], 7, [%rd4]"), 4),
            ),
        ];
        for (access, body) in cases {
            // All of `s` and `t` is written, so that no other check has something to say.
            let written =
                "@%p0 st.bulk.weak.shared::cta [%rd2], 2048, 0; fence.proxy.async.shared::cta;\n";
            let rig = rig(&format!("{written}{body}"));
            let (from, out) = (rig.buffer(&words(128)), rig.buffer(&[0u32; 128]));
            let report = launch(&rig, 1, 1, 1, [from, out]);
            let found: Vec<_> = report
                .findings
                .iter()
                .map(|it| it.report.what.as_str())
                .collect();
            let outside = format!("asynchronous {access} of shared memory outside of its array");
            match is_outside {
                true => assert!(
                    matches!(found[..], [it] if it.ends_with(&outside)),
                    "{body}: {found:?}"
                ),
                false => assert!(found.is_empty(), "{body}: {found:?}"),
            }
        }
    }
}

#[test]
fn global_memory_comes_to_shared() {
    for space in ["shared::cluster", "shared::cta"] {
        for (hint, policy) in [("", ""), (".L2::cache_hint", ", %rd10")] {
            let rig = rig(&format!(
                "mov.b64 %rd10, 0; @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%rd4], 512;
                @%p0 cp.async.bulk.prefetch.L2.global [%rd0], 512;
                @%p0 cp.async.bulk.{space}.global.mbarrier::complete_tx::bytes{hint} [%rd2], [%rd0], 512, [%rd4]{policy};
                {WAIT} ld.shared.u32 %r2, [%rd6]; st.global.u32 [%rd9], %r2;"
            ));
            let (from, out) = (rig.buffer(&words(128)), rig.buffer(&[0u32; 128]));
            clean(&launch(&rig, 1, 1, 128, [from, out]));
            assert_eq!(rig.read::<u32>(out, 128), words(128));
        }
    }
}

#[test]
fn bytes_are_not_there_before_the_wait() {
    let rig = rig(
        "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%rd4], 128;
        @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%rd2], [%rd0], 128, [%rd4];
        bar.sync 0; ld.shared.u32 %r2, [%rd6]; st.global.u32 [%rd9], %r2;",
    );
    let (from, out) = (rig.buffer(&words(32)), rig.buffer(&[9u32; 32]));
    let report = launch(&rig, 1, 1, 32, [from, out]);
    assert_eq!(rig.read::<u32>(out, 32), [0; 32]);
    let text = report.findings[0].to_string();
    assert!(
        text.contains("an unfinished asynchronous write and a read of shared memory"),
        "{text}"
    );
}

#[test]
fn a_multicast_reaches_the_blocks_it_names() {
    let rig = rig(
        "setp.eq.u32 %p2, %r1, 0; mov.b16 %h0, 0xd; setp.ne.u32 %p3, %r1, 1;
        @%p0 mbarrier.arrive.shared.b64 %rd10, [%rd4];
        // Blocks 0, 2 and 3 expect the bytes, which block 0 sends to all of them.
        @!%p3 bra OUT; and.pred %p1, %p0, %p2;
        @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%rd2], [%rd0], 128, [%rd4], %h0;
    OUT: barrier.cluster.arrive; barrier.cluster.wait; @!%p3 bra READ;
        @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%rd4], 128;
    WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%rd4], 1; @!%p1 bra WAIT;
    READ: mov.u32 %r3, %ctaid.x; mul.wide.u32 %rd11, %r3, 128; add.u64 %rd9, %rd9, %rd11;
        ld.shared.u32 %r2, [%rd6]; st.global.u32 [%rd9], %r2;",
    );
    let (from, out) = (rig.buffer(&words(32)), rig.buffer(&[9u32; 128]));
    launch(&rig, 4, 4, 32, [from, out]);
    for (block, got) in rig.read::<u32>(out, 128).chunks(32).enumerate() {
        let expected = if block == 1 { vec![0; 32] } else { words(32) };
        assert_eq!(got, expected, "block {block}");
    }
}

#[test]
fn shared_memory_goes_to_another_block() {
    let rig = rig(&format!(
        "ld.global.u32 %r2, [%rd8]; mov.u32 %r3, %ctaid.x; add.u32 %r2, %r2, %r3; st.shared.u32 [%rd6], %r2;
        fence.proxy.async.shared::cta; bar.sync 0; xor.b32 %r4, %r1, 1;
        mapa.shared::cluster.u64 %rd10, %rd3, %r4; mapa.shared::cluster.u64 %rd11, %rd4, %r4;
        @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%rd4], 256;
        @%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%rd10], [%rd2], 256, [%rd11];
        {WAIT} ld.shared.u32 %r2, [%rd7]; mul.wide.u32 %rd12, %r3, 256; add.u64 %rd9, %rd9, %rd12; st.global.u32 [%rd9], %r2;
        barrier.cluster.arrive; barrier.cluster.wait;"
    ));
    let (from, out) = (rig.buffer(&words(64)), rig.buffer(&[0u32; 256]));
    clean(&launch(&rig, 2, 4, 64, [from, out]));
    for (block, got) in rig.read::<u32>(out, 256).chunks(64).enumerate() {
        let expected: Vec<u32> = words(64).iter().map(|w| w + (block as u32 ^ 1)).collect();
        assert_eq!(got, expected, "block {block}");
    }
}

/// Shared words go out in two groups; `wait` stands before the first source word is overwritten.
fn out_in_groups(wait: &str) -> Vec<u32> {
    let rig = rig(&format!(
        "ld.global.u32 %r2, [%rd8]; st.shared.u32 [%rd6], %r2; fence.proxy.async.shared::cta; bar.sync 0;
        @%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%rd2], 64; @%p0 cp.async.bulk.commit_group;
        @%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd1+64], [%rd2+64], 64; @%p0 cp.async.bulk.commit_group;
        {wait} mov.b32 %r3, 5; @%p0 st.shared.u32 [%rd2], %r3; @%p0 st.shared.u32 [%rd2+64], %r3;"
    ));
    let (from, out) = (rig.buffer(&words(32)), rig.buffer(&[0u32; 32]));
    let params: Vec<u8> = [from, out]
        .iter()
        .flat_map(|p: &u64| p.to_le_bytes())
        .collect();
    rig.device
        .launch(
            &rig.instance,
            &Launch::new("k", [1; 3], [32, 1, 1], &params),
        )
        .unwrap_or_else(|fault| panic!("{fault}"));
    rig.read(out, 32)
}

#[test]
fn groups_read_their_sources_when_they_are_waited_for() {
    let with = |at: &[usize]| {
        let mut expected = words(32);
        at.iter().for_each(|&i| expected[i] = 5);
        expected
    };
    assert_eq!(out_in_groups("cp.async.bulk.wait_group 0;"), with(&[]));
    assert_eq!(out_in_groups("cp.async.bulk.wait_group.read 0;"), with(&[]));
    assert_eq!(
        out_in_groups("cp.async.bulk.wait_group.read 1;"),
        with(&[16]),
        "the second may not be read yet"
    );
    assert_eq!(out_in_groups("cp.async.bulk.wait_group 1;"), with(&[16]));
    assert_eq!(out_in_groups(""), with(&[0, 16]));
}

#[test]
fn overwriting_a_source_too_early_is_a_race() {
    let body = |wait: &str| {
        format!(
            "ld.global.u32 %r2, [%rd8]; st.shared.u32 [%rd6], %r2; fence.proxy.async.shared::cta; bar.sync 0;
            @%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%rd2], 128; @%p0 cp.async.bulk.commit_group;
            {wait} bar.sync 0; st.shared.u32 [%rd6], %r0;"
        )
    };
    for (wait, races) in [
        ("", true),
        ("@%p0 cp.async.bulk.wait_group.read 0;", false),
        ("@%p0 cp.async.bulk.wait_group 0;", false),
    ] {
        let rig = rig(&body(wait));
        let (from, out) = (rig.buffer(&words(32)), rig.buffer(&[0u32; 32]));
        let report = launch(&rig, 1, 1, 32, [from, out]);
        assert_eq!(!report.findings.is_empty(), races, "{wait}");
    }
}

#[test]
fn a_mask_picks_bytes_of_each_sixteen() {
    let rig = rig(
        "ld.global.u32 %r2, [%rd8]; st.shared.u32 [%rd6], %r2; fence.proxy.async.shared::cta; bar.sync 0; mov.b16 %h0, 0x8421;
        @%p0 cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%rd2], 64, %h0; @%p0 cp.async.bulk.commit_group;
        cp.async.bulk.wait_group 0;",
    );
    let (from, out) = (rig.buffer(&words(32)), rig.buffer(&[0xffu8; 128]));
    clean(&launch(&rig, 1, 1, 32, [from, out]));
    let all: Vec<u8> = words(32).iter().flat_map(|w| w.to_le_bytes()).collect();
    for (i, (got, all)) in rig.read::<u8>(out, 128).into_iter().zip(all).enumerate() {
        let moves = i < 64 && 0x8421 >> (i % 16) & 1 == 1;
        assert_eq!(got, if moves { all } else { 0xff }, "byte {i}");
    }
}

/// A reduction: operation, type, bytes of an element, operands in memory, and its meaning.
type Case = (
    &'static str,
    &'static str,
    usize,
    [u64; 4],
    fn(u64, u64) -> u64,
);

const SINGLES: [u64; 4] = [0x3f80_0000, 0x4000_0000, 0xbf80_0000, 0x3f00_0000];
const LONGS: [u64; 4] = [1, u64::MAX, 1 << 63, 77];
const HALVES: [u64; 4] = [0x3c00, 0x4000, 0xbc00, 0x3800];
const BRAINS: [u64; 4] = [0x3f80, 0x4000, 0xbf80, 0x3f00];

fn half(a: u64, b: u64, f: fn(f32, f32) -> f32) -> u64 {
    f16::from_f32(f(
        f16::from_bits(a as u16).to_f32(),
        f16::from_bits(b as u16).to_f32(),
    ))
    .to_bits()
    .into()
}

fn brain(a: u64, b: u64, f: fn(f32, f32) -> f32) -> u64 {
    bf16::from_f32(f(
        bf16::from_bits(a as u16).to_f32(),
        bf16::from_bits(b as u16).to_f32(),
    ))
    .to_bits()
    .into()
}

const GLOBAL: &[Case] = &[
    ("and", "b32", 4, SINGLES, |a, b| a & b),
    ("or", "b32", 4, SINGLES, |a, b| a | b),
    ("xor", "b64", 8, LONGS, |a, b| a ^ b),
    ("and", "b64", 8, LONGS, |a, b| a & b),
    ("inc", "u32", 4, [3, 0, 9, 2], |a, b| {
        if a >= b { 0 } else { a + 1 }
    }),
    ("dec", "u32", 4, [3, 0, 9, 2], |a, b| {
        if a == 0 || a > b { b } else { a - 1 }
    }),
    ("add", "u32", 4, SINGLES, |a, b| (a + b) & 0xffff_ffff),
    ("min", "s32", 4, SINGLES, |a, b| {
        (a as i32).min(b as i32) as u32 as u64
    }),
    ("max", "u32", 4, SINGLES, |a, b| a.max(b)),
    ("add", "u64", 8, LONGS, |a, b| a.wrapping_add(b)),
    ("min", "u64", 8, LONGS, |a, b| a.min(b)),
    ("max", "s64", 8, LONGS, |a, b| {
        (a as i64).max(b as i64) as u64
    }),
    ("min", "s64", 8, LONGS, |a, b| {
        (a as i64).min(b as i64) as u64
    }),
    ("add", "f32", 4, SINGLES, |a, b| {
        (f32::from_bits(a as u32) + f32::from_bits(b as u32))
            .to_bits()
            .into()
    }),
    (
        "add",
        "f64",
        8,
        [0x3ff0 << 48, 0x4000 << 48, 0, 0xbff0 << 48],
        |a, b| (f64::from_bits(a) + f64::from_bits(b)).to_bits(),
    ),
    ("add.noftz", "f16", 2, HALVES, |a, b| {
        half(a, b, |a, b| a + b)
    }),
    ("add.noftz", "bf16", 2, BRAINS, |a, b| {
        brain(a, b, |a, b| a + b)
    }),
    ("min", "f16", 2, HALVES, |a, b| half(a, b, f32::min)),
    ("max", "f16", 2, HALVES, |a, b| half(a, b, f32::max)),
    ("min", "bf16", 2, BRAINS, |a, b| brain(a, b, f32::min)),
    ("max", "bf16", 2, BRAINS, |a, b| brain(a, b, f32::max)),
];

/// The cases that go to shared memory of the cluster too.
fn shared() -> impl Iterator<Item = &'static Case> {
    GLOBAL.iter().filter(|(operation, ty, ..)| {
        matches!(*ty, "b32" | "u32" | "s32") || (*operation, *ty) == ("add", "u64")
    })
}

fn image(values: &[u64], size: usize) -> Vec<u8> {
    values
        .iter()
        .flat_map(|v| v.to_le_bytes()[..size].to_vec())
        .collect()
}

#[test]
fn reductions_join_each_element() {
    let check = |case: &Case, to_shared: bool| {
        let &(operation, ty, size, operands, meaning) = case;
        let name = format!("{operation}.{ty} to shared {to_shared}");
        let n = 128 / size;
        let old: Vec<u64> = (0..n).map(|i| operands[i % 4]).collect();
        let new: Vec<u64> = (0..n).map(|i| operands[i / 4 % 4]).collect();
        let joined: Vec<u64> = old.iter().zip(&new).map(|(&a, &b)| meaning(a, b)).collect();
        // Two blocks' threads 0 both join, one after another: meaning(meaning(old, new), new).
        let twice: Vec<u64> = joined
            .iter()
            .zip(&new)
            .map(|(&a, &b)| meaning(a, b))
            .collect();
        let text = if to_shared {
            format!(
                "ld.global.u32 %r2, [%rd8]; st.shared.u32 [%rd6], %r2; ld.global.u32 %r2, [%rd9]; st.shared.u32 [%rd7], %r2;
                fence.proxy.async.shared::cta; barrier.cluster.arrive; barrier.cluster.wait; mov.b32 %r4, 0;
                mapa.shared::cluster.u64 %rd10, %rd3, %r4; mapa.shared::cluster.u64 %rd11, %rd4, %r4;
                setp.eq.u32 %p2, %r1, 0; and.pred %p3, %p0, %p2;
                @%p3 mbarrier.arrive.expect_tx.shared.b64 _, [%rd4], 256;
                @%p0 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{operation}.{ty} [%rd10], [%rd2], 128, [%rd11];
                @!%p2 bra END; {WAIT} ld.shared.u32 %r2, [%rd7]; st.global.u32 [%rd9], %r2;
                END: barrier.cluster.arrive; barrier.cluster.wait;"
            )
        } else {
            format!(
                "ld.global.u32 %r2, [%rd8]; st.shared.u32 [%rd6], %r2; fence.proxy.async.shared::cta; bar.sync 0;
                @%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.{operation}.{ty} [%rd1], [%rd2], 128;
                @%p0 cp.async.bulk.commit_group; @%p0 cp.async.bulk.wait_group 0;"
            )
        };
        let rig = rig(&text);
        let (from, out) = (
            rig.buffer(&image(&new, size)),
            rig.buffer(&image(&old, size)),
        );
        let report = launch(&rig, 2, 2, 32, [from, out]);
        assert_eq!(rig.read::<u8>(out, 128), image(&twice, size), "{name}");
        if !to_shared {
            clean(&report);
        }
    };
    GLOBAL.iter().for_each(|case| check(case, false));
    shared().for_each(|case| check(case, true));
}

#[test]
fn registers_go_to_another_block() {
    let rig = rig(&format!(
        "xor.b32 %r4, %r1, 1; mapa.shared::cluster.u64 %rd10, %rd3, %r4; mapa.shared::cluster.u64 %rd11, %rd4, %r4;
        mul.wide.u32 %rd12, %r0, 32; add.u64 %rd13, %rd10, %rd12; mov.u32 %r3, %ctaid.x; add.u32 %r5, %r3, %r0; cvt.u64.u32 %rd14, %r5;
        @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%rd4], 1024; // 32 bytes from each thread
        st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%rd13], %r5, [%rd11];
        st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%rd13+8], {{%r5, %r0}}, [%rd11];
        st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.s64 [%rd13+16], {{%rd14, %rd14}}, [%rd11];
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%rd13+4], %r5, [%rd11];
        {WAIT} add.u64 %rd3, %rd3, %rd12; ld.shared.v4.u32 {{%r5, %r6, %r7, %r8}}, [%rd3]; ld.shared.v2.u64 {{%rd14, %rd15}}, [%rd3+16];
        mul.wide.u32 %rd13, %r3, 1024; add.u64 %rd1, %rd1, %rd12; add.u64 %rd1, %rd1, %rd13;
        st.global.v4.u32 [%rd1], {{%r5, %r6, %r7, %r8}}; st.global.v2.u64 [%rd1+16], {{%rd14, %rd15}};
        barrier.cluster.arrive; barrier.cluster.wait;"
    ));
    let out = rig.buffer(&[0u32; 2 * 256]);
    clean(&launch(&rig, 2, 2, 32, [0, out]));
    for (i, row) in rig.read::<u32>(out, 512).chunks(8).enumerate() {
        let (block, thread) = (i as u32 / 32, i as u32 % 32);
        let v = (block ^ 1) + thread;
        assert_eq!(
            row,
            [v, v, v, thread, v, 0, v, 0],
            "block {block} thread {thread}"
        );
    }
}

#[test]
fn red_async_takes_every_operation() {
    for &(operation, ty, size, operands, meaning) in shared() {
        let (width, extra) = if size == 8 {
            ("b64", "ld.global.b64 %rd12, [%rd0];")
        } else {
            ("b32", "ld.global.b32 %r5, [%rd0];")
        };
        let value = if size == 8 { "%rd12" } else { "%r5" };
        let rig = rig(&format!(
            "{extra} @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%rd4], {size};
            ld.global.u32 %r2, [%rd1]; @%p0 st.shared.u32 [%rd3], %r2; ld.global.u32 %r2, [%rd1+4]; @%p0 st.shared.u32 [%rd3+4], %r2;
            mov.b32 %r4, 0; mapa.shared::cluster.u64 %rd10, %rd3, %r4; mapa.shared::cluster.u64 %rd11, %rd4, %r4;
            red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{operation}.{ty} [%rd10], {value}, [%rd11];
            {WAIT} ld.shared.{width} {value}, [%rd3]; st.global.{width} [%rd1], {value};"
        ));
        for old in operands {
            for new in operands {
                let (from, out) = (rig.buffer(&[new]), rig.buffer(&[old]));
                launch(&rig, 1, 1, 1, [from, out]);
                let got = rig.read::<u64>(out, 1)[0];
                let got = if size == 4 { got & 0xffff_ffff } else { got };
                assert_eq!(
                    got,
                    meaning(old, new),
                    "{operation}.{ty} of {old:#x} and {new:#x}"
                );
            }
        }
    }
}

#[test]
fn wrong_copies_are_said() {
    let fault = |body: &str| {
        let rig = rig(body);
        let (from, out) = (rig.buffer(&words(64)), rig.buffer(&words(64)));
        let params: Vec<u8> = [from, out]
            .iter()
            .flat_map(|p: &u64| p.to_le_bytes())
            .collect();
        let launch = Launch {
            cluster: [2, 1, 1],
            ..Launch::new("k", [2, 1, 1], [1, 1, 1], &params)
        };
        rig.device
            .launch(&rig.instance, &launch)
            .expect_err("a fault")
            .to_string()
    };
    let load = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
    let multicast =
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster";
    for (body, text) in [
        (
            format!("mov.u32 %r4, 24; {load} [%rd2], [%rd0], %r4, [%rd4];"),
            "a bulk copy of 24 bytes",
        ),
        (
            format!("{load} [%rd2+8], [%rd0], 16, [%rd4];"),
            "16-byte write of shared memory at an address that is not a multiple of 16",
        ),
        (
            format!("{load} [%rd2], [%rd0+4], 16, [%rd4];"),
            "16-byte read of global memory at an address that is not a multiple of 16",
        ),
        (
            format!("{load} [%rd2], [%rd0], 272, [%rd4];"),
            "272-byte read past the end of an allocation",
        ),
        (
            format!("{load} [%rd2], [%rd0], 16, [%rd3];"),
            "no mbarrier is there",
        ),
        (
            format!(
                "{load} [%rd2], [%rd0], 16, [%rd4]; mbarrier.arrive.expect_tx.shared.b64 _, [%rd4], 32; {WAIT}"
            ),
            "0 arrivals and 16 bytes are missing",
        ),
        (
            format!(
                "xor.b32 %r4, %r1, 1; mapa.shared::cluster.u64 %rd10, %rd4, %r4; {load} [%rd2], [%rd0], 16, [%rd10];"
            ),
            "the mbarrier is in another block",
        ),
        (
            format!("mov.b16 %h0, 5; {multicast} [%rd2], [%rd0], 16, [%rd4], %h0;"),
            "a multicast to blocks 0x5 of a cluster of 2",
        ),
        (
            "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%rd2], 512;".into(),
            "512-byte write past the end of an allocation",
        ),
    ] {
        // The wait makes the unknown mbarrier known.
        let wait = if text == "no mbarrier is there" {
            "mbarrier.try_wait.parity.shared.b64 %p1, [%rd3], 0;"
        } else {
            ""
        };
        let report = fault(&format!("{body} {wait}"));
        assert!(report.contains(text), "{body}\n{report}");
    }
}

/// Threads 0 to 3 each put 24 bytes of zeros into a block of ones, by every kind of
/// address and size.
#[test]
fn zeros_are_stored_in_bulk() {
    for (space, address, version) in [
        (
            "",
            "cvta.shared.u64 %rd10, %rd10; st.bulk.weak [%rd10+8], 24, 0;",
            "8.8",
        ),
        (
            "::cta",
            "mov.b64 %rd11, 24; st.bulk.shared::cta [%rd10+8], %rd11, 0;",
            "8.8",
        ),
        (
            "::cta",
            "mov.b32 %r5, 24; st.bulk.weak.shared::cta [%rd10+8], %r5, 0;",
            "9.0",
        ),
    ] {
        let text = format!(
            "{HEAD} st.shared{space}.u32 [%rd6], 7; bar.sync 0; setp.lt.u32 %p1, %r0, 4; mul.wide.u32 %rd10, %r0, 64; add.u64 %rd10, %rd10, %rd2;
            @!%p1 bra ALL; {address} ALL: bar.sync 0; ld.shared.u32 %r2, [%rd6]; st.global.u32 [%rd9], %r2; ret; }}"
        );
        let rig = Rig::on(DeviceModel::b200(), &text.replacen("8.8", version, 1));
        let out = rig.buffer(&[1u32; 64]);
        clean(&launch(&rig, 1, 1, 64, [out, out]));
        let expected: Vec<u32> = (0..64)
            .map(|i| if (2..8).contains(&(i % 16)) { 0 } else { 7 })
            .collect();
        assert_eq!(rig.read::<u32>(out, 64), expected, "{address}");
    }
}

#[test]
fn a_bulk_store_of_no_size_and_one_that_races_are_reported() {
    let params = |rig: &Rig| [rig.buffer(&[0u32; 64]); 2];
    let odd = rig("mov.b64 %rd11, 12; @%p0 st.bulk.shared::cta [%rd2], %rd11, 0;");
    let text = odd.fault("k", 1, 32, &params(&odd));
    assert!(text.contains("a bulk store of 12 bytes"), "{text}");
    let past = rig("@%p0 st.bulk.shared::cta [%rd2], 4096, 0;");
    let text = past.fault("k", 1, 32, &params(&past));
    assert!(text.contains("4096-byte write"), "{text}");
    let races = rig("@%p0 st.bulk.shared::cta [%rd2], 1024, 0; st.shared.u32 [%rd6+256], 1;");
    let report = launch(&races, 1, 1, 64, params(&races));
    let text = report.findings[0].to_string();
    assert!(
        text.contains("a write") && text.contains("shared memory"),
        "{text}"
    );
}
