//! Operands: whole vectors, sums, elements of arrays, and variables with their state space.

use crate::common::Rig;

/// Runs a kernel of one thread that leaves words at `out`, and returns the first `len` of them.
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
fn parts_are_packed_from_the_lowest() {
    let body = ".reg .b8 %b<4>; mov.b16 %h0, 0x0201; mov.b16 {%b0, %b1}, %h0; mov.b16 %h1, {%b1, %b0}; cvt.u32.u16 %r1, %h1; st.global.u32 [%o], %r1;";
    assert_eq!(words("", body, 1), [0x0102]);
    let body = ".reg .b128 %q; mov.b32 %r1, 1; mov.b32 %r2, 2; mov.b32 %r3, 3; mov.b32 %r4, 4; mov.b128 %q, {%r1, %r2, %r3, %r4};
                mov.b128 {%d1, %d2}, %q; st.global.u64 [%o], %d1; st.global.u64 [%o+8], %d2;";
    assert_eq!(words("", body, 4), [1, 2, 3, 4]);
}

#[test]
fn a_register_and_a_constant_are_added_where_a_value_stands() {
    let body = "mov.u32 %r1, 40; mov.u32 %r2, %r1+2; add.u32 %r3, %r1+1, %r2+3; st.global.u32 [%o], %r2; st.global.u32 [%o+4], %r3;\n\
                st.global.u32 [%o+8], %r1+-1; mov.u64 %d1, %o+12; st.global.u32 [%d1], 7;";
    assert_eq!(words("", body, 4), [42, 86, 39, 7]);
}

/// ptxas 13.0 takes `a[n]` as the address of the n-th scalar, also for vectors and for arrays
/// of several dimensions.
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

/// What ptxas 13.0 refuses is refused here, at the same line.
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
        (body("mov.u32 %r1, %tid;"), "operand 2"),
        (body("mov.u64 %d1, %ctaid.x;"), "operand 2"),
        (body("mov.u32 %r1, %clock64;"), "operand 2"),
        (body("mov.f32 %f1, %tid.x;"), "operand 2"),
        (body("add.f16x2 %r1, %r2, 5;"), "operand 3"),
        (module(".entry k() .noreturn { ret; }"), ".noreturn"),
        (
            module(".entry (.param .u32 r) k() { ret; }"),
            "what a kernel returns",
        ),
        (
            module(".entry k() .maxntid 64 .reqntid 32 { ret; }"),
            "beside `.reqntid`",
        ),
        (
            module(".entry k() .reqnctapercluster 2 .maxclusterrank 4 { ret; }"),
            "beside `.reqnctapercluster`",
        ),
        (
            module(".entry k() .blocksareclusters { ret; }"),
            "without `.reqntid`",
        ),
        (module(".entry k() .reqntid 32, 0 { ret; }"), "no threads"),
        (
            module(".func f(.reg .u32 a); .func f(.reg .u64 a) { ret; }"),
            "other parameters than",
        ),
        (module(".global .pred p;"), "a predicate outside"),
        (module(".shared .u32 s = 1;"), "an initial value outside"),
        (
            module(".global .u32 a[2] = {1, 0.5};"),
            "another kind of type",
        ),
        (module(".global .f32 a = 1;"), "another kind of type"),
        (module(".global .u32 a[3][0];"), "no elements"),
        (module(".global .bf16 a;"), "a type of instructions"),
        (body(".reg .s16x2 %x;"), "a type of instructions"),
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

/// Each invalid constant next to the nearest valid one. ptxas 13.0 accepts and refuses the same.
#[test]
fn constants_have_the_bounds_that_ptxas_knows() {
    let load = |instruction: &str| {
        let text = format!(
            ".version 9.0\n.target sm_90a\n.address_size 64\n.entry k() {{ .reg .b64 %d<4>; .reg .b32 %r<4>; .reg .pred %p<2>;\n{instruction}\nret; }}"
        );
        lanewise_sim::Module::load(&text).map_err(|error| error.to_string())
    };
    let bulk =
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%d1], [%d2], N, [%d3];";
    for (instruction, right, wrong) in [
        ("bar.sync N;", 15, 16),
        ("bar.sync 0, N;", 64, 33),
        ("bar.arrive 1, N;", 32, 0),
        ("barrier.red.popc.u32 %r1, N, %p1;", 0, -1),
        ("barrier.red.popc.u32 %r1, 0, N, %p1;", 96, 48),
        ("cp.async.ca.shared.global [%d1], [%d2], 8, N;", 8, 9),
        (bulk, 48, 20),
        ("cp.async.bulk.prefetch.L2.global [%d1], N;", 16, 8),
        ("pmevent N;", 15, 16),
        ("pmevent.mask N;", 65535, 65536),
        ("setmaxnreg.inc.sync.aligned.u32 N;", 256, 60),
        ("discard.global.L2 [%d1], N;", 128, 64),
        ("applypriority.global.L2::evict_normal [%d1], N;", 128, 256),
        (
            "fence.proxy.tensormap::generic.acquire.gpu [%d1], N;",
            128,
            64,
        ),
        ("mbarrier.arrive.shared.b64 %d1, [%d2], N;", 1, 0),
        ("bfe.u32 %r1, %r2, N, 4;", 255, 256),
        ("bfi.b32 %r1, %r2, %r3, 4, N;", 255, -1),
        (
            "createpolicy.range.global.L2::evict_last.b64 %d1, [%d2], N, 64;",
            64,
            65,
        ),
    ] {
        let with = |value: i32| instruction.replace('N', &value.to_string());
        let found = load(&with(right));
        assert!(found.is_ok(), "{}: {found:?}", with(right));
        assert!(load(&with(wrong)).is_err(), "{}", with(wrong));
    }
    for (fraction, taken) in [
        ("1.0", true),
        ("0.25", true),
        ("0.0", false),
        ("1.5", false),
    ] {
        let policy = format!("createpolicy.fractional.L2::evict_last.b64 %d1, {fraction};");
        assert_eq!(load(&policy).is_ok(), taken, "{policy}");
    }
}

/// PTX ISA 9.4: a conversion's registers may be wider, also for floats, and their upper bits are
/// then zero. A `0f` constant is the same number as `.f64`.
#[test]
fn conversions_take_wider_registers_and_doubles_single_constants() {
    let body = "mov.u32 %r1, 0xffff3e00; cvt.f32.f16 %f1, %r1; st.global.f32 [%o], %f1;\n\
                mov.u32 %r2, -1; cvt.rn.f16.f32 %r2, %f1; st.global.u32 [%o+4], %r2;\n\
                mov.u64 %d1, -1; cvt.f32.f16 %d1, %h1; cvt.rn.f32.s32 %d1, 3; st.global.u64 [%o+8], %d1;\n\
                .reg .f64 %w; add.f64 %w, 0d4000000000000000, 0f3F800000; st.global.f64 [%o+16], %w;";
    assert_eq!(
        words("", body, 6),
        [1.5f32.to_bits(), 0x3e00, 3f32.to_bits(), 0, 0, 0x4008_0000]
    );
}

/// PTX ISA 9.7.9.12 and 9.7.13.14: stores and reductions to global memory that return no value and
/// that nothing waits for.
#[test]
fn asynchronous_stores_and_reductions_reach_global_memory() {
    let body = "st.async.weak.u32 [%o], 5; red.async.relaxed.gpu.add.u32 [%o], 3;\n\
                st.async.gpu.f64 [%o+8], 0d3FF0000000000000; red.async.relaxed.sys.xor.b32 [%o+4], 6;";
    assert_eq!(words("", body, 4), [8, 6, 0, 0x3ff0_0000]);
}

/// What ptxas 13.0 accepts on which targets: an instruction, a target with it, a target without it.
#[test]
fn newer_gpus_have_what_ptxas_says() {
    let load = |target: &str, instruction: &str| {
        let text = format!(
            ".version 9.0\n.target {target}\n.address_size 64\n.entry k() {{ .reg .b64 %d<4>; .reg .b32 %r<9>; .reg .f32 %f<4>; .reg .f64 %e<4>; .reg .b16 %h;\n{instruction}\nret; }}"
        );
        lanewise_sim::Module::load(&text).map_err(|error| error.to_string())
    };
    let mixed = |b: &str| {
        format!(
            "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.{b}.f32 {{%f0,%f1,%f2,%f3}}, {{%r0,%r1,%r2,%r3}}, {{%r4,%r5}}, {{%f0,%f1,%f2,%f3}};"
        )
    };
    let stored = "st.async.mmio.release.sys.global.u32 [%d1], %r1;";
    let named = "st.async.weak.global.u32 [%d1], %r1;";
    let reduced = "red.async.release.gpu.global.add.s64 [%d1], %d2;";
    let replaced = "tensormap.replace.tile.rank.global.b1024.b32 [%d1], %r1;";
    let rounded =
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64.rz {%e0,%e1}, {%e2}, {%e3}, {%e0,%e1};";
    let clamped = "cvt.rn.satfinite.f16.f32 %h, %f1;";
    for (instruction, has, has_not) in [
        (stored, "sm_100", "sm_90a"),
        (reduced, "sm_120", "sm_90"),
        (named, "sm_100", "sm_90"),
        (replaced, "sm_120f", "sm_120"),
        (replaced, "sm_103a", "sm_80"),
        (&mixed("e5m2"), "sm_100f", "sm_100"),
        (&mixed("e2m1"), "sm_120a", "sm_100a"),
        (rounded, "sm_80", "sm_75"),
        (clamped, "sm_75", "sm_70"),
    ] {
        let found = load(has, instruction);
        assert!(found.is_ok(), "{instruction} {has}: {found:?}");
        assert!(
            load(has_not, instruction).is_err(),
            "{instruction} {has_not}"
        );
    }
}
