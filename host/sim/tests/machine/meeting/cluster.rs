//! `barrier.cluster`: phases, threads that end, and errors.

use lanewise_sim::{Checks, Fault, Launch, Report};

use crate::common::Rig;

fn launch(
    rig: &Rig,
    ranks: u32,
    blocks: u32,
    threads: u32,
    params: &[u64],
) -> Result<Report, Fault> {
    let bytes: Vec<u8> = params.iter().flat_map(|p| p.to_le_bytes()).collect();
    let launch = Launch {
        cluster: [ranks, 1, 1],
        ..Launch::new("k", [blocks, 1, 1], [threads, 1, 1], &bytes)
    };
    rig.device.launch(&rig.instance, &launch)
}

#[test]
fn blocks_of_a_cluster_pass_a_token_round() {
    // In each of eight phases every block hands its number plus one to the next: after eight they
    // are home again.
    let rig = Rig::new(
        ".visible .entry k(.param .u64 out) {
        .shared .align 4 .b32 s[2]; .reg .b64 %rd<4>; .reg .b32 %r<12>; .reg .pred %p<4>;
        mov.u32 %r0, %cluster_ctarank; mov.u32 %r1, %cluster_nctarank; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x;
        setp.eq.u32 %p0, %r3, 0; st.shared.u32 [s], %r2; mov.b32 %r4, 0;
        add.u32 %r5, %r0, 1; rem.u32 %r5, %r5, %r1; mov.u32 %r6, s; mapa.shared::cluster.u32 %r7, %r6, %r5;
    NEXT: barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
        and.b32 %r8, %r4, 1; mul.lo.u32 %r8, %r8, 4; add.u32 %r9, %r6, %r8; ld.shared.u32 %r10, [%r9];
        xor.b32 %r8, %r8, 4; add.u32 %r9, %r7, %r8; add.u32 %r10, %r10, 1;
        @%p0 st.shared::cluster.u32 [%r9], %r10;
        add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 8; @%p1 bra NEXT;
        barrier.cluster.arrive.relaxed; barrier.cluster.wait;
        ld.param.u64 %rd0, [out]; mul.wide.u32 %rd1, %r2, 4; add.u64 %rd0, %rd0, %rd1; ld.shared.u32 %r10, [s];
        @%p0 st.global.u32 [%rd0], %r10; ret; }",
    );
    for (ranks, home) in [(1, 1), (2, 2), (4, 4), (8, 8)] {
        let out = rig.buffer(&[0u32; 16]);
        launch(&rig, ranks, 16, 64, &[out]).unwrap_or_else(|fault| panic!("{fault}"));
        let expected: Vec<u32> = (0..16u32).map(|block| block + 8).collect();
        assert_eq!(rig.read::<u32>(out, 16), expected, "clusters of {home}");
    }
}

#[test]
fn a_thread_that_has_ended_is_not_waited_for() {
    let rig = Rig::new(
        ".visible .entry k() { .reg .b32 %r<3>; .reg .pred %p<2>;
        mov.u32 %r0, %cluster_ctarank; mov.u32 %r1, %tid.x; add.u32 %r0, %r0, %r1; and.b32 %r0, %r0, 1;
        setp.eq.u32 %p0, %r0, 1; @%p0 exit; barrier.cluster.arrive; barrier.cluster.wait; ret; }",
    );
    launch(&rig, 4, 8, 40, &[]).unwrap_or_else(|fault| panic!("{fault}"));
}

#[test]
fn arrivals_and_waits_come_in_pairs() {
    let rig = Rig::new(".visible .entry k() { barrier.cluster.wait; ret; }");
    let report = launch(&rig, 2, 2, 32, &[])
        .expect_err("a fault")
        .to_string();
    assert!(
        report.contains("waits at the cluster's barrier and has not arrived"),
        "{report}"
    );
    let rig =
        Rig::new(".visible .entry k() { barrier.cluster.arrive; barrier.cluster.arrive; ret; }");
    let report = launch(&rig, 2, 2, 32, &[])
        .expect_err("a fault")
        .to_string();
    assert!(
        report.contains("arrives at the cluster's barrier again"),
        "{report}"
    );
}

#[test]
fn a_cluster_that_waits_for_a_block_elsewhere_is_a_deadlock() {
    // Block 1 waits at a barrier of its own for threads that it does not have.
    let rig = Rig::new(
        ".visible .entry k() { .reg .b32 %r<3>; .reg .pred %p<2>;
        mov.u32 %r0, %cluster_ctarank; setp.eq.u32 %p0, %r0, 1; @%p0 bra OTHER;
        barrier.cluster.arrive; barrier.cluster.wait; ret;
    OTHER: barrier.sync 1, 64; ret; }",
    );
    let report = launch(&rig, 2, 2, 64, &[]);
    assert!(report.is_ok(), "64 threads are there");
    let rig = Rig::new(
        ".visible .entry k() { .reg .b32 %r<3>; .reg .pred %p<2>;
        mov.u32 %r0, %cluster_ctarank; mov.u32 %r1, %tid.x; shr.u32 %r1, %r1, 5; setp.eq.u32 %p0, %r0, 1; @%p0 bra OTHER;
        barrier.cluster.arrive; barrier.cluster.wait; ret;
    OTHER: setp.eq.u32 %p1, %r1, 0; @%p1 exit; barrier.sync 1, 64; ret; }",
    );
    let report = launch(&rig, 2, 2, 64, &[])
        .expect_err("a deadlock")
        .to_string();
    assert!(
        report.contains("wait at the cluster's barrier (ptx line 6), 64 of 96 have arrived"),
        "{report}"
    );
    assert!(report.contains("wait at barrier 1"), "{report}");
}

/// What the checks find when block 0 ends after `last`, and block 1 has read its shared memory and
/// runs `then`.
fn found_at_an_end(last: &str, then: &str) -> Vec<String> {
    let rig = Rig::new(&format!(
        ".visible .entry k(.param .u64 out) {{
        .shared .align 8 .b64 bar; .shared .b32 s[32]; .reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .pred %p<4>;
        mov.u32 %r0, %cluster_ctarank; mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u32 %r3, bar; setp.eq.u32 %p0, %r1, 0;
        @%p0 mbarrier.init.shared.b64 [%r3], 32; mad.lo.u32 %r4, %r1, 4, %r2; st.shared.u32 [%r4], %r1;
        fence.mbarrier_init.release.cluster; barrier.cluster.arrive; barrier.cluster.wait;
        setp.eq.u32 %p1, %r0, 0; @%p1 bra LAST;
        mapa.shared::cluster.u32 %r5, %r4, 0; mapa.shared::cluster.u32 %r6, %r3, 0; ld.shared::cluster.u32 %r7, [%r5];
        {then} ret;
    LAST: {last} ret; }}"
    ));
    (0..8)
        .flat_map(|seed| {
            let launch = Launch {
                cluster: [2, 1, 1],
                checks: Checks::all(),
                seed,
                ..Launch::new("k", [2, 1, 1], [32, 1, 1], &[0; 8])
            };
            let report = rig.device.launch(&rig.instance, &launch);
            let report = report.unwrap_or_else(|fault| panic!("{fault}"));
            let said = report.findings.iter().map(ToString::to_string);
            let said: Vec<String> = said.collect();
            if said.is_empty() {
                None
            } else {
                Some(said.concat())
            }
        })
        .collect()
}

#[test]
fn what_a_block_does_not_wait_for_before_it_ends_is_found_in_each_schedule() {
    let barrier = "barrier.cluster.arrive; barrier.cluster.wait;";
    let relaxed = "barrier.cluster.arrive.relaxed; barrier.cluster.wait;";
    let arrive = "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r6];";
    let wait =
        "WAIT: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p2, [%r3], 0; @!%p2 bra WAIT;";
    for (last, then) in [(barrier, barrier), (relaxed, relaxed), (wait, arrive)] {
        assert_eq!(found_at_an_end(last, then), [""; 0], "{last}");
    }
    // A barrier of the block alone, and one that does not come after the read.
    for (last, then) in [("", ""), ("bar.sync 0;", "bar.sync 0;")] {
        let found = found_at_an_end(last, then);
        assert_eq!(found.len(), 8, "{last}");
        for said in found {
            assert!(
                said.contains("read of shared memory of a block that"),
                "{said}"
            );
            assert!(
                said.contains("the memory belongs to block (0,0,0)"),
                "{said}"
            );
        }
    }
}
