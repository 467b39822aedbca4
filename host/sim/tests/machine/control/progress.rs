//! Launches that never end are found by their state: nothing changes, and nothing will change.

use std::time::Duration;

use crate::common::Rig;
use lanewise_sim::{AllocationKind, DeviceModel, Launch};

/// Returns the report of a launch that can't end. The budget of instructions is not
/// needed for that.
fn stuck(body: &str, grid: u32, block: u32, params: usize) -> String {
    let rig = Rig::new(body);
    let words = vec![rig.buffer(&[0u32; 64]); params];
    let report = rig.fault("k", grid, block, &words);
    assert!(report.starts_with("deadlock: "), "{report}");
    report
}

const HEAD: &str = ".visible .entry k(.param .u64 flag) { .reg .b64 %rd<4>; .reg .b32 %t, %b, %d, %e; .reg .pred %p, %q, %s;
    ld.param.u64 %rd0, [flag]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; setp.eq.u32 %s, %t, 0;\n";

#[test]
fn an_empty_loop_has_no_future() {
    let report = stuck(".visible .entry k() { L: bra.uni L; }", 4, 64, 0);
    assert!(
        report.contains("warp 0: 32 threads spin (ptx line 4, "),
        "{report}"
    );
    assert!(report.contains("accesses no memory"), "{report}");
}

#[test]
fn a_flag_that_nobody_sets_is_named_with_its_value() {
    let report = stuck(
        &format!(
            "{HEAD} SPIN: ld.acquire.gpu.global.u32 %d, [%rd0+8]; setp.eq.u32 %p, %d, 0; @%p bra SPIN; ret; }}"
        ),
        1,
        32,
        1,
    );
    assert!(
        report.contains("block 0, warp 0: 32 threads spin (ptx line 6, `ld.acquire.gpu.global.u32`): thread (0,0,0) reads 0x0 at an address that is 8 bytes into allocation #1"),
        "{report}"
    );
}

#[test]
fn a_lock_taken_twice_is_found() {
    let report = stuck(
        &format!(
            "{HEAD} @!%s ret;
        A: atom.global.cas.b32 %d, [%rd0], 0, 1; setp.ne.u32 %p, %d, 0; @%p bra A;
        B: atom.global.cas.b32 %d, [%rd0], 0, 1; setp.ne.u32 %p, %d, 0; @%p bra B; ret; }}"
        ),
        1,
        32,
        1,
    );
    assert!(
        report.contains("(ptx line 8, `atom.global.cas.b32`): thread (0,0,0) reads 0x1"),
        "{report}"
    );
}

#[test]
fn locks_in_opposite_orders_and_a_back_off_that_saturates_are_found() {
    // Lanes 0 and 1 take one lock each, meet, and then want the other's. They sleep longer each
    // time, up to a limit.
    let report = stuck(
        &format!(
            "{HEAD} setp.gt.u32 %q, %t, 1; @%q ret; xor.b32 %e, %t, 1;
            mad.wide.u32 %rd1, %t, 4, %rd0; mad.wide.u32 %rd2, %e, 4, %rd0; mov.b32 %e, 8;
        A: atom.global.exch.b32 %d, [%rd1], 1; setp.ne.u32 %p, %d, 0; @%p bra A;
            bar.warp.sync 3;
        B: atom.global.cas.b32 %d, [%rd2], 0, 1; setp.eq.u32 %p, %d, 0; @%p bra C;
            shl.b32 %e, %e, 1; min.u32 %e, %e, 1024; nanosleep.u32 %e; bra B;
        C: ret; }}"
        ),
        1,
        32,
        1,
    );
    assert!(report.contains("reads 0x1"), "{report}");
}

#[test]
fn a_barrier_of_blocks_that_do_not_fit_is_found_and_one_that_fits_ends() {
    // Every block arrives once and waits for all. A K40 has 15 multiprocessors, each with room for
    // two such blocks.
    let rig = Rig::on(
        DeviceModel::k40(),
        &format!(
            ".version 7.0\n.target sm_35\n.address_size 64\n{HEAD} mov.u32 %e, %nctaid.x; @!%s bra DONE; atom.global.add.u32 %d, [%rd0], 1;
        SPIN: ld.volatile.global.u32 %d, [%rd0]; setp.lt.u32 %p, %d, %e; @%p bra SPIN;
        DONE: bar.sync 0; ret; }}"
        ),
    );
    let counter = rig.buffer(&[0u32]);
    rig.ok("k", 30, 1024, &[counter]);
    let counter = rig.buffer(&[0u32]);
    let report = rig.fault("k", 31, 1024, &[counter]);
    assert!(
        report.contains("1 of 31 blocks or clusters have not begun: the device holds 30 at a time"),
        "{report}"
    );
}

#[test]
fn threads_at_a_barrier_wait_for_those_that_spin() {
    let report = stuck(
        &format!("{HEAD} setp.lt.u32 %q, %t, 32; @%q bra B; SPIN: ld.volatile.global.u32 %d, [%rd0]; setp.eq.u32 %p, %d, 0; @%p bra SPIN;
        B: bar.sync 0; @%s st.global.u32 [%rd0], 1; ret; }}").replace("@%s st.global.u32 [%rd0], 1;", "mov.b32 %e, 1; @%s st.global.u32 [%rd0], %e;"),
        1,
        64,
        1,
    );
    assert!(
        report.contains(
            "block 0, warp 0: 32 threads wait at barrier 0 (ptx line 7), 32 of 64 have arrived"
        ),
        "{report}"
    );
    assert!(
        report.contains("block 0, warp 1: 32 threads spin"),
        "{report}"
    );
}

#[test]
fn slow_is_not_stuck() {
    // Block 0 counts for long before it sets the flag; the others spin. That takes
    // a million rounds.
    let rig = Rig::new(&format!(
        "{HEAD} setp.eq.u32 %q, %b, 0; @%q bra COUNT;
        SPIN: ld.volatile.global.u32 %d, [%rd0]; setp.eq.u32 %p, %d, 0; @%p bra SPIN; ret;
        COUNT: mov.b32 %e, 0;
        L: add.u32 %e, %e, 1; setp.lt.u32 %p, %e, 1000000; @%p bra L; @%s st.volatile.global.u32 [%rd0], %e; ret; }}"
    ));
    for seed in [0, 3] {
        let flag = rig.buffer(&[0u32]);
        let bytes = flag.to_le_bytes();
        let launch = Launch {
            seed,
            ..Launch::new("k", [5, 1, 1], [64, 1, 1], &bytes)
        };
        rig.device
            .launch(&rig.instance, &launch)
            .unwrap_or_else(|fault| panic!("{fault}"));
    }
}

/// A loop that no branch leaves makes a launch that can't end, whatever it changes in each round.
#[test]
fn a_loop_without_a_way_out_is_found() {
    for (what, body) in [
        ("a counter", "L: add.u32 %d, %d, 1; bra L;"),
        (
            "a store",
            "L: add.u32 %d, %d, 1; st.global.u32 [%rd0], %d; bra L;",
        ),
        ("an atomic", "L: atom.global.add.u32 %d, [%rd0], 1; bra L;"),
        (
            "a clock",
            "L: mov.u64 %rd1, %clock64; st.global.u64 [%rd0], %rd1; bra L;",
        ),
        ("barriers", "L: bar.sync 0; add.u32 %d, %d, 1; bra L;"),
        (
            "some threads",
            "@%s bra L; exit; L: add.u32 %d, %d, 1; setp.eq.u32 %p, %d, 3; @%p bra L; bra L;",
        ),
    ] {
        let rig = Rig::new(&format!("{HEAD} mov.u32 %d, 0; {body} }}"));
        let buffer = rig.buffer(&[0u32; 64]);
        let report = rig.fault("k", 1, 64, &[buffer]);
        assert!(
            report.starts_with("endless loop: the end of the kernel"),
            "{what}: {report}"
        );
        assert!(report.contains("block 0, warp 0: "), "{what}: {report}");
    }
}

/// A loop with a way out may take long.
#[test]
fn a_long_loop_with_a_way_out_ends() {
    let rig = Rig::new(&format!(
        "{HEAD} mov.u32 %d, 0; L: add.u32 %d, %d, 1; st.global.u32 [%rd0], %d; setp.eq.u32 %p, %d, 4000000; @%p bra OUT; bra L; OUT: ret; }}"
    ));
    let buffer = rig.buffer(&[0u32; 64]);
    rig.ok("k", 1, 1, &[buffer]);
}

/// A call that never returns is a way out as well.
#[test]
fn a_long_loop_that_ends_by_an_assertion_is_not_endless() {
    let rig = Rig::new(&format!(
        ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
        {HEAD} mov.u32 %d, 0; L: add.u32 %d, %d, 1; st.global.u32 [%rd0], %d; setp.lt.u32 %p, %d, 4000000; @%p bra L;
        .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;
        st.param.b64 [m], 0; st.param.b64 [f], 0; st.param.b32 [l], 7; st.param.b64 [n], 0; st.param.b64 [s], 1;
        call __assertfail, (m, f, l, n, s); bra L; }}"
    ));
    let buffer = rig.buffer(&[0u32; 64]);
    let report = rig.fault("k", 1, 1, &[buffer]);
    assert!(report.contains("failed at ?:7"), "{report}");
}

/// A block waits for the host, and the others wait for the block. The host takes its time, which
/// is no deadlock.
#[test]
fn a_flag_of_the_hosts_is_waited_for() {
    let rig = Rig::new(&format!(
        "{HEAD} mul.wide.u32 %rd1, %b, 4; add.u64 %rd1, %rd0, %rd1;
        SPIN: ld.volatile.global.u32 %d, [%rd1]; setp.eq.u32 %p, %d, 0; @%p bra SPIN;
        st.volatile.global.u32 [%rd1+4], 1; ret; }}"
    ));
    let memory = rig.device.memory();
    let flags = memory
        .allocate(64, 4, AllocationKind::Pinned, None)
        .expect("memory");
    memory.written(flags, 64);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            // SAFETY: the flag is live and aligned; kernels read it volatile, too.
            unsafe { (flags as *mut u32).write_volatile(1) };
        });
        rig.ok("k", 3, 32, &[flags]);
    });
}
