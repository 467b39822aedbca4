//! `cvta`, `isspacep`, `mapa`, `getctarank`, `createpolicy`, and the stack.

use lanewise_sim::Launch;

use crate::common::Rig;

/// Returns which spaces contain a generic address according to `isspacep`, as bits.
const SPACES: [&str; 6] = [
    "global",
    "shared",
    "shared::cluster",
    "local",
    "const",
    "param",
];

#[test]
fn a_generic_address_is_in_one_space() {
    let mut tests = String::new();
    for (bit, space) in SPACES.iter().enumerate() {
        tests += &format!(
            "isspacep.{space} %p0, %rd1; selp.b32 %r1, {}, 0, %p0; or.b32 %r0, %r0, %r1;\n",
            1 << bit
        );
    }
    let store = "st.global.u32 [%rd0], %r0; add.u64 %rd0, %rd0, 4; mov.b32 %r0, 0;";
    let rig = Rig::new(&format!(
        ".const .b32 fixed = 7; .global .b32 free;
        .visible .entry k(.param .u64 out) {{
        .shared .b32 s; .local .b32 l; .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p<2>;
        ld.param.u64 %rd0, [out]; mov.b32 %r0, 0;
        mov.u64 %rd1, free; cvta.global.u64 %rd1, %rd1; {tests} {store}
        mov.u64 %rd1, s; cvta.shared.u64 %rd1, %rd1; {tests} {store}
        mov.u64 %rd1, l; cvta.local.u64 %rd1, %rd1; {tests} {store}
        mov.u64 %rd1, fixed; cvta.const.u64 %rd1, %rd1; {tests} {store}
        mov.u64 %rd1, out; cvta.param.u64 %rd1, %rd1; {tests} {store}
        mov.u64 %rd1, s; cvta.shared.u64 %rd1, %rd1; cvta.to.shared.u64 %rd2, %rd1; mov.u64 %rd3, s;
        setp.eq.u64 %p1, %rd2, %rd3; selp.b32 %r0, 1, 0, %p1; {store}
        mov.u64 %rd1, l; cvta.local.u64 %rd1, %rd1; cvta.to.local.u64 %rd2, %rd1; mov.u64 %rd3, l;
        setp.eq.u64 %p1, %rd2, %rd3; selp.b32 %r0, 1, 0, %p1; {store} ret; }}"
    ));
    let out = rig.buffer(&[0u32; 7]);
    rig.ok("k", 1, 1, &[out]);
    // Shared memory of one's own is shared memory of the cluster too.
    assert_eq!(rig.read::<u32>(out, 7), [1, 2 | 4, 8, 16, 32, 1, 1]);
}

#[test]
fn mapa_reaches_the_other_blocks_of_a_cluster() {
    let rig = Rig::new(
        ".visible .entry k(.param .u64 out) {
        .shared .align 4 .b32 s[2]; .reg .b64 %rd<6>; .reg .b32 %r<12>;
        ld.param.u64 %rd0, [out]; mov.u32 %r0, %cluster_ctarank; mov.u32 %r1, %ctaid.x;
        mul.wide.u32 %rd1, %r1, 16; add.u64 %rd0, %rd0, %rd1;
        xor.b32 %r2, %r0, 1; add.u32 %r3, %r1, 100;
        // To the neighbour's first word by a shared address, to its second by a generic one.
        mov.u32 %r4, s; mapa.shared::cluster.u32 %r5, %r4, %r2; st.shared::cluster.u32 [%r5], %r3;
        getctarank.shared::cluster.u32 %r6, %r5;
        mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2; mapa.u64 %rd3, %rd2, %r2; st.u32 [%rd3+4], %r3;
        getctarank.u64 %r7, %rd3; getctarank.u64 %r8, %rd2;
        barrier.cluster.arrive; barrier.cluster.wait;
        ld.shared.u32 %r9, [s]; ld.shared.u32 %r10, [s+4]; sub.u32 %r9, %r9, %r10;
        mad.lo.u32 %r10, %r9, 1000, %r10; // any difference shows
        st.global.v4.u32 [%rd0], {%r10, %r6, %r7, %r8}; ret; }",
    );
    let out = rig.buffer(&[0u32; 16]);
    let params = out.to_le_bytes();
    let launch = Launch {
        cluster: [2, 1, 1],
        ..Launch::new("k", [4, 1, 1], [1, 1, 1], &params)
    };
    rig.device
        .launch(&rig.instance, &launch)
        .unwrap_or_else(|fault| panic!("{fault}"));
    let rows: Vec<u32> = rig.read(out, 16);
    for (block, row) in rows.chunks(4).enumerate() {
        let (own, other) = (block as u32 % 2, (block as u32 + 1) % 2);
        assert_eq!(
            row,
            [100 + (block as u32 ^ 1), other, other, own],
            "block {block}"
        );
    }
}

#[test]
fn a_rank_that_the_cluster_does_not_have_is_no_address() {
    let rig = Rig::new(
        ".visible .entry k() { .shared .b32 s; .reg .b32 %r<3>;
        mov.u32 %r0, s; mov.u32 %r1, 5; mapa.shared::cluster.u32 %r2, %r0, %r1; st.shared::cluster.u32 [%r2], %r1; ret; }",
    );
    let report = rig.fault("k", 1, 1, &[]);
    assert!(
        report.contains("4-byte write outside of shared memory"),
        "{report}"
    );
}

const STACK: &str = ".version 8.7\n.target sm_90\n.address_size 64\n
    .visible .entry k(.param .u64 out, .param .u64 size) {
    .local .b32 l; .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .pred %p<2>;
    ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [size]; mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd7, %r0, 16; add.u64 %rd0, %rd0, %rd7;
    // Each thread takes another number of words, and counts them.
    mad.lo.u32 %r1, %r0, 4, 4; cvt.u64.u32 %rd2, %r1; add.u64 %rd2, %rd2, %rd1;
    stacksave.u64 %rd6;
    alloca.u64 %rd3, %rd2, 64; alloca.u64 %rd4, 16;
    mov.b32 %r2, 0; mov.b32 %r3, 0;
FILL: mul.wide.u32 %rd5, %r2, 4; add.u64 %rd5, %rd5, %rd3; st.local.u32 [%rd5], %r2;
    add.u32 %r2, %r2, 1; setp.le.u32 %p0, %r2, %r0; @%p0 bra FILL;
    st.local.u32 [%rd4], %r1; st.local.u32 [l], %r1;
SUM: sub.u32 %r2, %r2, 1; mul.wide.u32 %rd5, %r2, 4; add.u64 %rd5, %rd5, %rd3; ld.local.u32 %r4, [%rd5];
    add.u32 %r3, %r3, %r4; setp.ne.u32 %p0, %r2, 0; @%p0 bra SUM;
    stackrestore.u64 %rd6; alloca.u64 %rd5, 8, 64; sub.u64 %rd5, %rd5, %rd3; cvt.u32.u64 %r5, %rd5;
    and.b64 %rd3, %rd3, 63; cvt.u32.u64 %r6, %rd3;
    st.global.v4.u32 [%rd0], {%r3, %r5, %r6, %r0}; ret; }";

#[test]
fn alloca_gives_each_thread_what_it_asks_for() {
    let rig = Rig::new(STACK);
    let out = rig.buffer(&[0u32; 4 * 40]);
    rig.ok("k", 1, 40, &[out, 0]);
    for (thread, row) in rig.read::<u32>(out, 160).chunks(4).enumerate() {
        let thread = thread as u32;
        assert_eq!(
            row,
            [thread * (thread + 1) / 2, 0, 0, thread],
            "sum, place after restoring, alignment"
        );
    }
    let report = rig.fault("k", 1, 40, &[out, 1 << 30]);
    assert!(report.contains("`alloca` of"), "{report}");
}

#[test]
fn a_stack_is_restored_to_what_was_saved_only() {
    let rig = Rig::new(
        ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k() { .reg .b32 %r<2>;
        stacksave.u32 %r0; add.u32 %r0, %r0, 4096; stackrestore.u32 %r0; ret; }",
    );
    let report = rig.fault("k", 1, 1, &[]);
    assert!(report.contains("the stack is restored to"), "{report}");
}

#[test]
fn policies_and_hints_change_nothing() {
    let rig = Rig::new(
        ".visible .entry k(.param .u64 p) { .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .f32 %f<2>;
        ld.param.u64 %rd0, [p]; mov.f32 %f0, 0f3F000000;
        createpolicy.fractional.L2::evict_last.b64 %rd1, %f0;
        createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %rd1;
        createpolicy.range.global.L2::evict_last.b64 %rd2, [%rd0], 64, 128;
        createpolicy.cvt.L2.b64 %rd2, %rd2;
        prefetch.global.L2 [%rd0]; prefetchu.L1 [%rd0]; applypriority.global.L2::evict_normal [%rd0], 128;
        ld.global.L1::no_allocate.L2::cache_hint.L2::128B.v2.u32 {%r0, %r1}, [%rd0], %rd1;
        add.u32 %r0, %r0, %r1; st.global.L1::evict_last.L2::cache_hint.u32 [%rd0+8], %r0, %rd2;
        ld.global.nc.L2::cache_hint.u32 %r2, [%rd0+4], %rd1; st.global.u32 [%rd0+12], %r2; pmevent 3; ret; }",
    );
    let p = rig.buffer(&[3u32, 4, 0, 0]);
    rig.ok("k", 1, 1, &[p]);
    assert_eq!(rig.read::<u32>(p, 4), [3, 4, 7, 4]);
}

/// An address that is not in shared memory has no rank. The ISA leaves the result open; once it
/// was a panic.
#[test]
fn any_number_has_a_rank_of_some_kind() {
    let rig = Rig::new(
        ".visible .entry k(.param .u64 out) { .shared .b32 s; .reg .b64 %rd<3>; .reg .b32 %r<4>;
        ld.param.u64 %rd0, [out]; mov.b64 %rd1, 0x8000000000000000;
        getctarank.shared::cluster.u64 %r0, %rd1; getctarank.u64 %r1, %rd1; st.global.v2.u32 [%rd0], {%r0, %r1}; ret; }",
    );
    let out = rig.buffer_aligned(&[0u32; 2], 8);
    rig.ok("k", 1, 1, &[out]);
    assert_eq!(rig.read::<u32>(out, 2)[1], u32::MAX);
}

/// Addresses of 32 bits cannot address memory. The module fails to load with the reason, so no
/// fault comes later.
#[test]
fn a_module_of_32_bit_addresses_is_refused_with_the_reason() {
    for head in [
        ".version 7.0\n.target sm_50\n.address_size 32\n",
        ".version 7.0\n.target sm_50\n",
    ] {
        let text = format!(
            "{head}.visible .entry k(.param .u32 p) {{ .reg .b32 %r; ld.param.u32 %r, [p]; st.global.u32 [%r], 1; ret; }}"
        );
        let error = lanewise_sim::Module::load(&text)
            .expect_err("32 bits")
            .to_string();
        assert!(
            error.contains(
                "`.address_size 32` is not modelled: generic and global addresses have 64 bits"
            ),
            "{error}"
        );
    }
}

/// The address of a kernel's parameter, in registers of 32 and 64 bits, as compilers write it.
#[test]
fn addresses_of_parameters_lead_to_them_from_any_register() {
    for body in [
        "mov.b64 %rd1, pair; cvta.param.u64 %rd2, %rd1; ld.u32 %r1, [%rd2+4];",
        "mov.b32 %r0, pair; cvt.u64.u32 %rd1, %r0; cvta.param.u64 %rd2, %rd1; ld.u32 %r1, [%rd2+4];",
        "mov.b32 %r0, pair; ld.param.u32 %r1, [%r0+4];",
        "mov.b64 %rd1, pair; ld.param.u32 %r1, [%rd1+4];",
        "mov.b32 %r0, pair; add.s32 %r0, %r0, 4; cvt.u64.u32 %rd1, %r0; ld.param.u32 %r1, [%rd1];",
        "mov.b64 %rd1, pair; mov.b64 %rd2, out; setp.eq.u32 %p, 0, 0; selp.b64 %rd1, %rd1, %rd2, %p; ld.param.u32 %r1, [%rd1+4];",
    ] {
        let rig = Rig::new(&format!(
            ".visible .entry k(.param .u64 out, .param .align 8 .b8 pair[8]) {{
                .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p;
                {body} ld.param.u64 %rd3, [out]; st.global.u32 [%rd3], %r1; ret; }}"
        ));
        let out = rig.buffer(&[0u32]);
        rig.ok("k", 1, 1, &[out, 7 << 32 | 3]);
        assert_eq!(rig.read::<u32>(out, 1), [7], "{body}");
    }
}
