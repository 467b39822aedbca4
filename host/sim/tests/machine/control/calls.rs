//! Random trees of calls with divergent depth, checked against each lane alone.
//!
//! Every function takes parameters of several widths, keeps values of 32 and 64 bits and a
//! predicate over its calls, writes its `.param` space in loops, and may call itself. It also waits
//! for the warp's other lanes in the middle, so that lanes at all depths wait at the same time. The
//! lane's number alone decides which functions the lane calls. A lane alone in its block runs the
//! same kernel, and both results must be equal.

use std::fmt::Write;

use crate::common::{Numbers, Rig};

const FUNCTIONS: usize = 5;

/// `f<n>(x: b32, y: b64, depth: b8) -> (b64)`. The state `x` decides which branches are taken.
fn function(n: usize, numbers: &mut Numbers, meet: &str) -> String {
    let wide = numbers.within((1, 6));
    let narrow = numbers.within((1, 6));
    let pads = |kind: &str, count: i64| format!(".reg .{kind} %{kind}_<{}>;", count + 1);
    let mut text = format!(
        ".func (.param .b64 r) f{n}(.param .b32 x, .param .align 8 .b8 y[16], .param .b8 depth) {{
        {} {} .reg .b32 %x, %d, %i, %c, %s; .reg .b64 %y, %z, %a; .reg .pred %p, %q, %k;
        .param .b32 ax; .param .align 8 .b8 ay[16]; .param .b8 ad; .param .b64 ar; .local .align 8 .b8 own[24];
        ld.param.b32 %x, [x]; ld.param.b64 %y, [y+8]; ld.param.b64 %z, [y]; ld.param.u8 %d, [depth]; add.u64 %y, %y, %z;\n",
        pads("b64", wide),
        pads("b32", narrow)
    );
    let _ = write!(
        text,
        "st.local.b64 [own+8], %y; and.b32 %c, %x, 1; setp.ne.u32 %k, %c, 0;"
    );
    for i in 0..wide {
        let _ = write!(text, "add.u64 %b64_{i}, %y, {};", numbers.within((1, 1000)));
    }
    for i in 0..narrow {
        let _ = write!(text, "xor.b32 %b32_{i}, %x, {};", numbers.within((1, 1000)));
    }
    let _ = write!(
        text,
        "\nsetp.eq.u32 %p, %d, 0; @%p bra END; sub.u32 %d, %d, 1;"
    );
    // A loop of calls; each round takes one of three ways.
    let rounds = numbers.within((1, 2));
    let [one, two, three] = [0; 3].map(|_| numbers.within((0, FUNCTIONS as i64 - 1)));
    let (multiplier, shift) = (
        numbers.within((1, 1 << 20)) * 2 + 1,
        numbers.within((5, 20)),
    );
    let _ = write!(
        text,
        "
        mov.b32 %i, 0; mov.b64 %a, 9;
    AGAIN: mad.lo.u32 %x, %x, {multiplier}, 12345; shr.u32 %s, %x, {shift}; and.b32 %s, %s, 3;
        st.param.b32 [ax], %x; st.param.b64 [ay], %y; st.param.b64 [ay+8], %a; st.param.b8 [ad], %d;
        setp.eq.u32 %p, %s, 0; @%p bra ONE; setp.eq.u32 %p, %s, 1; @%p bra TWO; setp.eq.u32 %p, %s, 2; @%p bra NEXT;
        call (ar), f{three}, (ax, ay, ad); bra TAKE;
    ONE: call (ar), f{one}, (ax, ay, ad); bra TAKE;
    TWO: {meet} call (ar), f{two}, (ax, ay, ad);
    TAKE: ld.param.b64 %a, [ar]; xor.b64 %y, %y, %a;
    NEXT: add.u32 %i, %i, 1; setp.lt.u32 %p, %i, {rounds}; @%p bra AGAIN;
    END: {meet}\n"
    );
    // Everything that was kept is part of the result.
    let _ = write!(
        text,
        "mul.lo.u64 %y, %y, 31; selp.b32 %c, 3, 4, %k; cvt.u64.u32 %a, %c; add.u64 %y, %y, %a; ld.local.b64 %a, [own+8]; add.u64 %y, %y, %a;"
    );
    for i in 0..wide {
        let _ = write!(text, "mul.lo.u64 %y, %y, 31; add.u64 %y, %y, %b64_{i};");
    }
    for i in 0..narrow {
        let _ = write!(
            text,
            "cvt.u64.u32 %a, %b32_{i}; mul.lo.u64 %y, %y, 31; add.u64 %y, %y, %a;"
        );
    }
    text + "st.param.b64 [r], %y; ret; }\n"
}

fn program(seed: u64, meet: &str) -> String {
    let mut numbers = Numbers(seed);
    let mut text = String::new();
    for n in 0..FUNCTIONS {
        let _ = writeln!(
            text,
            ".func (.param .b64 r) f{n}(.param .b32 x, .param .align 8 .b8 y[16], .param .b8 depth);"
        );
    }
    for n in 0..FUNCTIONS {
        text += &function(n, &mut numbers, meet);
    }
    text + ".visible .entry k(.param .u64 out, .param .u64 alone, .param .u64 depth) {
        .reg .b64 %rd<6>; .reg .b32 %t, %b, %u, %d; .reg .pred %p; .param .b32 ax; .param .align 8 .b8 ay[16]; .param .b8 ad; .param .b64 ar;
        mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; add.u32 %t, %t, %b;
        ld.param.u64 %rd0, [out]; mad.wide.u32 %rd0, %t, 8, %rd0; ld.param.u32 %d, [depth];
        mul.lo.u32 %u, %t, 747796405; st.param.b32 [ax], %u; cvt.u64.u32 %rd1, %t; st.param.b64 [ay], %rd1; st.param.b64 [ay+8], %rd1; st.param.b8 [ad], %d;
        and.b32 %u, %t, 1; setp.ne.u32 %p, %u, 0; @%p bra ODD;
        call (ar), f0, (ax, ay, ad); bra JOIN;
    ODD: call (ar), f1, (ax, ay, ad);
    JOIN: ld.param.b64 %rd2, [ar]; st.global.b64 [%rd0], %rd2; ret; }\n"
}

#[test]
fn random_calls_give_what_each_lane_gives_alone() {
    let meets = [
        "bar.warp.sync -1;",
        "vote.sync.any.pred %q, %p, -1;",
        "shfl.sync.idx.b32 %c, %x, 0, 31, -1;",
        "nanosleep.u32 20;",
    ];
    for seed in 0..24 {
        let meet = meets[seed as usize % meets.len()];
        let rig = Rig::new(&program(seed, meet));
        let (together, alone) = (rig.buffer(&[0u64; 32]), rig.buffer(&[1u64; 32]));
        rig.ok("k", 1, 32, &[together, 0, 5]);
        rig.ok("k", 32, 1, &[alone, 0, 5]);
        let (together, alone) = (rig.read::<u64>(together, 32), rig.read::<u64>(alone, 32));
        assert_eq!(together, alone, "seed {seed}, `{meet}`");
        assert!(together[1..].iter().any(|v| *v != together[0]));
    }
}
