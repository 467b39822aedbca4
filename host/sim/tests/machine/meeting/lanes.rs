//! Lanes that reach one `.sync` instruction on different paths: through other functions, or at
//! other places in the text.

use crate::common::Rig;

/// Even lanes call `meet` directly, odd ones through two more functions, whose frames have rows
/// of other widths.
fn by_wrapper(instruction: &str) -> Rig {
    Rig::new(&format!(
        ".visible .func (.param .b32 r) meet(.param .b32 x) {{ .reg .b32 %a, %d; .reg .pred %p, %q;
            ld.param.b32 %a, [x]; setp.ne.u32 %p, %a, 99; mov.b32 %d, 0;
            {instruction}
            st.param.b32 [r], %d; ret; }}
        .visible .func (.param .b32 r) inner(.param .b32 x) {{ .reg .b64 %w<4>; .reg .b32 %a; .param .b32 in; .param .b32 out;
            ld.param.b32 %a, [x]; mov.b64 %w0, 77; cvt.u64.u32 %w1, %a; add.u64 %w2, %w0, %w1; st.param.b32 [in], %a;
            call (out), meet, (in);
            ld.param.b32 %a, [out]; sub.u64 %w3, %w2, %w1; cvt.u32.u64 %a, %w3; sub.u32 %a, %a, 77;
            {{ .reg .b32 %o; ld.param.b32 %o, [out]; add.u32 %a, %a, %o; }}
            st.param.b32 [r], %a; ret; }}
        .visible .func (.param .b32 r) outer(.param .b32 x) {{ .reg .b32 %a; .param .b32 in; .param .b32 out;
            ld.param.b32 %a, [x]; st.param.b32 [in], %a; call (out), inner, (in); ld.param.b32 %a, [out]; st.param.b32 [r], %a; ret; }}
        .visible .entry k(.param .u64 to) {{ .reg .b64 %rd<3>; .reg .b32 %t, %o, %d; .reg .pred %p; .param .b32 in; .param .b32 out;
            ld.param.u64 %rd0, [to]; mov.u32 %t, %tid.x; mad.wide.u32 %rd0, %t, 4, %rd0; st.param.b32 [in], %t;
            and.b32 %o, %t, 1; setp.ne.u32 %p, %o, 0; @%p bra ODD;
            call (out), meet, (in); bra JOIN;
        ODD: call (out), outer, (in);
        JOIN: ld.param.b32 %d, [out]; st.global.u32 [%rd0], %d; ret; }}"
    ))
}

fn results(rig: &Rig) -> Vec<u32> {
    let out = rig.buffer(&[0u32; 32]);
    rig.ok("k", 1, 32, &[out]);
    rig.read(out, 32)
}

#[test]
fn a_vote_is_one_through_a_wrapper_too() {
    let rig = by_wrapper("vote.sync.all.pred %q, %p, -1; selp.b32 %d, 1, 0, %q;");
    assert_eq!(results(&rig), [1; 32]);
}

#[test]
fn exchanges_reach_lanes_in_other_frames() {
    let rig = by_wrapper("shfl.sync.bfly.b32 %d, %a, 1, 31, -1;");
    let expected: Vec<u32> = (0..32).map(|t| t ^ 1).collect();
    assert_eq!(results(&rig), expected);
    let rig = by_wrapper("redux.sync.add.u32 %d, %a, -1;");
    assert_eq!(results(&rig), [496; 32]);
    let rig = by_wrapper("setp.gt.u32 %p, %a, 4; vote.sync.ballot.b32 %d, %p, -1;");
    assert_eq!(results(&rig), [0xffff_ffe0; 32]);
}

#[test]
fn matrices_reach_lanes_in_other_frames() {
    // Each lane brings its number in two halves; the transposed 8x8 matrix has element (row,
    // column) of the other's.
    let rig = by_wrapper("movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;");
    let whole = Rig::new(
        ".visible .entry k(.param .u64 to) { .reg .b64 %rd<3>; .reg .b32 %t, %d;
        ld.param.u64 %rd0, [to]; mov.u32 %t, %tid.x; mad.wide.u32 %rd0, %t, 4, %rd0;
        movmatrix.sync.aligned.m8n8.trans.b16 %d, %t; st.global.u32 [%rd0], %d; ret; }",
    );
    assert_eq!(results(&rig), results(&whole));
}

/// Lanes below 20 run `first`, the others `second`: the same instruction at two places, with
/// different registers. Lane 31 ends early.
fn at_two_places(first: &str, second: &str) -> Vec<u32> {
    let rig = Rig::new(&format!(
        ".visible .entry k(.param .u64 to) {{ .reg .b64 %rd<3>; .reg .b64 %w, %v; .reg .b32 %t, %d, %e, %f, %g, %h; .reg .pred %p, %q, %s, %u;
            ld.param.u64 %rd0, [to]; mov.u32 %t, %tid.x; mad.wide.u32 %rd0, %t, 4, %rd0; mov.b32 %d, 7; mov.b32 %e, %t; mov.b32 %f, 31; mov.b32 %g, -1; mov.b32 %h, 3;
            shr.u32 %d, %t, 2; cvt.u64.u32 %w, %d; mov.b64 %v, %w; mov.b32 %d, 7;
            setp.gt.u32 %p, %t, 4; setp.gt.u32 %s, %t, 4; setp.ge.u32 %q, %t, 20; setp.eq.u32 %u, %t, 31; @%u exit;
            @%q bra SECOND; {first} bra JOIN;
        SECOND: {second}
        JOIN: st.global.u32 [%rd0], %d; ret; }}"
    ));
    let out = rig.buffer(&[0u32; 32]);
    rig.ok("k", 1, 32, &[out]);
    rig.read(out, 31)
}

#[test]
fn a_sync_instruction_is_met_at_another_place_of_the_text() {
    let live = 0x7fff_ffffu32;
    let lanes = 0..31u32;
    let got = at_two_places(
        "shfl.sync.idx.b32 %d, %t, 3, 31, -1;",
        "shfl.sync.idx.b32 %d|%u, %e, %h, %f, %g;",
    );
    assert_eq!(got, [3; 31]);
    // A destination that is a source at one place and none at the other.
    let got = at_two_places(
        "shfl.sync.up.b32 %t, %t, 1, 0, -1; mov.b32 %d, %t;",
        "shfl.sync.up.b32 %d, %e, 1, 0, %g; sub.u32 %d, %d, %t; add.u32 %d, %d, %e;",
    );
    assert_eq!(
        got,
        lanes
            .clone()
            .map(|t| t.saturating_sub(1))
            .collect::<Vec<_>>()
    );
    let got = at_two_places(
        "vote.sync.any.pred %q, !%p, -1; selp.b32 %d, 5, 6, %q;",
        "vote.sync.any.pred %u, %s, %g; selp.b32 %d, 5, 6, %u;",
    );
    assert_eq!(got, [5; 31]);
    let got = at_two_places(
        "vote.sync.ballot.b32 %d, 1, -1;",
        "vote.sync.ballot.b32 %d, 0, -1;",
    );
    assert_eq!(got, [0x000f_ffff; 31]);
    let got = at_two_places(
        "vote.sync.ballot.b32 %d, %p, -1;",
        "vote.sync.ballot.b32 %d, !%s, -1;",
    );
    assert_eq!(got, [0x000f_ffe0; 31]);
    let got = at_two_places(
        "match.any.sync.b64 %d, %w, -1;",
        "match.any.sync.b64 %d, %v, %g;",
    );
    assert_eq!(
        got,
        lanes
            .clone()
            .map(|t| (15 << (t / 4 * 4)) & live)
            .collect::<Vec<_>>()
    );
    let got = at_two_places(
        "match.all.sync.b32 %d, %h, -1;",
        "match.all.sync.b32 %d|%u, 3, -1;",
    );
    assert_eq!(got, [live; 31]);
    let got = at_two_places(
        "redux.sync.max.u32 %d, %t, -1;",
        "redux.sync.max.u32 %d, %e, %g;",
    );
    assert_eq!(got, [30; 31]);
    let got = at_two_places(
        "elect.sync _|%q, -1; selp.b32 %d, 8, 9, %q;",
        "elect.sync %d|%u, -1; selp.b32 %h, 8, 9, %u; add.u32 %d, %d, %h;",
    );
    assert_eq!(
        got,
        lanes
            .map(|t| if t == 0 { 8 } else { 9 })
            .collect::<Vec<_>>()
    );
}

#[test]
fn other_words_do_not_meet() {
    let rig = Rig::new(
        ".visible .entry k() { .reg .b32 %t, %d; .reg .pred %q; mov.u32 %t, %tid.x; setp.ge.u32 %q, %t, 20;
            @%q bra SECOND; shfl.sync.up.b32 %d, %t, 1, 0, -1; bra JOIN;
        SECOND: shfl.sync.down.b32 %d, %t, 1, 31, -1;
        JOIN: ret; }",
    );
    let report = rig.fault("k", 1, 32, &[]);
    assert!(
        report.contains("lanes 0x000fffff wait at ptx line 5 for lanes 0xfff00000"),
        "{report}"
    );
}

#[test]
fn warps_meet_at_two_barriers_while_a_lane_spins() {
    // Lane 0 sets the flag after its barrier; lane 31 spins on it.
    let rig = Rig::new(
        ".visible .entry k(.param .u64 flag) { .reg .b64 %rd; .reg .b32 %t, %d; .reg .pred %p, %q, %s;
            ld.param.u64 %rd, [flag]; mov.u32 %t, %tid.x; setp.ge.u32 %q, %t, 20; setp.eq.u32 %p, %t, 31; setp.eq.u32 %s, %t, 0;
            @%p bra SPIN; @%q bra SECOND; bar.warp.sync 0x7fffffff; mov.b32 %d, 1; @%s st.volatile.global.u32 [%rd], %d; ret;
        SECOND: bar.warp.sync 0x7fffffff; ret;
        SPIN: ld.volatile.global.u32 %d, [%rd]; setp.eq.u32 %p, %d, 0; @%p bra SPIN; ret; }",
    );
    let flag = rig.buffer(&[0u32]);
    rig.ok("k", 1, 32, &[flag]);
}
