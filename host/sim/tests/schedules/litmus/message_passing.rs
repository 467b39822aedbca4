//! Message passing: one thread writes data and then a flag, another reads the flag and
//! then the data.

use super::{ALL, FOUR, PASSED, Where, allows, outcomes};

#[test]
fn message_passing_without_order_reads_old_data() {
    allows(
        &[
            "st.global.u32 [x], 1; st.relaxed.gpu.global.u32 [y], 1;",
            "ld.relaxed.gpu.global.u32 %r0, [y]; ld.global.u32 %r1, [x];",
        ],
        &ALL,
        0,
        FOUR,
    );
}

#[test]
fn message_passing_needs_both_sides() {
    for (release, acquire) in [("release", "relaxed"), ("relaxed", "acquire")] {
        let write = format!("st.global.u32 [x], 1; st.{release}.gpu.global.u32 [y], 1;");
        let read = format!("ld.{acquire}.gpu.global.u32 %r0, [y]; ld.global.u32 %r1, [x];");
        allows(&[&write, &read], &ALL, 0, FOUR);
    }
}

#[test]
fn message_passing_by_release_and_acquire_in_each_scope() {
    for scope in ["cta", "cluster", "gpu", "sys"] {
        let write = format!("st.global.u32 [x], 1; st.release.{scope}.global.u32 [y], 1;");
        let read = format!("ld.acquire.{scope}.global.u32 %r0, [y]; ld.global.u32 %r1, [x];");
        let threads: [&str; 2] = [&write, &read];
        allows(&threads, &[Where::Warps, Where::Lanes], 0, PASSED);
        // Blocks of different clusters share neither a block's nor a cluster's scope.
        let between = if matches!(scope, "gpu" | "sys") {
            PASSED
        } else {
            FOUR
        };
        allows(&threads, &[Where::Blocks], 0, between);
    }
}

#[test]
fn message_passing_by_fences_in_each_scope() {
    for fence in ["fence.acq_rel", "fence.sc", "membar"] {
        for scope in ["cta", "gpu", "sys"] {
            let word = match (fence, scope) {
                ("membar", "gpu") => "gl",
                (_, scope) => scope,
            };
            let write =
                format!("st.global.u32 [x], 1; {fence}.{word}; st.relaxed.gpu.global.u32 [y], 1;");
            let read = format!(
                "ld.relaxed.gpu.global.u32 %r0, [y]; {fence}.{word}; ld.global.u32 %r1, [x];"
            );
            let threads: [&str; 2] = [&write, &read];
            allows(&threads, &[Where::Warps], 0, PASSED);
            allows(
                &threads,
                &[Where::Blocks],
                0,
                if scope == "cta" { FOUR } else { PASSED },
            );
        }
    }
}

#[test]
fn one_side_of_a_narrower_scope_is_no_order_between_blocks() {
    let write = "st.global.u32 [x], 1; fence.acq_rel.cta; st.relaxed.gpu.global.u32 [y], 1;";
    let read = "ld.acquire.gpu.global.u32 %r0, [y]; ld.global.u32 %r1, [x];";
    allows(&[write, read], &[Where::Blocks], 0, FOUR);
    allows(&[write, read], &[Where::Warps], 0, PASSED);
}

#[test]
fn a_plain_flag_orders_nothing_even_between_fences() {
    let write = "st.global.u32 [x], 1; fence.acq_rel.gpu; st.global.u32 [y], 1;";
    let read = "ld.global.u32 %r0, [y]; fence.acq_rel.gpu; ld.global.u32 %r1, [x];";
    allows(&[write, read], &[Where::Blocks], 0, FOUR);
    let volatile = |text: &str| text.replace("st.global.u32 [y]", "st.volatile.global.u32 [y]");
    let read = read.replace("ld.global.u32 %r0", "ld.volatile.global.u32 %r0");
    allows(&[&volatile(write), &read], &ALL, 0, PASSED);
}

#[test]
fn atomics_pass_messages_on() {
    // The middle thread's atomic adds to the flag. A thread that reads 2 has also acquired from the
    // release that the atomic came after.
    let write = "st.global.u32 [x], 1; st.release.gpu.global.u32 [y], 1;";
    let middle = "red.relaxed.gpu.global.add.u32 [y], 1;";
    let read = "ld.acquire.gpu.global.u32 %r0, [y]; ld.global.u32 %r1, [x];";
    let found = outcomes(&[write, middle, read], Where::Blocks, true, 0);
    assert!(!found.contains(&vec![2, 0]), "{found:?}");
    assert!(
        found.contains(&vec![2, 1]) && found.contains(&vec![1, 1]),
        "{found:?}"
    );
    // The value 1 may be the middle thread's alone, added before the release.
    assert!(found.contains(&vec![1, 0]), "{found:?}");
}

#[test]
fn what_was_learned_is_passed_on() {
    // WRC: the second thread reads x and releases y; a thread that acquires y then reads the new x.
    let threads = |load: &'static str| {
        [
            "st.relaxed.gpu.global.u32 [x], 1;",
            "ld.relaxed.gpu.global.u32 %r0, [x]; st.release.gpu.global.u32 [y], 1;",
            load,
        ]
    };
    let acquires = "ld.acquire.gpu.global.u32 %r0, [y]; ld.relaxed.gpu.global.u32 %r1, [x];";
    let relaxed = "ld.relaxed.gpu.global.u32 %r0, [y]; ld.relaxed.gpu.global.u32 %r1, [x];";
    let found = outcomes(&threads(acquires), Where::Blocks, true, 0);
    assert!(
        !found.contains(&vec![1, 1, 0]) && found.len() == 7,
        "{found:?}"
    );
    let found = outcomes(&threads(relaxed), Where::Blocks, true, 0);
    assert!(
        found.contains(&vec![1, 1, 0]) && found.len() == 8,
        "{found:?}"
    );
}

#[test]
fn a_barrier_of_the_block_orders_everything() {
    let write = "st.global.u32 [x], 1; bar.sync 0;";
    let read = "bar.sync 0; ld.global.u32 %r0, [x];";
    allows(&[write, read], &[Where::Lanes], 0, &[&[1]]);
    let (write, read) = (
        write.replace("bar.sync 0", "bar.warp.sync 3"),
        read.replace("bar.sync 0", "bar.warp.sync 3"),
    );
    allows(&[&write, &read], &[Where::Lanes], 0, &[&[1]]);
}

#[test]
fn without_weak_memory_runs_are_interleavings() {
    let write = "st.global.u32 [x], 1; st.global.u32 [y], 1;";
    let read = "ld.global.u32 %r0, [y]; ld.global.u32 %r1, [x];";
    for at in ALL {
        let found = outcomes(&[write, read], at, false, 0);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), PASSED);
    }
}
