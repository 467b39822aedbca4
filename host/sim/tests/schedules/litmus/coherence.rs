//! Coherence: the writes of one place have one order, and every thread sees it.

use std::collections::BTreeSet;

use super::{ALL, FOUR, PASSED, Where, allows, outcomes};

#[test]
fn reads_of_one_place_go_forward() {
    // CoRR, with strong reads. Plain reads of a place that another thread writes are a
    // race: anything goes.
    let write = "st.relaxed.gpu.global.u32 [x], 1;";
    let read = "ld.relaxed.gpu.global.u32 %r0, [x]; ld.relaxed.gpu.global.u32 %r1, [x];";
    allows(&[write, read], &ALL, 0, PASSED);
    allows(&[write, &read.replace("relaxed.gpu.", "")], &ALL, 0, FOUR);
    // The scope of one thread's access does not include the other thread.
    allows(
        &[write, &read.replace("gpu", "cta")],
        &[Where::Blocks],
        0,
        FOUR,
    );
    allows(
        &[write, &read.replace("gpu", "cta")],
        &[Where::Warps],
        0,
        PASSED,
    );
}

#[test]
fn a_thread_reads_its_own_writes_and_writes_after_what_it_read() {
    // CoWR: never 0.
    allows(
        &[
            "st.global.u32 [x], 1; ld.global.u32 %r0, [x];",
            "st.relaxed.gpu.global.u32 [x], 2;",
        ],
        &ALL,
        0,
        &[&[1], &[2]],
    );
    // CoRW: a thread that has read 2 and writes 1 leaves 1.
    allows(
        &[
            "ld.relaxed.gpu.global.u32 %r0, [x]; st.relaxed.gpu.global.u32 [x], 1;",
            "st.relaxed.gpu.global.u32 [x], 2;",
        ],
        &ALL,
        1,
        &[&[0, 1], &[0, 2], &[2, 1]],
    );
    // CoWW: two writes of one thread stay in order.
    allows(
        &[
            "st.global.u32 [x], 1; st.global.u32 [x], 2;",
            "ld.relaxed.gpu.global.u32 %r0, [x];",
        ],
        &ALL,
        1,
        &[&[0, 2], &[1, 2], &[2, 2]],
    );
}

#[test]
fn two_writers_of_two_places_may_end_crosswise() {
    // 2+2W: both places may end with what a thread wrote first.
    let found = outcomes(
        &[
            "st.relaxed.gpu.global.u32 [x], 1; st.relaxed.gpu.global.u32 [y], 2;",
            "st.relaxed.gpu.global.u32 [y], 1; st.relaxed.gpu.global.u32 [x], 2;",
        ],
        Where::Blocks,
        true,
        2,
    );
    let all: BTreeSet<Vec<u32>> = [[1, 1], [1, 2], [2, 1], [2, 2]].map(Vec::from).into();
    assert_eq!(found, all);
}

#[test]
fn atomics_lose_an_update_only_where_their_scope_is_too_narrow() {
    let add = "atom.relaxed.gpu.global.add.u32 %r0, [x], 1;";
    allows(&[add, add], &ALL, 1, &[&[0, 1, 2], &[1, 0, 2]]);
    let narrow = add.replace("gpu", "cta");
    allows(
        &[&narrow, add],
        &[Where::Warps],
        1,
        &[&[0, 1, 2], &[1, 0, 2]],
    );
    let found = outcomes(&[&narrow, add], Where::Blocks, true, 1);
    assert!(
        found.contains(&vec![0, 0, 1]),
        "an update is lost: {found:?}"
    );
}
