//! Messages of refusals and faults: the words that are allowed, the right order, each place once,
//! hints that fit.

use lanewise_sim::Module;

use crate::common::Rig;

fn text(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {{ .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %d<9>; .reg .pred %p<3>;\n{body}\nret; }}"
    )
}

#[test]
fn what_cannot_stand_is_shown_with_what_could() {
    let all: Vec<String> = [
        "ld.shared.L2::cache_hint.u32 %r1, [%d1], %d2;",
        "add.v4.u32 %r1, %r2, %r3;",
        "mul.u32.wide %d1, %r1, %r2;",
        "cvt.rn.u32 %r1, %f1;",
        "cvt.f32.f64 %f1, %d1;",
        "shfl.down.sync.b33 %r1, %r2, 1, 31, -1;",
        "frobnicate.u32 %r1;",
        "add.u32 %r1, %r2;",
        "add.u32 %r1, %r2, %f1;",
        "bra NOWHERE;",
    ]
    .iter()
    .map(|wrong| {
        let error = Module::load(&text(wrong)).expect_err(wrong).to_string();
        format!("{wrong}\n    {error}")
    })
    .collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn no_place_is_named_twice() {
    for wrong in [
        "bra NOWHERE;",
        "add.u32 %r1, %r2;",
        "ld.global.v4.v2.u32 %r1, [%d1];",
        "cvta.global.to.u64 %d1, %d2;",
    ] {
        let error = Module::load(&text(wrong)).expect_err(wrong).to_string();
        let spelling = wrong.split([' ', ';']).next().unwrap_or_default();
        assert_eq!(error.matches("line").count(), 1, "{error}");
        assert!(
            error.matches(&format!("`{spelling}`")).count() <= 1,
            "{error}"
        );
    }
}

/// Several instructions are on one line. The report names the one that failed.
#[test]
fn a_fault_names_its_own_instruction_and_a_hint_that_fits() {
    let fault = |body: &str, grid: u32| {
        let rig = Rig::new(&format!(
            ".global .align 4 .b32 table[4]; {}",
            text(body).split_once("64\n").expect("a head").1
        ));
        let few = rig.buffer(&[0u32; 4]);
        rig.fault("k", grid, 1, &[few])
    };
    let past = "ld.param.u64 %d1, [p]; ld.global.u32 %r1, [%d1]; add.u64 %d1, %d1, 16; st.global.u32 [%d1], %r1;";
    let report = fault(past, 1);
    assert!(report.contains("`st.global.u32`"), "{report}");
    assert!(report.contains("help: compare the index"), "{report}");
    let report = fault(past, 2);
    assert!(report.contains("help: the grid is rounded up"), "{report}");
    let report = fault("mov.u32 %r1, 5; ld.global.u32 %r2, [table+1048576];", 1);
    assert!(report.contains("`ld.global.u32`"), "{report}");
    assert!(
        report.contains("help: the access is outside the variable"),
        "{report}"
    );
    let report = fault("mov.u64 %d1, 8; ld.global.u32 %r2, [%d1];", 1);
    assert!(report.contains("this pointer was never set"), "{report}");
}
