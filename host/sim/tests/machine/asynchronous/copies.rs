//! `cp.async`: what is copied, when the data has arrived, and errors.

use lanewise_sim::{Checks, Launch, Report};

use crate::common::Rig;

const HEAD: &str = ".version 8.7\n.target sm_90\n.address_size 64\n
    .visible .entry k(.param .u64 from, .param .u64 out, .param .u64 sizes) {
    .shared .align 16 .b8 s[2048]; .reg .b64 %rd<12>; .reg .b32 %r<12>; .reg .pred %p<4>;
    ld.param.u64 %rd0, [from]; ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [sizes]; mov.u64 %rd3, s;
    mov.u32 %r0, %tid.x; mul.wide.u32 %rd4, %r0, 16; add.u64 %rd0, %rd0, %rd4; add.u64 %rd1, %rd1, %rd4; add.u64 %rd3, %rd3, %rd4;
    mov.b32 %r1, -1; st.shared.v4.b32 [%rd3], {%r1, %r1, %r1, %r1};";

/// Each thread copies its 16 bytes of shared memory out.
const OUT: &str = "ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%rd3]; st.global.v4.b32 [%rd1], {%r1, %r2, %r3, %r4}; ret; }";

fn bytes(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i * 7 + 1) as u8).collect()
}

fn run(body: &str, threads: u32, sizes: &[u32]) -> Vec<u8> {
    let rig = Rig::new(&format!("{HEAD}{body}{OUT}"));
    let n = threads as usize * 16;
    let (from, out, sizes) = (
        rig.buffer(&bytes(n)),
        rig.buffer(&vec![0u8; n]),
        rig.buffer(sizes),
    );
    rig.ok("k", 1, threads, &[from, out, sizes]);
    rig.read(out, n)
}

const WAIT: &str = "cp.async.commit_group; cp.async.wait_group 0;";

#[test]
fn all_sizes_and_hints_copy() {
    for (word, size) in [
        ("ca.shared.global", 4),
        ("ca.shared::cta.global", 8),
        ("ca.shared.global.L2::128B", 16),
        ("cg.shared.global", 16),
        ("cg.shared::cta.global.L2::256B", 16),
    ] {
        let got = run(
            &format!("cp.async.{word} [%rd3], [%rd0], {size}; {WAIT}"),
            64,
            &[],
        );
        for (thread, (got, all)) in got.chunks(16).zip(bytes(1024).chunks(16)).enumerate() {
            assert_eq!(got[..size], all[..size], "{word} thread {thread}");
            assert!(
                got[size..].iter().all(|&b| b == 0xff),
                "{word} thread {thread}"
            );
        }
    }
    let hint = "mov.b64 %rd9, 0; cp.async.cg.shared.global.L2::cache_hint [%rd3], [%rd0], 16, %rd9; cp.async.wait_all;";
    assert_eq!(run(hint, 32, &[]), bytes(512));
}

#[test]
fn a_shorter_source_is_filled_up_with_zeros() {
    let sizes: Vec<u32> = (0..32).map(|i| i % 17).collect();
    let load = "mul.wide.u32 %rd5, %r0, 4; add.u64 %rd2, %rd2, %rd5; ld.global.u32 %r9, [%rd2];";
    for (policy, hint) in [("", ""), (".L2::cache_hint", ", %rd9")] {
        let body = format!(
            "{load} mov.b64 %rd9, 0; cp.async.cg.shared.global{policy} [%rd3], [%rd0], 16, %r9{hint}; {WAIT}"
        );
        let got = run(&body, 32, &sizes);
        for (thread, got) in got.chunks(16).enumerate() {
            let mut expected = bytes(512)[thread * 16..][..16].to_vec();
            expected[sizes[thread] as usize..].fill(0);
            assert_eq!(got, expected, "thread {thread}");
        }
    }
}

#[test]
fn an_ignored_source_is_not_read() {
    // Odd threads ignore theirs, and name no memory.
    let body = format!(
        "and.b32 %r9, %r0, 1; setp.eq.u32 %p0, %r9, 1; selp.b64 %rd0, 0, %rd0, %p0;
        cp.async.ca.shared.global [%rd3], [%rd0], 8, %p0; {WAIT}"
    );
    for (thread, (got, all)) in run(&body, 32, &[])
        .chunks(16)
        .zip(bytes(512).chunks(16))
        .enumerate()
    {
        let expected = if thread % 2 == 0 {
            all[..8].to_vec()
        } else {
            vec![0; 8]
        };
        assert_eq!(got[..8], expected, "thread {thread}");
    }
    // The same by a size of zero.
    let body = format!(
        "mov.b64 %rd0, 0; mov.b32 %r9, 0; cp.async.ca.shared.global [%rd3], [%rd0], 4, %r9; {WAIT}"
    );
    assert!(run(&body, 32, &[]).chunks(16).all(|got| got[..4] == [0; 4]));
}

/// Three copies of four bytes in two groups. Returns what has arrived after `wait`.
fn groups(wait: &str) -> Vec<bool> {
    let body = format!(
        "cp.async.ca.shared.global [%rd3], [%rd0], 4; cp.async.commit_group;
        cp.async.ca.shared.global [%rd3+4], [%rd0+4], 4; cp.async.commit_group;
        cp.async.ca.shared.global [%rd3+8], [%rd0+8], 4; {wait}"
    );
    run(&body, 1, &[])[..12]
        .chunks(4)
        .map(|got| got != [0xff; 4])
        .collect()
}

#[test]
fn waits_are_for_groups() {
    assert_eq!(
        groups(""),
        [false, false, false],
        "nothing is there before a wait"
    );
    assert_eq!(groups("cp.async.wait_group 2;"), [false, false, false]);
    assert_eq!(groups("cp.async.wait_group 1;"), [true, false, false]);
    assert_eq!(
        groups("cp.async.wait_group 0;"),
        [true, true, false],
        "the third was not committed"
    );
    assert_eq!(groups("cp.async.wait_all;"), [true, true, true]);
    assert_eq!(
        groups("cp.async.commit_group; cp.async.wait_group 1;"),
        [true, true, false]
    );
    // A thread waits for its own only.
    assert_eq!(
        groups("setp.ne.u32 %p1, %r0, 0; @%p1 cp.async.wait_all;"),
        [false, false, false]
    );
}

#[test]
fn what_threads_started_is_done_when_they_end() {
    let rig = Rig::new(
        ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 from, .param .u64 out) {
        .shared .align 16 .b8 s[64]; .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p<2>;
        ld.param.u64 %rd0, [from]; ld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 32; mov.u64 %rd2, s;
        @%p0 cp.async.ca.shared.global [%rd2], [%rd0], 4; @%p0 exit;
        bar.sync 1, 32; bar.sync 0; ld.shared.u32 %r1, [%rd2]; st.global.u32 [%rd1], %r1; ret; }",
    );
    let (from, out) = (rig.buffer(&[77u32]), rig.buffer(&[0u32]));
    rig.ok("k", 1, 64, &[from, out]);
    assert_eq!(rig.read::<u32>(out, 1), [77]);
}

#[test]
fn wrong_copies_are_said() {
    let fault = |body: &str| {
        let rig = Rig::new(&format!("{HEAD}{body}{OUT}"));
        let (from, out) = (rig.buffer(&bytes(512)), rig.buffer(&[0u8; 512]));
        rig.fault("k", 1, 32, &[from, out, 0])
    };
    let report = fault("cp.async.ca.shared.global [%rd3+4], [%rd0], 8;");
    assert!(
        report.contains("8-byte write of shared memory at an address that is not a multiple of 8"),
        "{report}"
    );
    let report = fault("cp.async.ca.shared.global [%rd3], [%rd0+2], 4;");
    assert!(
        report.contains("4-byte read of global memory at an address that is not a multiple of 4"),
        "{report}"
    );
    let report = fault("cp.async.cg.shared.global [%rd3], [%rd0+16], 16;");
    assert!(
        report.contains("16-byte read past the end of an allocation"),
        "{report}"
    );
    assert!(report.contains("thread (31,0,0)"), "{report}");
    let report = fault("cp.async.cg.shared.global [%rd3+2032], [%rd0], 16;");
    assert!(
        report.contains("16-byte write outside of shared memory"),
        "{report}"
    );
    let report = fault("mov.b32 %r9, 9; cp.async.ca.shared.global [%rd3], [%rd0], 8, %r9;");
    assert!(
        report.contains("a source of 9 bytes for a copy of 8"),
        "{report}"
    );
}

fn checked(body: &str, threads: u32) -> Report {
    let rig = Rig::new(&format!("{HEAD}{body}{OUT}"));
    let n = threads as usize * 16;
    let (from, out) = (rig.buffer(&bytes(n)), rig.buffer(&vec![0u8; n]));
    let params: Vec<u8> = [from, out, 0]
        .iter()
        .flat_map(|p| p.to_le_bytes())
        .collect();
    let launch = Launch {
        checks: Checks::all(),
        count: true,
        ..Launch::new("k", [1; 3], [threads, 1, 1], &params)
    };
    rig.device
        .launch(&rig.instance, &launch)
        .unwrap_or_else(|fault| panic!("{fault}"))
}

#[test]
fn reading_before_the_wait_is_a_race() {
    let copy = "cp.async.cg.shared.global [%rd3], [%rd0], 16; cp.async.commit_group;";
    let report = checked(copy, 32);
    let text = report
        .findings
        .iter()
        .map(|f| f.to_string())
        .collect::<String>();
    assert!(
        text.contains("race: an unfinished asynchronous write and a read of shared memory"),
        "{text}"
    );
    assert!(text.contains("wait for the copy first"), "{text}");
    let report = checked(&format!("{copy} cp.async.wait_group 0;"), 32);
    assert!(report.findings.is_empty(), "{}", report.findings[0]);
    // Another thread's copy: its wait is not enough without a barrier.
    let other = "xor.b32 %r5, %r0, 33; mul.wide.u32 %rd5, %r5, 16; mov.u64 %rd3, s; add.u64 %rd3, %rd3, %rd5;";
    let report = checked(
        &format!("bar.sync 0; {copy} cp.async.wait_group 0; {other}"),
        64,
    );
    assert!(!report.findings.is_empty());
    let report = checked(
        &format!("bar.sync 0; {copy} cp.async.wait_group 0; bar.sync 0; {other}"),
        64,
    );
    assert!(report.findings.is_empty(), "{}", report.findings[0]);
    let report = checked(
        &format!("bar.sync 0; {copy} bar.sync 0; cp.async.wait_group 0; {other}"),
        64,
    );
    assert!(
        !report.findings.is_empty(),
        "the barrier came before the wait"
    );
}

#[test]
fn copies_count_as_loads() {
    // As an H200 counts (driver 580, 2026-11-21): cp.async.ca of 16 bytes side by side is one
    // request of 16 sectors.
    let report = checked(
        "cp.async.ca.shared.global [%rd3], [%rd0], 16; cp.async.wait_all;",
        32,
    );
    let counters = report.counters.expect("counted");
    assert_eq!(
        (
            counters.global_loads.requests,
            counters.global_loads.sectors
        ),
        (1, 16)
    );
}

#[test]
fn copies_that_nobody_waits_for_do_not_pile_up() {
    // 640,000 copies: they are done at some time, all the same.
    let rig = Rig::new(
        ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 from) {
        .shared .align 16 .b8 s[512]; .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p<2>;
        ld.param.u64 %rd0, [from]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; mov.u64 %rd2, s; add.u64 %rd2, %rd2, %rd1; add.u64 %rd0, %rd0, %rd1; mov.b32 %r1, 0;
    L: cp.async.ca.shared.global [%rd2], [%rd0], 4; add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 20000; @%p0 bra L;
        cp.async.wait_all; ret; }",
    );
    let from = rig.buffer(&[7u32; 32]);
    rig.ok("k", 1, 32, &[from]);
}
