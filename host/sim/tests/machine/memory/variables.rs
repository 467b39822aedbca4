//! Variables: the initial values of those declared inside a body, and which ones the host finds.

use crate::common::Rig;

#[test]
fn variables_declared_in_a_body_have_their_initialisers() {
    // ptxas initialises them as it does those of the module (PTX ISA, "Variables: Initializers").
    let rig = Rig::new(
        ".global .align 4 .u32 m[2] = {5, 6};
        .visible .func (.param .b32 r) other() { .reg .b32 %r<2>; .const .align 4 .u32 c[2] = {40, 50};
            ld.const.u32 %r0, [c+4]; st.param.b32 [r], %r0; ret; }
        .visible .entry k(.param .u64 out) { .reg .b64 %rd<4>; .reg .b32 %r<6>; .param .b32 in;
            .global .align 4 .u32 g[3] = {7, 8, 9};
            .const .align 4 .u32 c = 11;
            .global .align 8 .u64 to[2] = {0, m+4};
            { .global .align 4 .u32 g = 13; ld.global.u32 %r4, [g]; }
            ld.param.u64 %rd0, [out];
            ld.global.u32 %r0, [g+8]; ld.const.u32 %r1, [c]; ld.global.u64 %rd1, [to+8]; ld.global.u32 %r2, [%rd1];
            call (in), other, (); ld.param.b32 %r3, [in];
            st.global.u32 [%rd0], %r0; st.global.u32 [%rd0+4], %r1; st.global.u32 [%rd0+8], %r2; st.global.u32 [%rd0+12], %r3; st.global.u32 [%rd0+16], %r4; ret; }",
    );
    let out = rig.buffer(&[0u32; 5]);
    rig.ok("k", 1, 1, &[out]);
    assert_eq!(rig.read::<u32>(out, 5), [9, 11, 6, 50, 13]);
}

#[test]
fn the_host_finds_what_is_in_memory_and_not_internal() {
    let rig = Rig::new(
        ".visible .global .u32 a; .visible .global .attribute(.managed) .u64 b; .const .u32 c; .visible .shared .u32 d;
        .global .attribute(.managed) .u32 e; .visible .entry k() { ret; }",
    );
    let size = |name| rig.instance.global(name).map(|(_, size)| size);
    assert_eq!(
        ["a", "b", "c", "d", "e", "f"].map(size),
        [Some(4), Some(8), Some(4), None, None, None]
    );
}
