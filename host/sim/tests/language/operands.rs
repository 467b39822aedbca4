//! Operands: vectors as a whole, sums, elements of arrays, and variables that say their own state space.

use crate::common::Rig;

/// Runs a kernel of one thread that leaves words at `out`, and gives the first `len` of them.
fn words(declarations: &str, body: &str, len: usize) -> Vec<u32> {
    let rig = Rig::new(&format!(
        "{declarations}\n.visible .entry k(.param .u64 out) {{ .reg .b64 %o, %d<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b16 %h<9>;\n\
         .reg .v4 .f32 V, V1; .reg .v2 .u32 P, P1; .reg .v4 .u32 W; .reg .v2 .u16 H; .reg .v4 .u8 B; .reg .v2 .b64 D;\n\
         ld.param.u64 %o, [out];\n{body}\nret; }}"
    ));
    let out = rig.buffer(&vec![0u32; len]);
    rig.ok("k", 1, 1, &[out]);
    rig.read(out, len)
}

#[test]
fn vectors_are_moved_loaded_and_stored_as_a_whole() {
    let moved = "mov.v4.f32 V, {0f3F800000, 0f40000000, 0f40400000, 0f40800000}; mov.v4.f32 V1, V; mov.v4.f32 {%f1, %f2, %f3, %f4}, V1;\n\
                 st.global.v4.f32 [%o], {%f4, %f3, %f2, %f1}; st.global.v4.f32 [%o+16], V1;";
    let floats: Vec<f32> = words("", moved, 8)
        .into_iter()
        .map(f32::from_bits)
        .collect();
    assert_eq!(floats, [4.0, 3.0, 2.0, 1.0, 1.0, 2.0, 3.0, 4.0]);
    // The source is among the destinations.
    let swapped = "mov.v2.u32 P, {1, 2}; mov.v2.u32 {P.y, P.x}, P; st.global.v2.u32 [%o], P;";
    assert_eq!(words("", swapped, 2), [2, 1]);
    let table = ".global .align 16 .u32 table[8] = {10, 11, 12, 13, 14, 15, 16, 17};";
    let loaded = "ld.global.v4.u32 W, [table+16]; ld.v2.u32 P, [table]; st.global.v4.u32 [%o], W; st.v2.u32 [%o+16], P;\n\
                  add.u32 %r1, W.x, P.y; st.global.u32 [%o+24], %r1;";
    assert_eq!(words(table, loaded, 7), [14, 15, 16, 17, 10, 11, 25]);
}

#[test]
fn vectors_are_packed_and_unpacked_as_a_whole() {
    let body = "mov.v2.u32 P, {0x11112222, 0x33334444}; mov.b64 %d1, P; st.global.u64 [%o], %d1; mov.b64 P1, %d1; st.global.v2.u32 [%o+8], P1;\n\
                mov.b32 %r1, 0x04030201; mov.b32 B, %r1; mov.b32 %r2, B; st.global.u32 [%o+16], %r2; mov.b32 H, %r1; mov.b32 %r3, {H.y, H.x}; st.global.u32 [%o+20], %r3;";
    assert_eq!(
        words("", body, 6),
        [
            0x1111_2222,
            0x3333_4444,
            0x1111_2222,
            0x3333_4444,
            0x0403_0201,
            0x0201_0403
        ]
    );
}

#[test]
fn a_register_and_a_constant_are_added_where_a_value_stands() {
    let body = "mov.u32 %r1, 40; mov.u32 %r2, %r1+2; add.u32 %r3, %r1+1, %r2+3; st.global.u32 [%o], %r2; st.global.u32 [%o+4], %r3;\n\
                st.global.u32 [%o+8], %r1+-1; mov.u64 %d1, %o+12; st.global.u32 [%d1], 7;";
    assert_eq!(words("", body, 4), [42, 86, 39, 7]);
}

/// ptxas 13.0 gives `a[n]` the address of the n-th scalar, of vectors and of several dimensions too.
#[test]
fn elements_of_arrays_are_counted_in_scalars() {
    let arrays = ".global .align 16 .u32 table[8] = {10, 11, 12, 13, 14, 15, 16, 17}; .global .align 4 .u32 square[2][2] = {{1, 2}, {3, 4}};\n\
                  .shared .align 8 .v2 .u32 pairs[4];";
    let body = "ld.global.u32 %r1, table[1]; mov.u64 %d1, 2; ld.global.u32 %r2, table[%d1]; mov.u32 %r7, 3; ld.u32 %r3, table[%r7+1];\n\
                mov.u64 %d2, table[5]; ld.global.u32 %r4, [%d2]; ld.global.u32 %r5, square[3];\n\
                st.shared.u32 pairs[3], %r1; ld.shared.u32 %r6, [pairs+12]; mov.u32 %r8, pairs[%r7]; ld.shared.u32 %r8, [%r8];\n\
                st.global.v4.u32 [%o], {%r1, %r2, %r3, %r4}; st.global.v2.u32 [%o+16], {%r5, %r6}; st.global.u32 [%o+24], %r8;";
    assert_eq!(words(arrays, body, 7), [11, 12, 14, 15, 4, 11, 11]);
}

#[test]
fn a_named_variable_is_in_its_own_space_where_the_instruction_names_none() {
    let body = ".local .align 4 .b8 mine[8]; .shared .align 4 .u32 ours;\n\
                st.u32 [mine+4], 5; ld.local.u32 %r1, [mine+4]; st.u32 [ours], 6; atom.add.u32 %r2, [ours], 10; ld.shared.u32 %r3, [ours];\n\
                red.add.u32 [count], 3; ld.u32 %r4, [count]; st.global.v4.u32 [%o], {%r1, %r2, %r3, %r4};";
    assert_eq!(words(".global .u32 count = 4;", body, 4), [5, 6, 16, 7]);
}

/// What ptxas 13.0 refuses is refused here, where it is written.
#[test]
fn what_ptxas_refuses_does_not_load() {
    let body = |text: &str| {
        format!(
            ".const .u32 c = 3; .global .u32 scalar;\n.entry k(.param .u64 p) {{ .reg .b64 %d<9>; .reg .b32 %r<9>; .reg .u32 %u<9>; .reg .f32 %f<9>; .reg .v2 .u32 P;\n{text}\nret; }}"
        )
    };
    let module = |text: &str| text.to_owned();
    for (text, why) in [
        (body("ld.u32 %r1, [c];"), "say `.const`"),
        (body("ld.u32 %r1, [p];"), "say `.param`"),
        (body("ld.global.u32 %r1, scalar[1];"), "no array"),
        (body("add.u32 %r1, P, %r2;"), "operand 2"),
        (body("add.f32 %f1, %f2+1, %f3;"), "operand 2"),
        (body("atom.global.add.u32 %r1, scalar[0], 1;"), "operand 2"),
        (
            body(
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%u1,%u2,%u3,%u4}, {%u5,%u6}, {%f1,%f2,%f3,%f4};",
            ),
            "type .b32",
        ),
        (
            body(
                "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%u1,%u2,%u3,%u4,%u5,%u6,%u7,%u8}, [%d1];",
            ),
            "type .b32",
        ),
        (module(".entry k() .noreturn { ret; }"), ".noreturn"),
        (module(".global .u8 a[];"), "without a length"),
        (
            module(".entry k() { .shared .u8 a[]; ret; }"),
            "without a length",
        ),
        (
            module(".entry k(.param .u8 a[]) { ret; }"),
            "without a length",
        ),
        (
            module(".func f(.param .u8 a[], .param .u32 b) { ret; }"),
            "without a length",
        ),
        (
            module(".entry k(.param .v2 .u32 a) { ret; }"),
            "a vector as a parameter",
        ),
    ] {
        let text = format!("{}{text}", crate::common::HEAD);
        let error = lanewise_sim::Module::load(&text)
            .expect_err(&text)
            .to_string();
        assert!(error.contains(why), "{text}\n{error}");
    }
}
