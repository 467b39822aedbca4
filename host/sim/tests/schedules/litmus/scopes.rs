//! Scopes: which threads a fence or a strong access orders.

use super::{FOUR, PASSED, Where, allows, buffered, holds, outcomes};

#[test]
fn a_scope_orders_the_threads_in_it_and_no_others() {
    for scope in ["cta", "cluster", "gpu", "sys"] {
        for at in [Where::Blocks, Where::Cluster, Where::Warps, Where::Lanes] {
            let held = holds(scope, at);
            let expect = |threads: &[String], ordered: &[&[u32]]| {
                let threads: Vec<&str> = threads.iter().map(String::as_str).collect();
                allows(&threads, &[at], 0, if held { ordered } else { FOUR });
            };
            let write = |fence: &str| {
                format!("st.global.u32 [x], 1; {fence} st.relaxed.{scope}.global.u32 [y], 1;")
            };
            let read = |fence: &str| {
                format!("ld.relaxed.{scope}.global.u32 %r0, [y]; {fence} ld.global.u32 %r1, [x];")
            };
            let half = |fence: &str, places| buffered("relaxed.sys", fence, "relaxed.sys", places);
            for kind in ["acq_rel", "sc"] {
                let fence = format!("fence.{kind}.{scope};");
                // Message passing.
                expect(&[write(&fence), read(&fence)], PASSED);
                // Load buffering.
                let threads = [half(&fence, ("x", "y")), half(&fence, ("y", "x"))];
                expect(&threads, &FOUR[..3]);
            }
            // Store buffering.
            let half = |to: &str, from: &str| {
                format!(
                    "st.relaxed.sys.global.u32 [{to}], 1; fence.sc.{scope}; ld.relaxed.sys.global.u32 %r0, [{from}];"
                )
            };
            expect(&[half("x", "y"), half("y", "x")], &FOUR[1..]);
            // Coherence.
            let load = format!("ld.relaxed.{scope}.global.u32");
            let twice = format!("{load} %r0, [x]; {load} %r1, [x];");
            let store = format!("st.relaxed.{scope}.global.u32 [x], 1;");
            expect(&[store, twice], PASSED);
        }
    }
}

#[test]
fn independent_readers_agree_if_the_scope_of_their_sc_fences_holds_them() {
    for (scope, at) in [
        ("cta", Where::Blocks),
        ("cta", Where::Warps),
        ("cluster", Where::Blocks),
        ("cluster", Where::Cluster),
        ("sys", Where::Blocks),
    ] {
        let write = |to: &str| format!("st.relaxed.sys.global.u32 [{to}], 1;");
        let read = |a: &str, b: &str| {
            format!(
                "ld.relaxed.sys.global.u32 %r0, [{a}]; fence.sc.{scope}; ld.relaxed.sys.global.u32 %r1, [{b}];"
            )
        };
        let threads = [write("x"), write("y"), read("x", "y"), read("y", "x")];
        let threads: Vec<&str> = threads.iter().map(String::as_str).collect();
        let found = outcomes(&threads, at, true, 0);
        let disagree = found.contains(&vec![1, 0, 1, 0]);
        assert_eq!(disagree, !holds(scope, at), "{scope} {at:?}");
        assert_eq!(found.len(), 15 + usize::from(disagree), "{scope} {at:?}");
    }
}
