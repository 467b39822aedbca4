//! Loads and stores that use one address register several times. What the machine caches for one
//! address must never be used for another.

use crate::common::{Numbers, Rig};

/// A body of loads, stores, changes of address registers, branches and warp barriers. `before` is
/// put before each access.
fn body(seed: u64, before: &str) -> String {
    let mut numbers = Numbers(seed);
    let mut text = String::new();
    let (mut open, mut labels) = (None, 0);
    for _ in 0..60 {
        let register = ["%g", "%one", "%s", "%n"][numbers.below(4) as usize];
        let space = if matches!(register, "%g" | "%one") {
            "global"
        } else {
            "shared"
        };
        // The narrow register has 32 bits.
        let change = if register == "%n" {
            "add.u32 %n, %n"
        } else {
            &format!("add.u64 {register}, {register}")
        };
        let guard = ["", "", "@%p1 ", "@!%p2 "][numbers.below(4) as usize];
        let offset = numbers.below(32) * 4;
        let keep = before.replace("CHANGE", change);
        text += &match numbers.below(12) {
            0..5 => format!(
                "{keep}{guard}ld.{space}.b32 %r1, [{register}+{offset}]; mad.lo.u32 %acc, %acc, 31, %r1;\n"
            ),
            5..7 => format!("{keep}{guard}st.{space}.b32 [{register}+{offset}], %acc;\n"),
            7 if matches!(register, "%one" | "%n") => format!(
                "{keep}{guard}ld.{space}.v2.b32 {{%r1, %r2}}, [{register}+{}]; add.u32 %acc, %r1, %r2;\n",
                offset / 8 * 8
            ),
            7..10 => format!("{guard}{change}, 8;\n"),
            10 => match open.take() {
                Some(label) => format!("L{label}:\n"),
                None => {
                    labels += 1;
                    open = Some(labels);
                    let p = ["%p1", "%p2", "%p3"][numbers.below(3) as usize];
                    format!("@{p} bra L{labels};\n")
                }
            },
            _ if open.is_none() => {
                ["bar.warp.sync -1;\n", "bar.sync 0;\n"][numbers.below(2) as usize].into()
            }
            _ => "activemask.b32 %r2; popc.b32 %r2, %r2; add.u32 %acc, %acc, %r2;\n".into(),
        };
    }
    if let Some(label) = open {
        text += &format!("L{label}:\n");
    }
    text
}

/// What the kernel leaves in memory.
fn run(seed: u64, before: &str) -> Vec<u32> {
    let body = body(seed, before);
    let rig = Rig::new(&format!(
        ".visible .entry k(.param .u64 data, .param .u64 out) {{
        .shared .align 16 .b32 tile[1024]; .reg .b64 %g, %one, %s, %rd<4>; .reg .b32 %acc, %n, %i, %me, %r<4>; .reg .pred %p<5>;
        mov.u32 %me, %tid.x; mul.wide.u32 %rd0, %me, 4;
        mov.u64 %s, tile; add.u64 %s, %s, %rd0; st.shared.b32 [%s], %me; st.shared.b32 [%s+256], %me; bar.sync 0;
        and.b32 %r1, %me, 1; setp.eq.u32 %p1, %r1, 0; setp.lt.u32 %p2, %me, 40; mov.u32 %acc, %me; mov.u32 %i, 0;
        AGAIN: and.b32 %r1, %i, %me; setp.eq.u32 %p3, %r1, 0;
        ld.param.u64 %one, [data]; add.u64 %g, %one, %rd0;
        mov.u64 %s, tile; add.u64 %s, %s, %rd0; mul.lo.u32 %n, %me, 8; mov.u32 %r1, tile; add.u32 %n, %n, %r1;
        {body}
        add.u32 %i, %i, 1; setp.lt.u32 %p4, %i, 3; @%p4 bra AGAIN;
        ld.param.u64 %rd1, [out]; add.u64 %rd1, %rd1, %rd0; st.global.b32 [%rd1], %acc; ret; }}"
    ));
    let data = rig.buffer_aligned(&(0..256u32).map(|i| i * i).collect::<Vec<_>>(), 16);
    let out = rig.buffer(&[0u32; 64]);
    // The warps race: which goes first does not depend on the instructions between, so it is the
    // same one in both kernels.
    rig.ok("k", 1, 64, &[data, out]);
    let mut left: Vec<u32> = rig.read(data, 256);
    left.extend(rig.read::<u32>(out, 64));
    left
}

#[test]
fn repeated_addresses_are_those_of_the_register() {
    for seed in 0..120 {
        // An addition of nothing writes to the register, so that its addresses are looked at anew.
        let (kept, anew) = (run(seed, ""), run(seed, "CHANGE, 0;\n"));
        assert_eq!(kept, anew, "seed {seed}\n{}", body(seed, ""));
    }
}

#[test]
fn a_repeated_address_is_checked_with_its_own_offset() {
    let rig = Rig::new(
        ".visible .entry k(.param .u64 data) {
        .reg .b64 %rd<3>; .reg .b32 %r<4>; .reg .u64 %g;
        mov.u32 %r0, %tid.x; ld.param.u64 %rd0, [data]; mul.wide.u32 %rd1, %r0, 4; add.u64 %g, %rd0, %rd1;
        ld.global.b32 %r1, [%g]; ld.global.b32 %r2, [%g+128]; ld.global.b32 %r3, [%g+132]; ret; }",
    );
    let data = rig.buffer(&[0u32; 64]);
    let report = rig.fault("k", 1, 32, &[data]);
    assert!(report.contains("thread (31,0,0)"), "{report}");
    let rig = Rig::new(
        ".visible .entry k(.param .u64 data) {
        .reg .b64 %rd<3>; .reg .b32 %r<4>; .reg .u64 %g;
        mov.u32 %r0, %tid.x; ld.param.u64 %rd0, [data]; mul.wide.u32 %rd1, %r0, 4; add.u64 %g, %rd0, %rd1;
        ld.global.b32 %r1, [%g]; ld.global.b32 %r2, [%g+2]; ret; }",
    );
    let data = rig.buffer(&[0u32; 64]);
    let report = rig.fault("k", 1, 32, &[data]);
    assert!(report.contains("is not a multiple of 4"), "{report}");
}
