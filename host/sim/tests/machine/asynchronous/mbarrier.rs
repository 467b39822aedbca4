//! `mbarrier`: phases, counts, bytes, waits, and errors.

use lanewise_sim::{Checks, Fault, Launch, Report};

use crate::common::Rig;

const HEAD: &str = ".version 8.8\n.target sm_90\n.address_size 64\n
    .visible .entry k(.param .u64 out) {
    .shared .align 8 .b64 bar[2]; .shared .align 16 .b32 s[64]; .reg .b64 %rd<12>; .reg .b32 %r<12>; .reg .pred %p<4>;
    ld.param.u64 %rd0, [out]; mov.u64 %rd1, bar; mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 0;\n";

fn launch(
    body: &str,
    threads: u32,
    checks: Checks,
    seed: u64,
) -> (Result<Report, Fault>, Vec<u32>) {
    let rig = Rig::new(&format!("{HEAD}{body} ret; }}"));
    let out = rig.buffer(&[0u32; 256]);
    let params = out.to_le_bytes();
    let launch = Launch {
        checks,
        seed,
        ..Launch::new("k", [1; 3], [threads, 1, 1], &params)
    };
    let report = rig.device.launch(&rig.instance, &launch);
    (report, rig.read(out, 256))
}

#[track_caller]
fn run(body: &str, threads: u32) -> Vec<u32> {
    let (report, out) = launch(body, threads, Checks::default(), 0);
    report.unwrap_or_else(|fault| panic!("{fault}"));
    out
}

#[track_caller]
fn fault(body: &str, threads: u32) -> String {
    let (report, _) = launch(body, threads, Checks::default(), 0);
    report.expect_err("a fault").to_string()
}

const INIT: &str = "@%p0 mbarrier.init.shared.b64 [%rd1], 64; bar.sync 0;\n";
/// A thread's own word of shared memory at `%rd3`, its neighbour's in the other warp at `%rd4`.
const WORDS: &str = "mov.u64 %rd2, s; mul.wide.u32 %rd3, %r0, 4; add.u64 %rd3, %rd3, %rd2;
    xor.b32 %r1, %r0, 32; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd4, %rd4, %rd2; mul.wide.u32 %rd5, %r0, 4; add.u64 %rd0, %rd0, %rd5;\n";

/// Eight rounds of a barrier: each thread counts up what its neighbour wrote.
fn rounds(arrive: &str, wait: &str) -> String {
    format!(
        "{INIT}{WORDS} mov.b32 %r2, 0; mov.b32 %r3, 0; st.shared.u32 [%rd3], %r2;
    NEXT: {arrive}
    WAIT: {wait} @!%p1 bra WAIT;
        ld.shared.u32 %r4, [%rd4]; add.u32 %r4, %r4, 1;
        // A second phase, so that no thread writes before all have read.
        mbarrier.arrive.shared.b64 %rd7, [%rd1];
    AGAIN: mbarrier.try_wait.shared.b64 %p1, [%rd1], %rd7; @!%p1 bra AGAIN;
        st.shared.u32 [%rd3], %r4; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 8; @%p2 bra NEXT;
        ld.shared.u32 %r4, [%rd3]; st.global.u32 [%rd0], %r4;"
    )
}

#[test]
fn threads_meet_in_phases() {
    for (arrive, wait) in [
        (
            "mbarrier.arrive.shared.b64 %rd6, [%rd1];",
            "mbarrier.test_wait.shared.b64 %p1, [%rd1], %rd6;",
        ),
        (
            "mbarrier.arrive.shared::cta.b64 %rd6, [%rd1], 1;",
            "mbarrier.try_wait.shared::cta.b64 %p1, [%rd1], %rd6, 1000;",
        ),
        (
            "mbarrier.arrive.release.cta.shared.b64 _, [%rd1];",
            "mbarrier.try_wait.parity.acquire.cta.shared.b64 %p1, [%rd1], 0;",
        ),
        (
            "mbarrier.arrive.expect_tx.shared.b64 %rd6, [%rd1], 16; mbarrier.complete_tx.relaxed.cta.shared.b64 [%rd1], 16;",
            "mbarrier.test_wait.parity.shared.b64 %p1, [%rd1], 0;",
        ),
        (
            "mbarrier.expect_tx.relaxed.cta.shared.b64 [%rd1], 8; mbarrier.arrive.shared.b64 %rd6, [%rd1]; mbarrier.complete_tx.shared.b64 [%rd1], 8;",
            "mbarrier.try_wait.shared.b64 %p1, [%rd1], %rd6;",
        ),
        (
            "cvta.shared.u64 %rd8, %rd1; mbarrier.arrive.b64 %rd6, [%rd8];",
            "mbarrier.test_wait.b64 %p1, [%rd8], %rd6;",
        ),
    ] {
        for seed in 0..3 {
            let (report, out) = launch(&rounds(arrive, wait), 64, Checks::all(), seed);
            let report = report.unwrap_or_else(|fault| panic!("{arrive}\n{fault}"));
            assert!(
                out[..64].iter().all(|&v| v == 8),
                "{arrive} seed {seed}: {out:?}"
            );
            assert!(
                report.findings.is_empty(),
                "{arrive}: {}",
                report.findings[0]
            );
        }
    }
}

#[test]
fn one_thread_arrives_for_many_and_sees_what_was_pending() {
    let out = run(
        "mbarrier.init.shared.b64 [%rd1], 10;
        mbarrier.arrive.noComplete.shared.b64 %rd2, [%rd1], 4; mbarrier.pending_count.b64 %r1, %rd2; st.global.u32 [%rd0], %r1;
        mbarrier.arrive.shared.b64 %rd3, [%rd1], 5; mbarrier.pending_count.b64 %r1, %rd3; st.global.u32 [%rd0+4], %r1;
        mbarrier.test_wait.shared.b64 %p1, [%rd1], %rd3; selp.b32 %r1, 1, 0, %p1; st.global.u32 [%rd0+8], %r1;
        mbarrier.arrive_drop.shared.b64 %rd4, [%rd1];
        mbarrier.test_wait.shared.b64 %p1, [%rd1], %rd3; selp.b32 %r1, 1, 0, %p1; st.global.u32 [%rd0+12], %r1;
        mbarrier.test_wait.parity.shared.b64 %p1, [%rd1], 0; selp.b32 %r1, 1, 0, %p1; st.global.u32 [%rd0+16], %r1;
        mbarrier.test_wait.parity.shared.b64 %p1, [%rd1], 1; selp.b32 %r1, 1, 0, %p1; st.global.u32 [%rd0+20], %r1;
        mbarrier.arrive.shared.b64 %rd4, [%rd1], 9; mbarrier.pending_count.b64 %r1, %rd4; st.global.u32 [%rd0+24], %r1;
        mbarrier.test_wait.parity.shared.b64 %p1, [%rd1], 1; selp.b32 %r1, 1, 0, %p1; st.global.u32 [%rd0+28], %r1;
        mbarrier.inval.shared.b64 [%rd1];",
        1,
    );
    // Ten, then six are missing; not over; over once the tenth dropped; nine take part in
    // the second phase.
    assert_eq!(out[..8], [10, 6, 0, 1, 1, 0, 9, 1]);
}

#[test]
fn a_thread_may_do_other_things_while_a_phase_runs() {
    // A wait that never ends by itself: `try_wait` gives false in time, and then the
    // thread arrives itself.
    let out = run(
        "mbarrier.init.shared.b64 [%rd1], 2; mbarrier.arrive.shared.b64 %rd2, [%rd1];
        mbarrier.try_wait.shared.b64 %p1, [%rd1], %rd2; selp.b32 %r1, 1, 0, %p1; st.global.u32 [%rd0], %r1;
        mbarrier.arrive.shared.b64 _, [%rd1];
        mbarrier.try_wait.shared.b64 %p1, [%rd1], %rd2; selp.b32 %r1, 1, 0, %p1; st.global.u32 [%rd0+4], %r1;",
        1,
    );
    assert_eq!(out[..2], [0, 1]);
    // Another warp spins until that happened.
    let out = run(
        "@%p0 mbarrier.init.shared.b64 [%rd1], 2; mov.u64 %rd3, s; mov.b32 %r2, 0; @%p0 st.shared.u32 [%rd3], %r2; bar.sync 0;
        setp.ge.u32 %p2, %r0, 32; @%p2 bra SPIN; @!%p0 exit;
        mbarrier.arrive.shared.b64 %rd2, [%rd1]; mbarrier.try_wait.shared.b64 %p1, [%rd1], %rd2;
        mov.b32 %r2, 7; st.volatile.shared.u32 [%rd3], %r2; ret;
    SPIN: ld.volatile.shared.u32 %r3, [%rd3]; setp.eq.u32 %p1, %r3, 0; @%p1 bra SPIN; st.global.u32 [%rd0], %r3;",
        64,
    );
    assert_eq!(out[0], 7);
}

#[test]
fn a_wait_for_what_cannot_come_is_a_deadlock() {
    for wait in ["try_wait", "test_wait"] {
        let report = fault(
            &format!(
                "@%p0 mbarrier.init.shared.b64 [%rd1], 65; bar.sync 0; mbarrier.arrive.shared.b64 %rd2, [%rd1];
            WAIT: mbarrier.{wait}.shared.b64 %p1, [%rd1], %rd2; @!%p1 bra WAIT;"
            ),
            64,
        );
        assert!(
            report.contains("deadlock: all remaining threads wait"),
            "{report}"
        );
        assert!(
            report.contains("block 0, warp 1: 32 threads wait for the mbarrier at shared address 0x400 (ptx line 9): 1 arrival and 0 bytes are missing"),
            "{report}"
        );
        assert!(
            report.contains("the bytes that it expects have arrived"),
            "{report}"
        );
    }
}

#[test]
fn what_the_isa_leaves_undefined_is_said() {
    for (body, words) in [
        (
            "mbarrier.arrive.shared.b64 _, [%rd1];",
            "no mbarrier is there",
        ),
        (
            "mbarrier.init.shared.b64 [%rd1], 0;",
            "a count of 0 arrivals",
        ),
        (
            "mbarrier.init.shared.b64 [%rd1], 1048576;",
            "a count of 1048576 arrivals",
        ),
        (
            "mbarrier.init.shared.b64 [%rd1], 1; mbarrier.arrive.shared.b64 _, [%rd1], 2;",
            "2 arrivals at an mbarrier that waits for 1",
        ),
        (
            "mbarrier.init.shared.b64 [%rd1], 1; mbarrier.arrive.noComplete.shared.b64 %rd2, [%rd1], 1;",
            "with `.noComplete` completes the phase",
        ),
        (
            "mbarrier.init.shared.b64 [%rd1], 1; mbarrier.expect_tx.relaxed.cta.shared.b64 [%rd1], 1048576;",
            "1048576 bytes are on their way",
        ),
        (
            "mbarrier.init.shared.b64 [%rd1], 1; mbarrier.inval.shared.b64 [%rd1]; mbarrier.test_wait.parity.shared.b64 %p1, [%rd1], 0;",
            "no mbarrier is there",
        ),
        (
            "mbarrier.init.shared.b64 [%rd1+4], 1;",
            "at an address that is not a multiple of 8",
        ),
        (
            "mbarrier.init.shared.b64 [%rd1+4096], 1;",
            "8-byte atomic access outside of shared memory",
        ),
        (
            "mbarrier.init.b64 [%rd0], 1;",
            "is no generic address of shared memory",
        ),
    ] {
        let report = fault(body, 1);
        assert!(report.contains(words), "{body}\n{report}");
    }
}

/// Thread 0's copy arrives at the mbarrier when it is complete. Other threads read the data
/// after the wait.
const COPY: &str = "@%p0 mbarrier.init.shared.b64 [%rd1], 64; bar.sync 0;
    mov.u64 %rd2, s; mul.wide.u32 %rd3, %r0, 4; add.u64 %rd4, %rd2, %rd3; add.u64 %rd5, %rd0, %rd3;
    cp.async.ca.shared.global [%rd4], [%rd5], 4;";

#[test]
fn an_mbarrier_is_told_when_copies_are_there() {
    let read = "WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%rd1], 0; @!%p1 bra WAIT;
        xor.b32 %r1, %r0, 63; mul.wide.u32 %rd6, %r1, 4; add.u64 %rd6, %rd6, %rd2; ld.shared.u32 %r2, [%rd6]; st.global.u32 [%rd5+256], %r2;";
    // With `.noinc` the copies' arrivals are those that count; without, they come on top.
    for (arrive, races) in [
        ("cp.async.mbarrier.arrive.noinc.shared.b64 [%rd1];", false),
        (
            "cp.async.mbarrier.arrive.shared.b64 [%rd1]; mbarrier.arrive.shared.b64 _, [%rd1];",
            false,
        ),
        ("mbarrier.arrive.shared.b64 _, [%rd1];", true),
    ] {
        let text = format!("{HEAD}{COPY}{arrive}{read} ret; }}");
        let rig = Rig::new(&text);
        let data: Vec<u32> = (0..64).map(|i| i + 100).chain([0; 64]).collect();
        let out = rig.buffer(&data);
        let params = out.to_le_bytes();
        let launch = Launch {
            checks: Checks::all(),
            ..Launch::new("k", [1; 3], [64, 1, 1], &params)
        };
        let report = rig
            .device
            .launch(&rig.instance, &launch)
            .unwrap_or_else(|fault| panic!("{arrive}\n{fault}"));
        let got: Vec<u32> = rig.read(out + 256, 64);
        let there = got.iter().enumerate().all(|(i, &v)| v == 163 - i as u32);
        assert_eq!(
            (there, report.findings.is_empty()),
            (!races, !races),
            "{arrive}"
        );
    }
}

#[test]
fn other_blocks_arrive_from_afar() {
    let rig = Rig::new(&format!(
        "{HEAD} mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %cluster_nctarank; mul.lo.u32 %r3, %r2, 32;
        @%p0 mbarrier.init.shared.b64 [%rd1], %r3; @%p0 fence.mbarrier_init.release.cluster;
        barrier.cluster.arrive; barrier.cluster.wait;
        // Each thread writes to and arrives at every block's barrier, its own too.
        mov.b32 %r4, 0; mov.u64 %rd2, s; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd2, %rd2, %rd3; add.u32 %r5, %r1, 1;
    NEXT: mapa.shared::cluster.u64 %rd4, %rd2, %r4; @%p0 st.shared::cluster.u32 [%rd4], %r5;
        mapa.shared::cluster.u64 %rd4, %rd1, %r4; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%rd4];
        add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r2; @%p1 bra NEXT;
    WAIT: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p1, [%rd1], 0; @!%p1 bra WAIT;
        mov.b32 %r4, 0; mov.b32 %r6, 0; mov.u64 %rd2, s;
    SUM: ld.shared.u32 %r7, [%rd2]; add.u32 %r6, %r6, %r7; add.u64 %rd2, %rd2, 4; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r2; @%p1 bra SUM;
        mov.u32 %r8, %ctaid.x; mul.wide.u32 %rd3, %r8, 4; add.u64 %rd0, %rd0, %rd3; @%p0 st.global.u32 [%rd0], %r6;
        barrier.cluster.arrive; barrier.cluster.wait; ret; }}"
    ));
    for ranks in [1u32, 2, 4] {
        let out = rig.buffer(&[0u32; 8]);
        let params = out.to_le_bytes();
        let launch = Launch {
            cluster: [ranks, 1, 1],
            checks: Checks::all(),
            ..Launch::new("k", [8, 1, 1], [32, 1, 1], &params)
        };
        let report = rig
            .device
            .launch(&rig.instance, &launch)
            .unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!(rig.read::<u32>(out, 8), [ranks * (ranks + 1) / 2; 8]);
        assert!(report.findings.is_empty(), "{}", report.findings[0]);
    }
}

/// PTX ISA, `mbarrier.init`: the behaviour is undefined if the memory contains a valid object.
#[test]
fn an_object_is_initialised_once() {
    let again = "@%p0 mbarrier.init.shared.b64 [%rd1], 32;";
    let report = fault(&format!("{INIT}{again}"), 64);
    assert!(
        report.contains("an mbarrier is initialised that is in use"),
        "{report}"
    );
    // It was used in between.
    let report = fault(
        &format!("{INIT} mbarrier.arrive.shared.b64 %rd7, [%rd1]; bar.sync 0; {again}"),
        64,
    );
    assert!(
        report.contains("an mbarrier is initialised that is in use"),
        "{report}"
    );
    run(
        &format!("{INIT} @%p0 mbarrier.inval.shared.b64 [%rd1]; {again}"),
        64,
    );
    // The memory was used for something else.
    run(
        &format!(
            "{INIT} mov.b64 %rd7, 0x8000000000000000; @%p0 st.shared.u64 [%rd1], %rd7; {again}"
        ),
        64,
    );
}
