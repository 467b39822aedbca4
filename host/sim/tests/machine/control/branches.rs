//! `bra`, `brx.idx`, `call`, `ret`, `exit`, `trap`, `brkpt`, `nanosleep` and the hints beside them.

use crate::common::Rig;

#[test]
fn an_indexed_branch_goes_where_each_lane_says() {
    for uni in ["", ".uni"] {
        let rig = Rig::new(&format!(
            ".visible .entry k(.param .u64 out, .param .u64 by) {{ .reg .b64 %rd<4>; .reg .b32 %r<6>;
            ld.param.u64 %rd0, [out]; ld.param.u32 %r5, [by]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1;
            mul.lo.u32 %r1, %r0, %r5; and.b32 %r1, %r1, 3; mov.b32 %r2, 7;
        T: .branchtargets A, B, C, A;
            brx.idx{uni} %r1, T;
        A: add.u32 %r2, %r2, 1; bra END;
        B: add.u32 %r2, %r2, 20; bra.uni C;
        C: add.u32 %r2, %r2, 300;
        END: st.global.u32 [%rd0], %r2; ret; }}"
        ));
        let out = rig.buffer(&[0u32; 64]);
        for by in [0, 1] {
            if by == 1 && !uni.is_empty() {
                continue;
            }
            rig.ok("k", 1, 64, &[out, by]);
            let expected: Vec<u32> = (0..64u64)
                .map(|t| [8, 327, 307, 8][(t * by % 4) as usize])
                .collect();
            assert_eq!(rig.read::<u32>(out, 64), expected, "by {by}");
        }
    }
}

#[test]
fn an_index_past_the_table_is_said() {
    let rig = Rig::new(
        ".visible .entry k() { .reg .b32 %r<2>; mov.u32 %r0, %tid.x;
    T: .branchtargets A, A;
        brx.idx %r0, T;
    A: ret; }",
    );
    rig.ok("k", 1, 2, &[]);
    let report = rig.fault("k", 1, 3, &[]);
    assert!(
        report.contains("index 2 of a branch table of 2 targets"),
        "{report}"
    );
}

const POINTERS: &str = "
    .visible .func (.param .b32 r) twice(.param .b32 x) { .reg .b32 %r<2>; ld.param::func.b32 %r0, [x]; add.u32 %r0, %r0, %r0; st.param::func.b32 [r], %r0; ret; }
    .visible .func (.param .b32 r) next(.param .b32 x) { .reg .b32 %r<2>; ld.param.b32 %r0, [x]; add.u32 %r0, %r0, 1; st.param.b32 [r], %r0; ret; }
    .visible .func (.param .b64 r) other(.param .b64 x) { .reg .b64 %r<2>; ld.param.b64 %r0, [x]; st.param.b64 [r], %r0; ret; }
    .global .align 8 .u64 table[3] = {twice, next, other};
    .visible .entry k(.param .u64 out, .param .u64 and) { .reg .b64 %rd<6>; .reg .b32 %r<6>;
        .param .b32 a; .param .b32 r;
        ld.param.u64 %rd0, [out]; ld.param.u32 %r5, [and]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1;
        and.b32 %r1, %r0, %r5; mov.u64 %rd2, table; mul.wide.u32 %rd3, %r1, 8; add.u64 %rd2, %rd2, %rd3; ld.global.u64 %rd4, [%rd2];
        st.param::func.b32 [a], %r0;
    P: .callprototype (.param .b32 _) _ (.param .b32 _);
        call (r), %rd4, (a), P;
        ld.param::func.b32 %r2, [r]; st.global.u32 [%rd0], %r2; ret; }";

#[test]
fn calls_go_through_each_lanes_pointer() {
    let rig = Rig::new(POINTERS);
    let out = rig.buffer(&[0u32; 64]);
    rig.ok("k", 1, 64, &[out, 0]);
    assert!((0..64).all(|t| rig.read::<u32>(out, 64)[t] == 2 * t as u32));
    rig.ok("k", 1, 64, &[out, 1]);
    let got = rig.read::<u32>(out, 64);
    assert!(
        (0..64).all(|t| got[t as usize] == if t % 2 == 0 { 2 * t } else { t + 1 }),
        "{got:?}"
    );
    let report = rig.fault("k", 1, 64, &[out, 2]);
    assert!(
        report.contains("is a function with other parameters than the call has"),
        "{report}"
    );
}

#[test]
fn a_call_of_no_function_is_said() {
    let rig = Rig::new(
        ".visible .entry k() { .reg .b64 %rd<2>; mov.b64 %rd0, 4096;
    P: .callprototype _ ();
        call %rd0, (), P; ret; }",
    );
    let report = rig.fault("k", 1, 1, &[]);
    assert!(
        report.contains("a call to 0x1000, which is not the address of a function"),
        "{report}"
    );
}

#[test]
fn ends_and_traps() {
    let rig = Rig::new(
        ".visible .entry k(.param .u64 out, .param .u64 what) { .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p<4>;
        ld.param.u64 %rd0, [out]; ld.param.u32 %r1, [what]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1;
        setp.eq.u32 %p0, %r1, 1; @%p0 trap; setp.eq.u32 %p1, %r1, 2; @%p1 brkpt;
        nanosleep.u32 20; nanosleep.u32 %r0; pmevent 1; pmevent.mask 3;
        setp.gt.u32 %p2, %r0, 9; @%p2 exit; mov.b32 %r2, 1; st.global.u32 [%rd0], %r2; setp.gt.u32 %p3, %r0, 4; @%p3 ret;
        mov.b32 %r2, 2; st.global.u32 [%rd0], %r2; }",
    );
    let out = rig.buffer(&[0u32; 32]);
    rig.ok("k", 1, 32, &[out, 0]);
    let expected: Vec<u32> = (0..32)
        .map(|t| if t < 5 { 2 } else { u32::from(t < 10) })
        .collect();
    assert_eq!(rig.read::<u32>(out, 32), expected);
    assert!(rig.fault("k", 1, 32, &[out, 1]).contains("trap"));
    assert!(rig.fault("k", 1, 32, &[out, 2]).contains("breakpoint"));
}

#[test]
fn register_counts_are_hints() {
    let rig = Rig::new(
        ".version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out) { .reg .b64 %rd<2>; .reg .b32 %r<2>;
        setmaxnreg.inc.sync.aligned.u32 96; setmaxnreg.dec.sync.aligned.u32 40;
        ld.param.u64 %rd0, [out]; mov.b32 %r0, 5; st.global.u32 [%rd0], %r0; ret; }",
    );
    let out = rig.buffer(&[0u32]);
    rig.ok("k", 1, 32, &[out]);
    assert_eq!(rig.read::<u32>(out, 1), [5]);
}
