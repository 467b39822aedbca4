//! Forms that compilers and libraries write, with the modifiers in the order of their code.

use lanewise_sim::Module;

/// Each form was found in real code: CUTLASS and CuTe, CUB's onesweep sort, and the output of NVRTC
/// and Triton. ptxas 13.0 accepts all of them.
const SEEN: &[&str] = &[
    "ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];",
    "stmatrix.sync.aligned.x4.m8n8.shared.b16 [%r5], {%r1, %r2, %r3, %r4};",
    "vote.ballot.sync.b32 %r1, %p1, -1;",
    "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32.satfinite {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6};",
    "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64.rn {%g1, %g2}, {%g3}, {%g4}, {%g5, %g6};",
    "cvt.bf16.f16 %h1, %h2;",
    "max.s32.relu %r1, %r2, %r3;",
    "min.s16x2.relu %r1, %r2, %r3;",
    "fma.rn.f16x2.relu %r1, %r2, %r3, %r4;",
    "mbarrier.complete_tx.shared::cluster.relaxed.cluster.b64 [%r1], 1;",
    "ld.global.nc.b128 %q1, [%d1];",
    "fma.ftz.rn.f32 %f1, %f2, %f3, %f4;",
    "div.ftz.rn.f32 %f1, %f2, %f3;",
    "fence.gpu.acq_rel;",
    "prefetch.L2.global [%d1];",
    "ldu.global.b128 %q1, [%d1];",
    "atom.global.v2.f32.add {%f1, %f2}, [%d1], {%f3, %f4};",
    "atom.relaxed.add.v2.f32 {%f1, %f2}, [%d1], {%f3, %f4};",
    "atom.add.noftz.v2.f16 {%h1, %h2}, [%d1], {%h3, %h4};",
    "red.relaxed.gpu.add.v2.f32 [%d1], {%f3, %f4};",
];

fn module(target: &str, instruction: &str) -> String {
    format!(
        ".version 9.0\n.target {target}\n.address_size 64\n.entry k() {{ .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .f64 %g<9>; .reg .b16 %h<9>; .reg .b64 %d<9>; .reg .b128 %q<2>; .reg .pred %p<2>;\n{instruction}\nret; }}"
    )
}

#[test]
fn every_form_that_was_seen_loads_and_can_run() {
    let wide = ["ld.global.L2::evict_last.L1::evict_last.v4.u64 {%d1, %d2, %d3, %d4}, [%d5];"];
    let all = SEEN.iter().map(|form| ("sm_90", form));
    for (target, form) in all.chain(wide.iter().map(|form| ("sm_100", form))) {
        let loaded =
            Module::load(&module(target, form)).unwrap_or_else(|error| panic!("{form}: {error}"));
        let refused = loaded.kernel("k").and_then(|kernel| kernel.refused.clone());
        assert_eq!(refused, None, "{form}");
    }
}

#[test]
fn what_stands_in_no_order_is_refused_with_what_could_stand() {
    for (form, why) in [
        ("mul.u32.wide %d1, %r1, %r2;", "`mul.wide.u32`"),
        ("cvt.u32 %r1, %f1;", "is missing"),
        ("ld.global.v4.v2.u32 %r1, [%d1];", "`.v4` does not go with"),
        (
            "ld.shared.L2::cache_hint.v4.b64 %r1, [%d1];",
            "does not go with",
        ),
        ("add.rn.u32 %r1, %r2, %r3;", "`.rn` does not go with"),
        (
            "setp.geu.u32 %p1, %r1, %r2;",
            "it has `.geu`, where one of `.eq`",
        ),
    ] {
        let error = Module::load(&module("sm_90", form))
            .expect_err(form)
            .to_string();
        assert!(error.contains(why), "{form}: {error}");
    }
}
