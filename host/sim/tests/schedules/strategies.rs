//! Random schedules and PCT, deadlocks, and how a schedule is shown.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::Rig;
use lanewise_sim::{Exploration, Fault, Launch, Report, Schedule};

fn run(
    rig: &Rig,
    schedule: &str,
    seed: u64,
    shape: (u32, u32),
    params: &[u64],
) -> Result<Report, Fault> {
    let bytes: Vec<u8> = params.iter().flat_map(|p| p.to_le_bytes()).collect();
    let schedule: Schedule = schedule.parse().expect("a schedule");
    let launch = Launch {
        seed,
        schedule,
        ..Launch::new("k", [shape.0, 1, 1], [shape.1, 1, 1], &bytes)
    };
    rig.device.launch(&rig.instance, &launch)
}

const HEAD: &str = ".visible .entry k(.param .u64 p) { .reg .b64 %rd<4>; .reg .b32 %t, %b, %d, %e; .reg .pred %p, %q, %s;
    ld.param.u64 %rd0, [p]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; setp.eq.u32 %s, %t, 0;\n";

/// Blocks add to a counter without an atomic.
const LOST: &str = "ld.global.u32 %d, [%rd0]; add.u32 %d, %d, 1; st.global.u32 [%rd0], %d; ret; }";

#[test]
fn every_strategy_loses_an_update_and_repeats_it_by_its_seed() {
    let rig = Rig::new(&format!("{HEAD}{LOST}"));
    for schedule in ["random", "pct:2", "random,weak", "pct:2,weak"] {
        let result = |seed| {
            let counter = rig.buffer(&[0u32]);
            let report = run(&rig, schedule, seed, (3, 1), &[counter])
                .unwrap_or_else(|fault| panic!("{fault}"));
            (rig.read::<u32>(counter, 1)[0], report.steps.len())
        };
        let results: Vec<_> = (0..32).map(result).collect();
        let found: BTreeSet<u32> = results.iter().map(|r| r.0).collect();
        // With old values to read an update is lost almost always.
        assert!(found.len() > 1, "{schedule}: {found:?}");
        assert_eq!(
            results,
            (0..32).map(result).collect::<Vec<_>>(),
            "{schedule}"
        );
    }
}

#[test]
fn correct_programs_stay_so() {
    // A lock by compare-and-swap around a plain counter, followed by a grid barrier.
    let rig = Rig::new(&format!(
        "{HEAD} @!%s bra MEET;
        LOCK: atom.acquire.gpu.global.cas.b32 %d, [%rd0+64], 0, 1; setp.ne.u32 %p, %d, 0; @%p bra LOCK;
        ld.global.u32 %d, [%rd0]; add.u32 %d, %d, 1; st.global.u32 [%rd0], %d;
        st.release.gpu.global.u32 [%rd0+64], 0;
        red.release.gpu.global.add.u32 [%rd0+128], 1; mov.u32 %e, %nctaid.x;
        SPIN: ld.acquire.gpu.global.u32 %d, [%rd0+128]; setp.lt.u32 %p, %d, %e; @%p bra SPIN;
        MEET: bar.sync 0; ld.global.u32 %d, [%rd0]; mad.wide.u32 %rd1, %b, 4, %rd0; @%s st.global.u32 [%rd1+256], %d; ret; }}"
    ));
    for schedule in ["random", "pct:3", "random,weak", "pct:3,weak"] {
        for seed in 0..8 {
            let memory = rig.buffer(&[0u32; 128]);
            run(&rig, schedule, seed, (5, 64), &[memory]).unwrap_or_else(|fault| panic!("{fault}"));
            let found = rig.read::<u32>(memory, 69);
            assert_eq!(
                (found[0], &found[64..69]),
                (5, &[5; 5][..]),
                "{schedule} {seed}"
            );
        }
    }
}

fn all(body: &str, shape: (u32, u32), weak: bool) -> (Option<String>, u64) {
    let rig = Rig::new(&format!("{HEAD}{body}"));
    let memory = rig.buffer(&[0u32; 64]);
    let exploration = Arc::new(Exploration::new(weak));
    let bytes = memory.to_le_bytes();
    while exploration.next_run() {
        // SAFETY: a live allocation of that many words, and no launch runs.
        unsafe { (memory as *mut u32).write_bytes(0, 64) };
        let launch = Launch {
            exploration: Some(exploration.clone()),
            ..Launch::new("k", [shape.0, 1, 1], [shape.1, 1, 1], &bytes)
        };
        if let Err(fault) = rig.device.launch(&rig.instance, &launch) {
            return (Some(fault.to_string()), exploration.runs());
        }
    }
    assert!(exploration.is_complete());
    (None, exploration.runs())
}

/// Two threads take two locks, the second one in the order that `other` says.
fn locks(other: &str) -> String {
    format!(
        "setp.eq.u32 %q, %b, 0; mov.u64 %rd1, %rd0; add.u64 %rd2, %rd0, 4; @%q bra A;
        {other}
        A: atom.acquire.gpu.global.exch.b32 %d, [%rd1], 1; setp.ne.u32 %p, %d, 0; @%p bra A;
        B: atom.acquire.gpu.global.exch.b32 %d, [%rd2], 1; setp.ne.u32 %p, %d, 0; @%p bra B;
        st.release.gpu.global.u32 [%rd2], 0; st.release.gpu.global.u32 [%rd1], 0; ret; }}"
    )
}

#[test]
fn locks_in_opposite_orders_are_found_and_in_one_order_proved() {
    for weak in [false, true] {
        let (report, _) = all(
            &locks("mov.u64 %rd2, %rd0; add.u64 %rd1, %rd0, 4;"),
            (2, 1),
            weak,
        );
        let report = report.expect("a deadlock");
        assert!(
            report.starts_with("deadlock: the remaining threads wait or spin"),
            "{report}"
        );
        assert!(
            report.contains("block 0, thread (0,0,0) spins: it reads 0x1"),
            "{report}"
        );
        assert!(
            report.contains("which block 1, thread (0,0,0) wrote last"),
            "{report}"
        );
        assert!(report.contains("= the schedule:"), "{report}");
        let (report, runs) = all(&locks(""), (2, 1), weak);
        assert!(report.is_none() && runs > 1, "{runs} runs: {report:?}");
    }
}

#[test]
fn a_flag_protocol_is_proved_or_its_schedule_shown() {
    let flag = |release: &str| {
        format!(
            "setp.ne.u32 %q, %b, 0; mov.b32 %e, 7; @%q bra READ;
        st.global.u32 [%rd0], %e; mov.b32 %e, 1; {release} [%rd0+128], %e; ret;
        READ: ld.acquire.gpu.global.u32 %d, [%rd0+128]; setp.eq.u32 %p, %d, 0; @%p bra READ;
        ld.global.u32 %d, [%rd0]; setp.ne.u32 %p, %d, 7; @%p trap; ret; }}"
        )
    };
    let (report, runs) = all(&flag("st.release.gpu.global.u32"), (2, 1), true);
    assert!(report.is_none(), "{runs} runs: {report:?}");
    let (report, _) = all(&flag("st.relaxed.gpu.global.u32"), (2, 1), true);
    let report = report.expect("old data");
    assert!(report.starts_with("trap"), "{report}");
    assert!(
        report.contains("reads a = 0x0, the value at the start; the newest is 0x7"),
        "{report}"
    );
    // Without weak memory the mistake has no effect.
    assert!(
        all(&flag("st.relaxed.gpu.global.u32"), (2, 1), false)
            .0
            .is_none()
    );
}

#[test]
fn deadlocks_by_spinning_are_found_at_once() {
    let cases = [
        // A flag that no thread sets.
        ("SPIN: ld.volatile.global.u32 %d, [%rd0]; setp.eq.u32 %p, %d, 0; @%p bra SPIN; ret; }", (2, 32), "which no thread has written"),
        // A lock taken twice.
        ("@!%s ret; A: atom.global.cas.b32 %d, [%rd0], 0, 1; setp.ne.u32 %p, %d, 0; @%p bra A;
        B: atom.global.cas.b32 %d, [%rd0], 0, 1; setp.ne.u32 %p, %d, 0; @%p bra B; ret; }", (1, 64), "thread (0,0,0) wrote last"),
        // A barrier of the grid that waits for one more than there are.
        ("mov.u32 %e, %nctaid.x; add.u32 %e, %e, 1; @!%s bra DONE; atom.global.add.u32 %d, [%rd0], 1;
        SPIN: ld.volatile.global.u32 %d, [%rd0]; setp.lt.u32 %p, %d, %e; @%p bra SPIN; DONE: bar.sync 0; ret; }", (4, 64), "reads 0x4"),
        // An empty loop.
        ("L: bra.uni L; }", (1, 32), "loops without accessing memory"),
    ];
    for (body, shape, says) in cases {
        let rig = Rig::new(&format!("{HEAD}{body}"));
        for schedule in ["random", "pct", "random,weak"] {
            let memory = rig.buffer(&[0u32; 64]);
            let report = match run(&rig, schedule, 1, shape, &[memory]) {
                Ok(_) => panic!("`{body}` ran to its end"),
                Err(fault) => fault.to_string(),
            };
            assert!(
                report.starts_with("deadlock: ") && report.contains(says),
                "{report}"
            );
        }
    }
}

#[test]
fn a_wait_for_a_block_that_cannot_begin_is_found() {
    let body = "mov.u32 %e, %nctaid.x; @!%s bra DONE; atom.global.add.u32 %d, [%rd0], 1;
        SPIN: ld.volatile.global.u32 %d, [%rd0]; setp.lt.u32 %p, %d, %e; @%p bra SPIN; DONE: bar.sync 0; ret; }";
    let rig = Rig::on(
        lanewise_sim::DeviceModel::k40(),
        &format!(".version 7.0\n.target sm_35\n.address_size 64\n{HEAD}{body}"),
    );
    let counter = rig.buffer(&[0u32]);
    run(&rig, "random", 0, (30, 1024), &[counter]).unwrap_or_else(|fault| panic!("{fault}"));
    let counter = rig.buffer(&[0u32]);
    let fault = run(&rig, "random", 0, (31, 1024), &[counter]).expect_err("31 do not fit");
    let report = fault.to_string();
    assert!(
        report.contains("1 of 31 blocks or clusters have not begun"),
        "{report}"
    );
}

#[test]
fn blocks_of_a_cluster_that_wait_for_each_other_are_named() {
    // Block 0 waits at the cluster's barrier for block 1, which waits for what block 0
    // writes behind it.
    let body = "mov.u32 %e, 1; setp.eq.u32 %q, %b, 0; @%q bra MEET;
        SPIN: ld.acquire.cluster.global.u32 %d, [%rd0]; setp.eq.u32 %p, %d, 0; @%p bra SPIN;
        MEET: barrier.cluster.arrive; barrier.cluster.wait; st.global.u32 [%rd0], %e; ret; }";
    let rig = Rig::new(&format!("{HEAD}{body}"));
    let memory = rig.buffer(&[0u32; 64]);
    let bytes = memory.to_le_bytes();
    for schedule in ["plain", "random", "pct,weak"] {
        let launch = Launch {
            schedule: schedule.parse().expect("a schedule"),
            cluster: [2, 1, 1],
            ..Launch::new("k", [2, 1, 1], [1, 1, 1], &bytes)
        };
        let fault = rig.device.launch(&rig.instance, &launch);
        let report = fault.expect_err("nobody goes on").to_string();
        assert!(report.starts_with("deadlock: "), "{report}");
        assert!(
            report.contains("1 thread waits at the cluster's barrier")
                && report.contains(", 1 of 2 have arrived"),
            "{report}"
        );
        assert!(report.contains("reads 0x0"), "{report}");
    }
}
