//! Tensor maps that the device changes, invalid maps, and shared memory that is reused too early.

use lanewise_sim::tensor::{Access, Element, Swizzle, TensorMap};

use super::{HOPPER, SHARED, WAIT, bytes, dense, expected, fault, kernel, load, ok, run, swizzled};
use crate::common::Rig;

/// Each element of the map in shared memory becomes `%rd8`.
fn fill(element: &str) -> String {
    format!(
        "mov.u32 %r0, 0;
        C: cvt.u64.u32 %rd5, %r0; add.u64 %rd6, %rd3, %rd5; add.u64 %rd7, %rd1, %rd5; {element} st.shared.u64 [%rd6], %rd8;
            add.u32 %r0, %r0, 8; setp.lt.u32 %p0, %r0, 128; @%p0 bra C;"
    )
}

/// A map is copied to shared memory, changed there, copied to global memory and used, as
/// grouped multiplications do.
#[test]
fn fields_are_replaced_on_the_device() {
    replaced(&fill("ld.u64 %rd8, [%rd7];"));
}

/// A map is made on the device, from zeros, as Triton does.
#[test]
fn zeros_become_a_map_on_the_device() {
    let zeros = fill("mov.u64 %rd8, 0;");
    replaced(&format!(
        "{zeros} mov.u32 %x0, 8; mov.u32 %x1, 1;
            tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%rd3], 0, %x0;
            tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%rd3], 0, %x1;"
    ));
}

/// Replaces the fields that differ, of a map that `begin` writes to shared memory, and uses it.
fn replaced(begin: &str) {
    let text = kernel(
        HOPPER,
        &format!(
            "{begin}
            ld.param.u64 %rd9, [out]; add.u64 %rd10, %rd9, 64; mov.u32 %x0, 1; mov.u32 %x1, 24; mov.u32 %x2, 5; mov.u64 %rd11, 96; mov.u32 %x3, 2;
            tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%rd3], %rd10;
            tensormap.replace.tile.rank.shared::cta.b1024.b32 [%rd3], %x0;
            tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%rd3], 0, %x1;
            tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%rd3], 1, %x2;
            tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%rd3], 0, %rd11;
            tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%rd3], 1, %x3;
            tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%rd3], 1, %x2;
            tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%rd3], 2;
            tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%rd3], 1;
            tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%rd3], 0;
            tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%rd3], 0;
            mov.u64 %rd12, g;
            tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd12], [%rd3], 128;
            fence.proxy.tensormap::generic.acquire.gpu [%rd12], 128;
            mbarrier.arrive.expect_tx.shared.b64 _, [%rd4], 96;
            cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%rd3], [g, {{%c0, %c1}}], [%rd4]; {WAIT}"
        ),
    )
    .replace(".visible", ".global .align 128 .b8 g[128];\n.visible");
    let rig = Rig::new(&text);
    let out = rig.buffer_aligned(&bytes(SHARED), 128);
    let memory = rig.read::<u8>(out + 64, 96 * 5);
    let first = dense(Element::F16, out, &[16], &[8]);
    let last = TensorMap {
        element: Element::U32,
        rank: 2,
        size: [24, 5, 1, 1, 1],
        strides: [96, 0, 0, 0],
        steps: [1, 2, 1, 1, 1],
        access: Access::Tiled([8, 5, 1, 1, 1]),
        ..first
    };
    ok(&rig, &first, out, [4, 1, 0, 0, 0], [0; 3]);
    let mut plain = expected(&last, [4, 1, 0, 0, 0], &memory);
    assert_eq!(plain.len(), 96);
    let found = rig.read::<u8>(out, 128);
    plain.resize(128, 0);
    assert_eq!(found[..96], swizzled(Swizzle::B32, &plain)[..96]);
}

/// The changes to a map before it is used.
type Change = fn(TensorMap) -> TensorMap;

#[test]
fn what_is_wrong_is_named() {
    let memory = bytes(4096);
    let with = |body: &str, change: Change| {
        let rig = Rig::new(&kernel(HOPPER, body));
        let (from, out) = (
            rig.buffer_aligned(&memory, 16),
            rig.buffer_aligned(&[0u8; SHARED], 64),
        );
        let map = change(dense(Element::U8, from, &[64, 64], &[16, 4]));
        fault(&rig, &map, out, [0; 5])
    };
    let same: Change = |map| map;
    let plain = load(2, 64);
    let cases: [(String, Change, &str); 13] = [
        (plain.clone(), |map| TensorMap { rank: 3, size: [64, 8, 8, 1, 1], ..map }, "an instruction of 2 dimensions with a tensor map of 3"),
        (plain.clone(), |map| TensorMap { address: map.address + 8, ..map }, "no multiple of 16 bytes"),
        (plain.clone(), |map| TensorMap { size: [64, 80, 1, 1, 1], strides: [4096, 0, 0, 0], ..map }, "past the end of an allocation"),
        (plain.clone(), |map| TensorMap { swizzle: Swizzle::B128Atom64, ..map }, "compute capability 10.0"),
        (plain.replace("[%rd3], [%rd1", "[%rd3+16], [%rd1"), same, "past a multiple of 128"),
        (plain.replace("[%rd1,", "[%rd2,"), same, "no tensor map is at"),
        (format!("cvta.shared.u64 %rd1, %rd3; {plain}"), same, "in shared or local memory"),
        (format!("mov.u32 %c0, 8; {plain}"), same, "a box that begins at element 8 of its row, which is byte 8; it has to begin at a multiple of 16 bytes"),
        (
            "mov.u32 %c0, -12; cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd1, {%c0, %c1}];".into(),
            |map| TensorMap { element: Element::U16, size: [32, 64, 1, 1, 1], ..map },
            "a box that begins at element -12 of its row, which is byte -24",
        ),
        (load(2, 80), same, "16 bytes are missing"),
        (load(2, 48), same, "-16 bytes are missing"),
        (load(2, 64).replace(".tile.", ".im2col.").replace("2d", "3d").replace("%c1}", "%c1, %c2}").replace("[%rd4];", "[%rd4], {%o0};"), |map| TensorMap { rank: 3, ..map }, "the instruction is for images, and the tensor map for tiles"),
        ("cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.bulk_group [%rd1, {%c0, %c1}], [%rd3];".into(), same, "a reduction that is not defined for elements of type U8"),
    ];
    for (body, change, words) in cases {
        let text = with(&body, change);
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn a_buffer_used_again_too_early_is_found() {
    let store = |wait: &str| {
        format!(
            "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {{%c0, %c1}}], [%rd3]; cp.async.bulk.commit_group;
            {wait} mov.u32 %r2, 5; st.shared.u32 [%rd3+4], %r2; cp.async.bulk.wait_group 0;"
        )
    };
    for (wait, finds) in [("", true), ("cp.async.bulk.wait_group.read 0;", false)] {
        let rig = Rig::new(&kernel(HOPPER, &store(wait)));
        let (to, out) = (
            rig.buffer_aligned(&bytes(4096), 16),
            rig.buffer(&[0u8; SHARED]),
        );
        let map = dense(Element::U8, to, &[64, 64], &[16, 4]);
        let report = run(&rig, &map, out, [0; 5], [0; 3]).expect("it runs");
        assert_eq!(!report.findings.is_empty(), finds, "{wait}");
        if finds {
            let text = report.findings[0].to_string();
            assert!(
                text.contains("an unfinished asynchronous read and a write of shared memory"),
                "{text}"
            );
            assert!(text.contains("cp.async.bulk.tensor.2d"), "{text}");
        } else {
            assert_eq!(
                rig.read::<u8>(to, 16),
                [0xee; 16],
                "what was there when it was read"
            );
        }
    }
}
