//! The lint on PTX written by hand: one small module for each problem that it finds, and for each
//! correct form that it must accept.

use std::collections::BTreeMap;

use lanewise_builder::lint::{self, Expected, Finding, Rule};

/// Returns the findings in a module that imports nothing.
fn check(text: &str, expected: Option<&BTreeMap<String, Expected>>) -> Vec<Finding> {
    lint::check(text, expected, &[])
}

const HEADER: &str = ".version 7.8\n.target sm_80\n.address_size 64\n";
const DECLARED: &str = ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<10>; .param .b32 retval0; .param .b64 param0;";

/// A module with these functions and a kernel `k` with this body.
fn module(functions: &str, body: &str) -> String {
    format!(
        "{HEADER}{functions}.visible .entry k(\n\t.param .u64 k_param_0\n)\n{{ {DECLARED}\n{body}\n}}\n.file\t1 \"src/kernel.rs\"\n"
    )
}

/// A module with a kernel `k` alone.
fn kernel(body: &str) -> String {
    module("", body)
}

fn check_kernel(body: &str) -> Vec<Finding> {
    check(&kernel(body), None)
}

fn rules(body: &str) -> Vec<Rule> {
    check_kernel(body)
        .iter()
        .map(|finding| finding.rule)
        .collect()
}

const TWO_ARMS: &str = "
    @%p1 bra $L__BB0_2;
    .loc 1 7 9
    bar.sync 0;
    bra.uni $L__BB0_3;
$L__BB0_2:
    .loc 1 7 9
    bar.sync 0;
$L__BB0_3:
    ret;";

#[test]
fn a_barrier_of_one_line_in_two_arms_is_found_with_its_places() {
    let findings = check_kernel(TWO_ARMS);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    let found = &findings[0];
    assert_eq!(
        (found.rule, found.function.as_str(), found.line),
        (Rule::DuplicatedBarrier, "k", 15)
    );
    assert_eq!(found.source.as_deref(), Some("src/kernel.rs:7"));
    assert!(found.to_string().starts_with(
        "`k`, PTX line 15 (src/kernel.rs:7): `bar.sync 0` stands here and on line 11"
    ));
}

#[test]
fn barriers_of_different_lines_in_two_arms_are_the_sources_own() {
    assert_eq!(rules(&TWO_ARMS.replacen("1 7 9", "1 8 9", 1)), []);
}

#[test]
fn barriers_after_each_other_are_no_copies_even_from_one_line() {
    let unrolled =
        ".loc 1 7 9\nbar.sync 0;\n@%p1 bra $L_end;\nbar.sync 0;\n$L_end:\nbar.sync 0;\nret;";
    assert_eq!(rules(unrolled), []);
    let each_under_its_own_if = "
        .loc 1 7 9
        @%p1 bra $L_a;
        bar.sync 0;
    $L_a:
        @%p2 bra $L_b;
        bar.sync 0;
    $L_b:
        ret;";
    assert_eq!(rules(each_under_its_own_if), []);
}

#[test]
fn copies_inside_a_loop_are_found() {
    let looped = TWO_ARMS.replace("    ret;", "    @%p2 bra $L_top;\n    ret;");
    assert_eq!(
        rules(&format!("$L_top:{looped}")),
        [Rule::DuplicatedBarrier]
    );
}

#[test]
fn without_lines_block_barriers_in_two_arms_are_suspected_and_shuffles_are_not() {
    let bare = TWO_ARMS.replace(".loc 1 7 9", "");
    assert_eq!(rules(&bare), [Rule::DuplicatedBarrier]);
    let shuffles = bare.replace("bar.sync 0", "shfl.sync.bfly.b32 %r1|%p3, %r2, 1, 31, -1");
    assert_eq!(rules(&shuffles), []);
}

#[test]
fn a_shuffle_of_one_line_in_two_arms_is_found_whatever_its_registers() {
    let shuffles = TWO_ARMS
        .replacen(
            "bar.sync 0",
            "shfl.sync.bfly.b32 %r1|%p3, %r2, 1, 31, -1",
            1,
        )
        .replacen(
            "bar.sync 0",
            "shfl.sync.bfly.b32 %r5|%p4, %r6, 1, 31, -1",
            1,
        );
    assert_eq!(rules(&shuffles), [Rule::DuplicatedBarrier]);
}

#[test]
fn a_call_of_a_function_that_synchronises_counts_as_a_barrier() {
    let calls = TWO_ARMS.replace("bar.sync 0", "{ call.uni deep, (); }");
    let deep = ".func deeper() { bar.sync 0; ret; }\n.func deep() { call.uni deeper, (); ret; }\n";
    let found = check(&module(deep, &calls), None);
    assert_eq!(
        found.iter().map(|f| f.rule).collect::<Vec<_>>(),
        [Rule::DuplicatedBarrier]
    );
    let harmless = ".func deeper() { ret; }\n.func deep() { call.uni deeper, (); ret; }\n";
    assert_eq!(check(&module(harmless, &calls), None), []);
}

#[test]
fn branches_through_a_table_are_followed() {
    let table = "
    $L_brx: .branchtargets $L_a, $L_b;
        brx.idx %r1, $L_brx;
    $L_a:
        .loc 1 7 9
        bar.sync 0;
        bra.uni $L_c;
    $L_b:
        .loc 1 7 9
        bar.sync 0;
    $L_c:
        ret;";
    assert_eq!(rules(table), [Rule::DuplicatedBarrier]);
}

/// Returns what the IR contains about the kernel `k`.
fn expected(barriers: usize, shared_lines: &[(u32, u32)]) -> BTreeMap<String, Expected> {
    let expected = Expected {
        barriers,
        shared_lines: shared_lines.iter().copied().collect(),
    };
    BTreeMap::from([("k".to_owned(), expected)])
}

#[test]
fn barriers_that_code_generation_makes_or_loses_are_found() {
    let straight = kernel("bar.sync 0;\nbarrier.sync.aligned 1, 64;\nbar.warp.sync -1;\nret;");
    assert_eq!(check(&straight, Some(&expected(2, &[]))), []);
    for wrong in [1, 3] {
        let found = check(&straight, Some(&expected(wrong, &[])));
        assert_eq!(
            found.iter().map(|f| f.rule).collect::<Vec<_>>(),
            [Rule::BarrierCount]
        );
    }
}

#[test]
fn a_line_that_stands_for_several_barriers_is_let_be_where_the_ir_says_so() {
    assert_eq!(check(&kernel(TWO_ARMS), Some(&expected(2, &[(7, 9)]))), []);
    let other_line = check(&kernel(TWO_ARMS), Some(&expected(2, &[(8, 9)])));
    assert_eq!(other_line.len(), 1);
}

#[test]
fn a_generic_access_to_a_shared_variable_is_found() {
    let generic = "
    .shared .align 4 .b8 tile[128];
    mov.b64 %rd1, tile;
    cvta.shared.u64 %rd2, %rd1;
    add.s64 %rd3, %rd2, %rd9;
    .loc 1 9 5
    st.b32 [%rd3+4], %r1;";
    let findings = check_kernel(generic);
    assert_eq!(
        findings
            .iter()
            .map(|f| (f.rule, f.line))
            .collect::<Vec<_>>(),
        [(Rule::GenericShared, 14)]
    );
    assert_eq!(findings[0].source.as_deref(), Some("src/kernel.rs:9"));
    for atomic in [
        "atom.add.u32 %r2, [%rd3], %r1;",
        "red.add.u32 [%rd3], %r1;",
        "ld.volatile.f32 %r1, [%rd2];",
    ] {
        assert_eq!(
            rules(&generic.replace("st.b32 [%rd3+4], %r1;", atomic)),
            [Rule::GenericShared],
            "{atomic}"
        );
    }
}

#[test]
fn native_accesses_and_generic_ones_to_other_memory_are_let_be() {
    let native = "
    .shared .align 4 .b8 tile[128];
    mov.b64 %rd1, tile;
    cvta.shared.u64 %rd2, %rd1;
    st.shared.b32 [%rd1], %r1;
    ld.shared::cta.u32 %r3, [%rd1];
    ld.b32 %r2, [%rd8];
    st.param.b64 [param0], %rd2;";
    assert_eq!(rules(native), []);
}

#[test]
fn only_functions_that_the_driver_supplies_may_be_external() {
    let declared = |name: &str| {
        let external =
            format!(".extern .func (.param .b32 func_retval0) {name}\n(\n\t.param .b64 p0\n)\n;\n");
        let call = format!(".loc 1 4 1\n{{ call.uni (retval0), {name}, (param0); }}\nret;");
        module(&external, &call)
    };
    // The simulated driver supplies what NVIDIA's does.
    for supplied in lanewise_sim::module::functions() {
        assert_eq!(check(&declared(supplied), None), [], "{supplied}");
    }
    // A declared import of another module.
    let imports = ["memcpy".to_owned()];
    assert_eq!(lint::check(&declared("memcpy"), None, &imports), []);
    let found = check(&declared("memcpy"), None);
    assert_eq!(
        found
            .iter()
            .map(|f| (f.rule, f.function.as_str()))
            .collect::<Vec<_>>(),
        [(Rule::UnresolvedSymbol, "k")]
    );
    assert_eq!(found[0].source.as_deref(), Some("src/kernel.rs:4"));
}

#[test]
fn text_that_is_no_ptx_is_no_reason_to_panic() {
    for text in [
        "",
        "}}}}",
        "{{{{",
        ";;;",
        ".entry",
        ".entry {",
        "@",
        "@ ;",
        ".func f() { @%p bra $X; [ ] ( }",
        ".loc a",
        "\"",
        ".file 1",
    ] {
        check(text, None);
        check(&kernel(text), None);
    }
}
