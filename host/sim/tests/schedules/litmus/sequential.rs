//! Outcomes that only `fence.sc` forbids: store buffering, and readers that disagree
//! about independent writes.

use super::{ALL, FOUR, Where, allows, outcomes};

#[test]
fn store_buffering_is_allowed_except_between_sc_fences() {
    let half = |fence: &str, to: &str, from: &str| {
        format!(
            "st.relaxed.gpu.global.u32 [{to}], 1; {fence} ld.relaxed.gpu.global.u32 %r0, [{from}];"
        )
    };
    for (fence, places, expected) in [
        ("", &ALL[..], FOUR),
        ("fence.acq_rel.gpu;", &ALL[..], FOUR),
        ("fence.sc.gpu;", &ALL[..], &FOUR[1..]),
        ("fence.sc.sys;", &ALL[..], &FOUR[1..]),
        ("fence.sc.cta;", &ALL[..1], FOUR),
        ("fence.sc.cta;", &ALL[1..], &FOUR[1..]),
    ] {
        allows(
            &[&half(fence, "x", "y"), &half(fence, "y", "x")],
            places,
            0,
            expected,
        );
    }
}

#[test]
fn readers_of_independent_writes_may_disagree_without_sc_fences() {
    let write = |to: &str| format!("st.relaxed.gpu.global.u32 [{to}], 1;");
    let read = |load: &str, fence: &str, a: &str, b: &str| {
        format!("ld.{load}.gpu.global.u32 %r0, [{a}]; {fence} ld.{load}.gpu.global.u32 %r1, [{b}];")
    };
    for (load, fence, disagree) in [
        ("relaxed", "", true),
        ("acquire", "", true),
        ("relaxed", "fence.acq_rel.gpu;", true),
        ("relaxed", "fence.sc.gpu;", false),
    ] {
        let threads = [
            write("x"),
            write("y"),
            read(load, fence, "x", "y"),
            read(load, fence, "y", "x"),
        ];
        let threads: Vec<&str> = threads.iter().map(String::as_str).collect();
        let found = outcomes(&threads, Where::Blocks, true, 0);
        assert_eq!(
            found.contains(&vec![1, 0, 1, 0]),
            disagree,
            "{load} {fence}"
        );
        assert_eq!(
            found.len(),
            if disagree { 16 } else { 15 },
            "{load} {fence}"
        );
    }
}
