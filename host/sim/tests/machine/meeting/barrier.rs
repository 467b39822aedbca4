//! `bar`, `barrier`, `bar.warp.sync`, `membar`, `fence`: every form orders what it must order.

use lanewise_sim::checks::FindingKind;
use lanewise_sim::{Checks, Launch, Report};

use crate::common::Rig;

const HEAD: &str = ".version 8.8\n.target sm_90\n.address_size 64\n
    .visible .entry k(.param .u64 out) {
    .shared .align 4 .b32 s[256]; .reg .b64 %rd<8>; .reg .b32 %r<12>; .reg .pred %p<6>;
    ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mov.u64 %rd1, s; mul.wide.u32 %rd2, %r0, 4; add.u64 %rd3, %rd1, %rd2; add.u64 %rd4, %rd0, %rd2;
    mov.b32 %r8, 3; mov.u32 %r9, %ntid.x; and.b32 %r7, %r0, 3; setp.ne.u32 %p2, %r7, 0;\n";

fn run(body: &str, threads: u32, seed: u64) -> (Report, Vec<u32>) {
    let rig = Rig::new(&format!("{HEAD}{body} ret; }}"));
    let out = rig.buffer(&[0u32; 256]);
    let params = out.to_le_bytes();
    let launch = Launch {
        seed,
        checks: Checks::all(),
        ..Launch::new("k", [1; 3], [threads, 1, 1], &params)
    };
    let report = rig
        .device
        .launch(&rig.instance, &launch)
        .unwrap_or_else(|fault| panic!("{body}\n{fault}"));
    (report, rig.read(out, 256))
}

/// Each thread reads what the thread of another warp wrote, and then the roles change.
fn exchange(barrier: &str) {
    let body = format!(
        "st.shared.u32 [%rd3], %r0; {barrier}
        xor.b32 %r1, %r0, 96; mul.wide.u32 %rd5, %r1, 4; add.u64 %rd5, %rd5, %rd1; ld.shared.u32 %r2, [%rd5];
        {barrier} add.u32 %r2, %r2, 1000; st.shared.u32 [%rd3], %r2; {barrier}
        ld.shared.u32 %r2, [%rd5]; st.global.u32 [%rd4], %r2;"
    );
    for seed in 0..3 {
        let (report, out) = run(&body, 128, seed);
        let expected: Vec<u32> = (0..128).map(|t| t + 1000).collect();
        assert_eq!(out[..128], expected, "{barrier} seed {seed}");
        assert!(
            report.findings.is_empty(),
            "{barrier} seed {seed}: {}",
            report.findings[0]
        );
    }
}

#[test]
fn barriers_order_a_block() {
    for opcode in [
        "bar.sync",
        "bar.cta.sync",
        "barrier.sync",
        "barrier.cta.sync",
        "barrier.sync.aligned",
        "barrier.cta.sync.aligned",
    ] {
        for operands in ["0", "15", "%r8", "0, 128", "%r8, %r9", "7, %r9"] {
            exchange(&format!("{opcode} {operands};"));
        }
    }
}

#[test]
fn reductions_order_a_block_and_tell_all() {
    for (opcode, tail) in [
        ("bar.red", ""),
        ("bar.cta.red", ""),
        ("barrier.red", ""),
        ("barrier.cta.red", ".aligned"),
        ("barrier.red", ".aligned"),
    ] {
        for operands in ["1", "1, 128", "%r8, %r9"] {
            exchange(&format!("{opcode}.popc{tail}.u32 %r6, {operands}, %p2;"));
            exchange(&format!("{opcode}.and{tail}.pred %p3, {operands}, %p2;"));
            // Three in four threads have it; all have something; none has nothing.
            let body = format!(
                "{opcode}.popc{tail}.u32 %r1, {operands}, %p2; {opcode}.popc{tail}.u32 %r2, {operands}, !%p2;
                {opcode}.and{tail}.pred %p3, {operands}, %p2; {opcode}.or{tail}.pred %p4, {operands}, %p2;
                setp.lt.u32 %p2, %r0, 1000; {opcode}.and{tail}.pred %p5, {operands}, %p2; selp.b32 %r3, 1, 0, %p3; selp.b32 %r4, 2, 0, %p4;
                selp.b32 %r5, 4, 0, %p5; {opcode}.or{tail}.pred %p5, {operands}, !%p2; selp.b32 %r6, 8, 0, %p5;
                or.b32 %r3, %r3, %r4; or.b32 %r3, %r3, %r5; or.b32 %r3, %r3, %r6;
                mad.lo.u32 %r1, %r1, 1000, %r2; mad.lo.u32 %r1, %r1, 100, %r3; st.global.u32 [%rd4], %r1;"
            );
            let (_, out) = run(&body, 128, 3);
            assert!(
                out[..128].iter().all(|&v| v == (96 * 1000 + 32) * 100 + 6),
                "{opcode}{tail} {operands}: {}",
                out[0]
            );
        }
    }
}

#[test]
fn producers_arrive_and_consumers_wait() {
    for (arrive, sync) in [
        ("bar.arrive 2, 64", "bar.sync 2, 64"),
        ("bar.cta.arrive 2, 64", "bar.cta.sync 2, 64"),
        ("barrier.arrive 2, 64", "barrier.sync 2, 64"),
        (
            "barrier.cta.arrive.aligned 2, 64",
            "barrier.cta.sync.aligned 2, 64",
        ),
        (
            "barrier.arrive.aligned %r8, 64",
            "barrier.sync.aligned %r8, 64",
        ),
    ] {
        let body = format!(
            "setp.ge.u32 %p0, %r0, 32; @%p0 bra CONSUMER;
            mul.lo.u32 %r1, %r0, 7; st.shared.u32 [%rd3], %r1; {arrive}; ret;
        CONSUMER: {sync}; ld.shared.u32 %r2, [%rd3+-128]; st.global.u32 [%rd4], %r2;"
        );
        for seed in 0..3 {
            let (report, out) = run(&body, 64, seed);
            let expected: Vec<u32> = (0..32).map(|t| t * 7).collect();
            assert_eq!(out[32..64], expected, "{arrive}");
            assert!(report.findings.is_empty(), "{}", report.findings[0]);
        }
    }
}

#[test]
fn a_warps_barrier_orders_its_lanes() {
    let body = "st.shared.u32 [%rd3], %r0; bar.warp.sync 0xffffffff;
        xor.b32 %r1, %r0, 5; mul.wide.u32 %rd5, %r1, 4; add.u64 %rd5, %rd5, %rd1; ld.shared.u32 %r2, [%rd5]; st.global.u32 [%rd4], %r2;";
    let (report, out) = run(body, 32, 1);
    assert!((0..32).all(|t| out[t] == t as u32 ^ 5));
    assert!(report.findings.is_empty());
}

/// Block 0 writes and sets a flag. Block 1 waits for the flag and reads. Both have a fence.
fn hand_over(before: &str, after: &str) -> (u32, bool) {
    let rig = Rig::new(&format!(
        ".version 8.8\n.target sm_90\n.address_size 64\n
        .visible .entry k(.param .u64 data, .param .u64 flag) {{ .reg .b64 %rd<4>; .reg .b32 %r<6>; .reg .pred %p<2>;
        ld.param.u64 %rd0, [data]; ld.param.u64 %rd1, [flag]; mov.u32 %r0, %ctaid.x; setp.ne.u32 %p0, %r0, 0; @%p0 bra READ;
        mov.b32 %r1, 42; st.global.u32 [%rd0], %r1; {before} mov.b32 %r2, 1; st.relaxed.gpu.global.u32 [%rd1], %r2; ret;
    READ: ld.relaxed.gpu.global.u32 %r3, [%rd1]; setp.eq.u32 %p1, %r3, 0; @%p1 bra READ;
        {after} ld.global.u32 %r4, [%rd0]; st.global.u32 [%rd0+4], %r4; ret; }}"
    ));
    let (data, flag) = (rig.buffer(&[0u32; 2]), rig.buffer(&[0u32]));
    let params: Vec<u8> = [data, flag].iter().flat_map(|p| p.to_le_bytes()).collect();
    let launch = Launch {
        checks: Checks::all(),
        ..Launch::new("k", [2, 1, 1], [1, 1, 1], &params)
    };
    let report = rig
        .device
        .launch(&rig.instance, &launch)
        .unwrap_or_else(|fault| panic!("{fault}"));
    (rig.read::<u32>(data, 2)[1], report.findings.is_empty())
}

#[test]
fn fences_hand_over_between_blocks() {
    for fence in [
        "membar.gl;",
        "membar.sys;",
        "fence.sc.gpu;",
        "fence.acq_rel.gpu;",
        "fence.sc.sys;",
        "fence.acq_rel.sys;",
        "fence.gpu;",
    ] {
        assert_eq!(hand_over(fence, fence), (42, true), "{fence}");
    }
    assert_eq!(
        hand_over("fence.release.gpu;", "fence.acquire.gpu;"),
        (42, true)
    );
    assert_eq!(
        hand_over("", ""),
        (42, false),
        "without fences it is a race"
    );
    assert_eq!(
        hand_over("fence.proxy.async;", "fence.proxy.async;"),
        (42, false),
        "that fence is for another thing"
    );
}

#[test]
fn every_fence_runs() {
    let scopes = ["cta", "cluster", "gpu", "sys"];
    let mut all = String::from(
        "membar.cta; membar.proxy.alias; fence.mbarrier_init.release.cluster; fence.proxy.alias;\n",
    );
    for scope in scopes {
        all += &format!(
            "fence.sc.{scope}; fence.acq_rel.{scope}; fence.{scope}; fence.acquire.{scope}; fence.release.{scope};\n"
        );
        all += &format!(
            "fence.proxy.tensormap::generic.release.{scope}; fence.proxy.tensormap::generic.acquire.{scope} [%rd0], 128;\n"
        );
    }
    for space in ["", ".global", ".shared::cta", ".shared::cluster"] {
        all += &format!("fence.proxy.async{space};\n");
    }
    all += "fence.acquire.sync_restrict::shared::cluster.cluster; fence.release.sync_restrict::shared::cta.cluster;
        fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster; fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;
        griddepcontrol.launch_dependents; griddepcontrol.wait; st.global.u32 [%rd4], %r8;";
    let (_, out) = run(&all, 32, 0);
    assert!(out[..32].iter().all(|&v| v == 3));
}

#[test]
fn wrong_barriers_are_said() {
    let fault = |body: &str| {
        let rig = Rig::new(&format!("{HEAD}{body} ret; }}"));
        let out = rig.buffer(&[0u32; 256]);
        rig.fault("k", 1, 64, &[out])
    };
    for (body, words) in [
        (
            "mov.u32 %r1, 16; bar.sync %r1;",
            "barrier 16; a block has 16",
        ),
        (
            "mov.u32 %r1, 33; bar.sync 0, %r1;",
            "a barrier for 33 threads in a block of 64",
        ),
        (
            "bar.sync 0, 128;",
            "a barrier for 128 threads in a block of 64",
        ),
        ("bar.sync %r0;", "different barriers or counts"),
        (
            "setp.lt.u32 %p0, %r0, 32; @%p0 bar.sync 0; @!%p0 bar.red.popc.u32 %r1, 0, %p2;",
            "`bar.red` and `bar.sync` meet",
        ),
        (
            "setp.lt.u32 %p0, %r0, 32; @%p0 bar.sync 0, 64; @!%p0 bar.sync 0;",
            "is for all threads here and for 64",
        ),
    ] {
        let report = fault(body);
        assert!(report.contains(words), "{body}\n{report}");
    }
}

#[test]
fn warps_that_meet_for_ever_use_up_the_budget() {
    let rig = Rig::new(
        ".visible .entry k() { .reg .b32 %r; mov.b32 %r, 0; L: add.u32 %r, %r, 1; bar.sync 0; bra L; }",
    );
    let launch = Launch {
        budget: Some(100_000),
        ..Launch::new("k", [1; 3], [64, 1, 1], &[])
    };
    let fault = rig
        .device
        .launch(&rig.instance, &launch)
        .expect_err("no end");
    assert!(fault.to_string().contains("budget of 100000"), "{fault}");
}

/// Warps return before the barrier. That is allowed, and may not be meant: a note says how many.
#[test]
fn warps_that_returned_before_a_barrier_are_noted() {
    let body = "setp.ge.u32 %p0, %r0, 64; @%p0 ret; bar.sync 0;";
    let (report, _) = run(body, 128, 0);
    assert_eq!(report.findings, []);
    let [note] = &report.notes[..] else {
        panic!("{:#?}", report.notes);
    };
    assert_eq!(note.kind, FindingKind::EndedWarps);
    let text = note.to_string();
    assert!(
        text.contains("2 of the block's 4 warps have returned"),
        "{text}"
    );
    // All warps reach the barrier, also if some of their threads have returned.
    let body = "setp.eq.u32 %p0, %r7, 0; @%p0 ret; bar.sync 0;";
    let (report, _) = run(body, 128, 0);
    assert_eq!(report.notes, []);
}

/// A full mask names lanes that have returned.
#[test]
fn masks_that_name_ended_lanes_are_noted() {
    for operation in ["bar.warp.sync -1;", "vote.sync.ballot.b32 %r1, %p2, -1;"] {
        let body = format!("setp.ge.u32 %p0, %r0, 16; @%p0 ret; {operation}");
        let (report, _) = run(&body, 32, 0);
        assert_eq!(report.findings, []);
        let notes: Vec<String> = report.notes.iter().map(ToString::to_string).collect();
        let said = notes
            .iter()
            .any(|note| note.contains("0xffffffff; 16 of its lanes have ended"));
        assert!(said, "{operation} {notes:?}");
        let (report, _) = run(&body.replace("-1", "0xffff"), 32, 0);
        assert_eq!(report.notes, [], "{operation}");
        // Lanes that never existed have not ended.
        let (report, _) = run(operation, 16, 0);
        assert_eq!(report.notes, [], "{operation}");
    }
}
