//! Calls whose arguments and results are registers, constants, predicates and vectors;
//! tables; open parameters.

use crate::common::Rig;

/// Runs a kernel with four lanes that each leave a word.
fn lanes(functions: &str, body: &str) -> Vec<u32> {
    let rig = Rig::new(&format!(
        "{functions}\n.visible .entry k(.param .u64 out) {{ .reg .b64 %o, %d<9>; .reg .b32 %t, %r<9>; .reg .f32 %f<9>; .reg .pred %p<9>; .reg .v4 .f32 V;\n\
         ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %o, %t, 4, %o;\n{body}\nst.global.u32 [%o], %r1; ret; }}"
    ));
    let out = rig.buffer(&[0u32; 4]);
    rig.ok("k", 1, 4, &[out]);
    rig.read(out, 4)
}

const ADD: &str = ".func (.reg .u32 sum) add(.reg .u32 a, .reg .u32 b) { add.u32 sum, a, b; ret; }\n\
                   .func (.param .u32 product) times(.param .u32 a, .param .u32 b) { .reg .u32 x, y; ld.param.u32 x, [a]; ld.param.u32 y, [b]; mul.lo.u32 x, x, y; st.param.u32 [product], x; ret; }";

#[test]
fn registers_and_constants_are_passed_and_given_back() {
    assert_eq!(lanes(ADD, "call (%r1), add, (%t, 4);"), [4, 5, 6, 7]);
    assert_eq!(
        lanes(
            ADD,
            "call (%r1), times, (%t, 3); call (%r1), add, (10, %r1);"
        ),
        [10, 13, 16, 19]
    );
    assert_eq!(
        lanes(ADD, "mov.u32 %r1, 9; call (_), add, (%t, 4);"),
        [9; 4]
    );
    // A guarded call: lanes that do not make it keep their register.
    assert_eq!(
        lanes(
            ADD,
            "mov.u32 %r1, 100; setp.ge.u32 %p1, %t, 2; @%p1 call (%r1), add, (%t, 4);"
        ),
        [100, 100, 6, 7]
    );
    let mixed = "{ .param .b32 x; st.param.b32 [x], %t; call (%r1), times, (x, %t+1); }";
    assert_eq!(lanes(ADD, mixed), [0, 2, 6, 12]);
}

#[test]
fn predicates_and_vectors_are_passed_too() {
    let odd = ".func (.reg .pred odd) is_odd(.reg .u32 a) { .reg .u32 x; and.b32 x, a, 1; setp.eq.u32 odd, x, 1; ret; }\n\
               .func (.reg .u32 word) word_of(.reg .pred p) { selp.u32 word, 7, 8, p; ret; }";
    assert_eq!(
        lanes(odd, "call (%p1), is_odd, (%t); selp.u32 %r1, 1, 0, %p1;"),
        [0, 1, 0, 1]
    );
    assert_eq!(
        lanes(odd, "call (%p1), is_odd, (%t); call (%r1), word_of, (%p1);"),
        [8, 7, 8, 7]
    );
    let twice = ".func (.reg .v4 .f32 to) twice(.reg .v4 .f32 from) { add.f32 to.x, from.x, from.x; add.f32 to.y, from.y, from.y; mov.f32 to.z, from.w; mov.f32 to.w, from.z; ret; }";
    let body = "cvt.rn.f32.u32 %f1, %t; mov.v4.f32 V, {%f1, 0f40400000, 0f3F800000, 0f40A00000}; call (V), twice, (V);\n\
                add.f32 %f2, V.x, V.y; add.f32 %f2, %f2, V.z; sub.f32 %f2, %f2, V.w; cvt.rzi.u32.f32 %r1, %f2;";
    assert_eq!(lanes(twice, body), [10, 12, 14, 16]);
}

#[test]
fn a_result_is_stored_on_every_way_out() {
    let sign = ".func (.reg .u32 r) pick(.reg .u32 a) { .reg .pred p; mov.u32 r, 1; setp.lt.u32 p, a, 1; @p ret; mov.u32 r, 2; setp.lt.u32 p, a, 2; @p bra OUT; mov.u32 r, 3; ret; OUT: mov.u32 r, 4; }";
    assert_eq!(lanes(sign, "call (%r1), pick, (%t);"), [1, 4, 3, 3]);
}

#[test]
fn pointers_with_prototypes_and_tables_take_registers() {
    let table = format!(
        "{ADD}\n.func (.reg .u32 d) sub(.reg .u32 a, .reg .u32 b) {{ sub.u32 d, a, b; ret; }}\n.global .u64 table[2] = {{add, sub}};"
    );
    let body = "and.b32 %r2, %t, 1; cvt.u64.u32 %d1, %r2; ld.global.u64 %d2, table[%d1];\n\
                targets: .calltargets add, sub; call (%r1), %d2, (%t, 1), targets;";
    assert_eq!(lanes(&table, body), [1, 0, 3, 2]);
    let body = "mov.u64 %d2, add; proto: .callprototype (.reg .u32 _) _ (.reg .u32 _, .reg .u32 _); call (%r1), %d2, (%t, 20), proto;";
    assert_eq!(lanes(&table, body), [20, 21, 22, 23]);
}

/// PTX ISA 7.1: the call may decide the length of a function's last parameter, whose address is
/// in local memory.
#[test]
fn the_last_parameter_may_be_as_long_as_the_call_makes_it() {
    let sum = ".func (.param .u32 total) sum(.param .u32 count, .param .align 4 .b8 list[]) {\n\
               .reg .u32 n, i, x, s; .reg .u64 at; .reg .pred p; ld.param.u32 n, [count]; mov.u64 at, list; mov.u32 i, 0; mov.u32 s, 0;\n\
               L: setp.ge.u32 p, i, n; @p bra E; ld.local.u32 x, [at]; add.u32 s, s, x; add.u64 at, at, 4; add.u32 i, i, 1; bra L;\n\
               E: st.param.u32 [total], s; ret; }";
    let body = "{ .param .align 4 .b8 three[12]; .param .align 4 .b8 one[4]; st.param.u32 [three], %t; st.param.u32 [three+4], 10; st.param.u32 [three+8], 100; st.param.u32 [one], 5;\n\
                call (%r1), sum, (3, three); call (%r2), sum, (1, one); mad.lo.u32 %r1, %r2, 1000, %r1; }";
    assert_eq!(lanes(sum, body), [5110, 5111, 5112, 5113]);
}

#[test]
fn a_call_that_differs_from_its_function_is_refused_with_what_that_takes() {
    let text = format!(
        "{}{ADD}\n.entry k() {{ .reg .b32 %r<3>; .reg .b64 %d<2>; call (%r1), times, (%d1, 4); ret; }}",
        crate::common::HEAD
    );
    let error = lanewise_sim::Module::load(&text)
        .expect_err("a longer argument")
        .to_string();
    assert!(
        error.contains("`times` takes 4, 4 bytes and returns 4 bytes"),
        "{error}"
    );
}
