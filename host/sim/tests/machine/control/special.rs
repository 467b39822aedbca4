//! Special registers about shared memory and clusters (PTX ISA, chapter 10).

use lanewise_sim::{Checks, Launch};

use crate::common::Rig;

/// The memory that the system reserves is before the kernel's own memory. Cooperative groups
/// exchange data through its end.
#[test]
fn reserved_shared_memory_has_a_place_that_may_be_used() {
    let rig = Rig::new(
        ".visible .entry k(.param .u64 out) {
            .shared .align 4 .b32 own[32]; .reg .b32 %r<9>; .reg .b64 %d<4>;
            mov.u32 %r0, %reserved_smem_offset_begin; mov.u32 %r1, %reserved_smem_offset_end;
            mov.u32 %r2, %reserved_smem_offset_cap; mov.u32 %r3, %reserved_smem_offset_1;
            mov.u32 %r4, own; mov.u32 %r5, %total_smem_size;
            cvt.u64.u32 %d1, %r3; cvta.shared.u64 %d1, %d1;
            st.u32 [%d1+284], 77; st.shared.u32 [own], 5; ld.shared.u32 %r6, [%r3+284]; ld.shared.u32 %r7, [own];
            ld.param.u64 %d0, [out];
            st.global.v4.u32 [%d0], {%r0, %r1, %r2, %r3}; st.global.v4.u32 [%d0+16], {%r4, %r5, %r6, %r7}; ret; }",
    );
    let out = rig.buffer(&[0u32; 8]);
    let params = out.to_le_bytes();
    let launch = Launch {
        checks: Checks::all(),
        ..Launch::new("k", [1; 3], [1; 3], &params)
    };
    rig.device
        .launch(&rig.instance, &launch)
        .unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(
        rig.read::<u32>(out, 8),
        [0, 1024, 1024, 1024 - 288, 1024, 128, 77, 5]
    );
}

/// `.w` is zero.
#[test]
fn a_vector_of_a_special_register_moves_as_one() {
    let rig = Rig::new(
        ".visible .entry k(.param .u64 out) { .reg .b32 %r<4>; .reg .b64 %d; ld.param.u64 %d, [out];
            mov.v4.u32 {%r0, %r1, %r2, %r3}, %nctaid; st.global.v4.u32 [%d], {%r0, %r1, %r2, %r3}; ret; }",
    );
    let out = rig.buffer(&[9u32; 4]);
    rig.ok("k", 3, 1, &[out]);
    assert_eq!(rig.read::<u32>(out, 4), [3, 1, 1, 0]);
}

/// A kernel that does not ask for reserved memory has none: an address below its own memory
/// is an error.
#[test]
fn reserved_shared_memory_is_out_of_bounds_for_others() {
    let rig = Rig::new(
        ".visible .entry k() { .shared .b32 own; .reg .b32 %r<2>; mov.u32 %r0, own; ld.shared.u32 %r1, [%r0+-4]; st.shared.u32 [own], %r1; ret; }",
    );
    let fault = rig.fault("k", 1, 1, &[]);
    assert!(fault.contains("below the block's shared memory"), "{fault}");
}
