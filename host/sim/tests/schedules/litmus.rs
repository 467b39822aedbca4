//! Litmus tests of the PTX memory model: under exploration only the outcomes come that it allows, and all of them.
//!
//! PTX ISA, "Memory Consistency Model". Each test has a few threads, two places `x` and `y` that are zero, and registers that are shown in the
//! threads' order; then what the places hold at the end, where a test asks for it. A test runs with its threads in blocks of their own, as
//! warps of one block, and as lanes of one warp.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::Rig;
use lanewise_sim::{Exploration, Launch};

/// Where a test's threads are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    Blocks,
    /// The same, of one cluster.
    Cluster,
    Warps,
    Lanes,
}

const ALL: [Where; 3] = [Where::Blocks, Where::Warps, Where::Lanes];

/// A kernel in which thread `i` runs `threads[i]`. `%r0` and up are what is shown; `[x]`, `[y]` the places.
fn kernel(threads: &[&str], at: Where) -> String {
    let (index, shift) = match at {
        Where::Blocks | Where::Cluster => ("%ctaid.x", 0),
        Where::Warps => ("%tid.x", 5),
        Where::Lanes => ("%tid.x", 0),
    };
    let mut text = format!(
        ".visible .entry k(.param .u64 places, .param .u64 out) {{
    .reg .b64 %x, %y, %z, %out; .reg .b32 %i, %t, %r<8>; .reg .pred %p;
    ld.param.u64 %x, [places]; add.u64 %y, %x, 256; add.u64 %z, %x, 512; ld.param.u64 %out, [out];
    mov.u32 %t, {index}; and.b32 %i, %t, {}; setp.ne.u32 %p, %i, 0; @%p ret; shr.u32 %i, %t, {shift};\n",
        (1 << shift) - 1
    );
    for i in 0..threads.len() {
        text += &format!("    setp.eq.u32 %p, %i, {i}; @%p bra T{i};\n");
    }
    text += "    ret;\n";
    let mut shown = 0;
    for (i, body) in threads.iter().enumerate() {
        let body = body
            .replace("[x]", "[%x]")
            .replace("[y]", "[%y]")
            .replace("[z]", "[%z]");
        text += &format!("T{i}: {body}\n");
        for r in 0..8 {
            if body.contains(&format!("%r{r},")) {
                // Plain stores to places of one's own: nobody chooses about them twice.
                text += &format!("    st.global.u32 [%out+{}], %r{r};\n", 4 * shown);
                shown += 1;
            }
        }
        text += "    ret;\n";
    }
    text + "}\n"
}

/// All outcomes: the registers that are written, by thread, and then the places that `ends` says so of.
pub(super) fn outcomes(threads: &[&str], at: Where, weak: bool, ends: usize) -> BTreeSet<Vec<u32>> {
    let (found, complete) = explored(threads, at, (weak, 20_000), ends);
    assert!(complete, "{threads:?} {at:?}");
    found
}

/// Those of `most` runs, and whether they are all.
pub(super) fn explored(
    threads: &[&str],
    at: Where,
    (weak, most): (bool, u64),
    ends: usize,
) -> (BTreeSet<Vec<u32>>, bool) {
    let rig = Rig::new(&kernel(threads, at));
    let places = rig.buffer(&[0u32; 192]);
    let out = rig.buffer(&[0u32; 16]);
    let shown: usize = threads
        .iter()
        .map(|body| (0..8).filter(|r| body.contains(&format!("%r{r},"))).count())
        .sum();
    let bytes: Vec<u8> = [places, out].iter().flat_map(|p| p.to_le_bytes()).collect();
    let (grid, block) = match at {
        Where::Blocks | Where::Cluster => (threads.len() as u32, 1),
        Where::Warps => (1, 32 * (threads.len() as u32 - 1) + 1),
        Where::Lanes => (1, threads.len() as u32),
    };
    let exploration = Arc::new(Exploration::new(weak).at_most(most).without_steps());
    let mut found = BTreeSet::new();
    while exploration.next_run() {
        for (at, words) in [(places, 192), (out, 16)] {
            // SAFETY: live allocations of that many words, and no launch runs.
            unsafe { (at as *mut u32).write_bytes(0, words) };
        }
        let launch = Launch {
            exploration: Some(exploration.clone()),
            cluster: match at {
                Where::Cluster => [grid, 1, 1],
                _ => [1; 3],
            },
            ..Launch::new("k", [grid, 1, 1], [block, 1, 1], &bytes)
        };
        rig.device
            .launch(&rig.instance, &launch)
            .unwrap_or_else(|fault| panic!("{fault}"));
        let mut outcome = rig.read::<u32>(out, shown);
        let held = rig.read::<u32>(places, 192);
        outcome.extend((0..ends).map(|i| held[64 * i]));
        found.insert(outcome);
    }
    println!("{:5} runs, {at:?}: {threads:?}", exploration.runs());
    (found, exploration.is_complete())
}

/// Expects exactly these outcomes, wherever the threads are.
#[track_caller]
fn allows(threads: &[&str], places: &[Where], ends: usize, expected: &[&[u32]]) {
    let expected: BTreeSet<Vec<u32>> = expected.iter().map(|o| o.to_vec()).collect();
    for &at in places {
        let found = outcomes(threads, at, true, ends);
        assert_eq!(found, expected, "{threads:?} {at:?}");
    }
}

const FOUR: &[&[u32]] = &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]];

/// Message passing: 1, 0 is what a missing release or acquire allows.
const PASSED: &[&[u32]] = &[&[0, 0], &[0, 1], &[1, 1]];

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

/// Whether threads there are in each other's scope of this name.
pub(super) fn holds(scope: &str, at: Where) -> bool {
    match at {
        Where::Blocks => matches!(scope, "gpu" | "sys"),
        Where::Cluster => scope != "cta",
        Where::Warps | Where::Lanes => true,
    }
}

#[test]
fn a_scope_orders_those_whom_it_holds_and_nobody_else() {
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
fn independent_readers_agree_by_sc_fences_of_a_scope_that_holds_them() {
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

#[test]
fn message_passing_by_release_and_acquire_in_each_scope() {
    for scope in ["cta", "cluster", "gpu", "sys"] {
        let write = format!("st.global.u32 [x], 1; st.release.{scope}.global.u32 [y], 1;");
        let read = format!("ld.acquire.{scope}.global.u32 %r0, [y]; ld.global.u32 %r1, [x];");
        let threads: [&str; 2] = [&write, &read];
        allows(&threads, &[Where::Warps, Where::Lanes], 0, PASSED);
        // Blocks that are no cluster are in no scope of a block or a cluster.
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
    // The middle thread's atomic adds to the flag: who reads its value has read the release behind it too.
    let write = "st.global.u32 [x], 1; st.release.gpu.global.u32 [y], 1;";
    let middle = "red.relaxed.gpu.global.add.u32 [y], 1;";
    let read = "ld.acquire.gpu.global.u32 %r0, [y]; ld.global.u32 %r1, [x];";
    let found = outcomes(&[write, middle, read], Where::Blocks, true, 0);
    assert!(!found.contains(&vec![2, 0]), "{found:?}");
    assert!(
        found.contains(&vec![2, 1]) && found.contains(&vec![1, 1]),
        "{found:?}"
    );
    // 1 may be the middle thread's alone, before the release.
    assert!(found.contains(&vec![1, 0]), "{found:?}");
}

#[test]
fn store_buffering_is_allowed_but_between_sc_fences() {
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
fn readers_of_independent_writes_may_disagree_but_with_sc_fences() {
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

#[test]
fn reads_of_one_place_go_forward() {
    // CoRR, with strong reads. Plain reads of what somebody writes meanwhile are a race, and promise nothing.
    let write = "st.relaxed.gpu.global.u32 [x], 1;";
    let read = "ld.relaxed.gpu.global.u32 %r0, [x]; ld.relaxed.gpu.global.u32 %r1, [x];";
    allows(&[write, read], &ALL, 0, PASSED);
    allows(&[write, &read.replace("relaxed.gpu.", "")], &ALL, 0, FOUR);
    // The scope of one side does not hold the other.
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
fn a_thread_reads_its_own_writes_and_writes_behind_what_it_read() {
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
    // 2+2W: both first writes last.
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
fn atomics_lose_nothing_but_where_their_scope_is_too_narrow() {
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

#[test]
fn what_was_learned_is_passed_on() {
    // WRC: the second thread reads x and releases y; who acquires y reads x.
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

/// Load buffering: one thread reads from `from` and writes to `to`.
fn buffered(load: &str, between: &str, store: &str, (from, to): (&str, &str)) -> String {
    format!("ld.{load}.global.u32 %r0, [{from}]; {between} st.{store}.global.u32 [{to}], 1;")
}

#[test]
fn load_buffering_is_allowed_where_nothing_depends() {
    for scope in ["cta", "cluster", "gpu", "sys"] {
        let relaxed = format!("relaxed.{scope}");
        let half = |places| buffered(&relaxed, "", &relaxed, places);
        // Whether the scopes hold the other thread changes nothing: there is no order to lose.
        allows(&[&half(("x", "y")), &half(("y", "x"))], &ALL, 0, FOUR);
    }
    // Plain accesses, and arithmetic in between that has nothing to do with the load.
    let plain = |places| buffered("weak", "add.u32 %t, %t, 1;", "weak", places);
    allows(&[&plain(("x", "y")), &plain(("y", "x"))], &ALL, 0, FOUR);
}

/// A branch that the load has nothing to do with, a loop, and a branch that it decides.
#[test]
fn load_buffering_is_allowed_across_branches_that_do_not_depend() {
    let branch = "setp.ne.u32 %p, %i, 77; @%p bra A; st.relaxed.gpu.global.u32 [z], 5; A:";
    let circle = "mov.u32 %t, 0; A: add.u32 %t, %t, 1; setp.lt.u32 %p, %t, 2; @%p bra A;";
    let decides = "setp.ne.u32 %p, %r0, 77; @%p bra A; st.relaxed.gpu.global.u32 [z], 5; A:";
    for (between, expected) in [(branch, FOUR), (circle, FOUR), (decides, &FOUR[..3])] {
        let half = |places, label: &str| {
            let text = buffered("relaxed.gpu", between, "relaxed.gpu", places);
            text.replace("bra A", &format!("bra {label}"))
                .replace("A:", &format!("{label}:"))
        };
        let threads = [half(("x", "y"), "A0"), half(("y", "x"), "A1")];
        allows(&[&threads[0], &threads[1]], &ALL, 0, expected);
    }
}

/// An atomic does not wait for a loop to end in which its thread waits for what comes of it.
#[test]
fn an_atomic_comes_before_a_loop_that_waits_for_its_answer() {
    let poll = |label: &str, place: &str| {
        format!(
            "{label}: ld.relaxed.gpu.global.u32 %t, [{place}]; setp.eq.u32 %p, %t, 0; @%p bra {label};"
        )
    };
    let asks = format!(
        "atom.relaxed.gpu.global.add.u32 %r0, [x], 4; {} st.relaxed.gpu.global.u32 [z], 1;",
        poll("A0", "y")
    );
    let answers = format!("{} st.relaxed.gpu.global.u32 [y], 1;", poll("A1", "x"));
    allows(&[&asks, &answers], &ALL, 1, &[&[0, 4]]);
}

#[test]
fn load_buffering_needs_one_side_without_order() {
    let relaxed = |places| buffered("relaxed.gpu", "", "relaxed.gpu", places);
    let releases = |places| buffered("relaxed.gpu", "", "release.gpu", places);
    let acquires = |places| buffered("acquire.gpu", "", "relaxed.gpu", places);
    let fenced = |places| buffered("relaxed.gpu", "fence.acq_rel.gpu;", "relaxed.gpu", places);
    let (xy, yx) = (("x", "y"), ("y", "x"));
    for (first, second, expected) in [
        // A release without an acquire orders nothing.
        (releases(xy), releases(yx), FOUR),
        (releases(xy), relaxed(yx), FOUR),
        (acquires(xy), relaxed(yx), FOUR),
        (fenced(xy), relaxed(yx), FOUR),
        (releases(xy), acquires(yx), &FOUR[..3]),
        (fenced(xy), fenced(yx), &FOUR[..3]),
        (fenced(xy), acquires(yx), &FOUR[..3]),
    ] {
        allows(
            &[&first, &second],
            &[Where::Blocks, Where::Warps],
            0,
            expected,
        );
    }
}

#[test]
fn no_value_comes_out_of_thin_air() {
    // What is stored, where, and whether: each depends on the load, on one side or on both.
    let plain = buffered("relaxed.gpu", "", "relaxed.gpu", ("x", "y"));
    let data = |from: &str, to: &str| {
        format!("ld.relaxed.gpu.global.u32 %r0, [{from}]; st.relaxed.gpu.global.u32 [{to}], %r0;")
    };
    allows(&[&data("x", "y"), &data("y", "x")], &ALL, 0, &FOUR[..1]);
    // One side that depends on nothing is enough for 1, 1.
    allows(
        &[&plain, &data("y", "x")],
        &ALL,
        0,
        &[&[0, 0], &[0, 1], &[1, 1]],
    );
    let address = |from: &str, to: &str| {
        format!(
            "ld.relaxed.gpu.global.u32 %r0, [{from}]; mul.lo.u32 %t, %r0, 0; cvt.u64.u32 %z, %t; add.u64 %z, %z, %{to}; \
             st.relaxed.gpu.global.u32 [%z], 1;"
        )
    };
    allows(
        &[&address("x", "y"), &address("y", "x")],
        &ALL,
        0,
        &FOUR[..3],
    );
    let control = |from: &str, to: &str| {
        format!(
            "ld.relaxed.gpu.global.u32 %r0, [{from}]; setp.eq.u32 %p, %r0, 1; @%p st.relaxed.gpu.global.u32 [{to}], 1;"
        )
    };
    allows(
        &[&control("x", "y"), &control("y", "x")],
        &ALL,
        0,
        &FOUR[..1],
    );
}

#[test]
fn a_load_keeps_its_place_before_stores_to_what_it_reads() {
    // It never reads its own thread's later store, however they are mixed with another's.
    let thread = "ld.relaxed.gpu.global.u32 %r0, [x]; st.relaxed.gpu.global.u32 [y], 1; st.relaxed.gpu.global.u32 [x], 2;";
    let other = "ld.relaxed.gpu.global.u32 %r0, [y]; st.relaxed.gpu.global.u32 [x], 1;";
    allows(&[thread, other], &ALL, 0, FOUR);
}

/// Volatile accesses are relaxed ones of system scope to the model: their instructions keep their order, what they do to memory need not.
#[test]
fn load_buffering_is_allowed_by_volatile_accesses() {
    let half = |places| buffered("volatile", "", "volatile", places);
    allows(&[&half(("x", "y")), &half(("y", "x"))], &ALL, 0, FOUR);
}

/// An atomic as a whole may come behind a later store, unless something orders the two.
#[test]
fn load_buffering_is_allowed_by_atomics() {
    let half = |atomic: &str, between: &str, store: &str, (from, to): (&str, &str)| {
        format!(
            "atom.{atomic}.global.add.u32 %r0, [{from}], 4; {between} st.{store}.global.u32 [{to}], 1;"
        )
    };
    let both = |half: &dyn Fn((&'static str, &'static str)) -> String| {
        [half(("x", "y")), half(("y", "x"))]
    };
    let places = [Where::Blocks, Where::Warps, Where::Lanes];
    for (atomic, between, store, buffers) in [
        ("relaxed.gpu", "", "relaxed.gpu", true),
        ("relaxed.sys", "add.u32 %t, %t, 1;", "volatile", true),
        ("acquire.gpu", "", "release.gpu", false),
        ("acq_rel.gpu", "", "release.gpu", false),
        ("relaxed.gpu", "fence.acq_rel.gpu;", "relaxed.gpu", false),
    ] {
        let [first, second] = both(&|places| half(atomic, between, store, places));
        for place in places {
            let found = outcomes(&[&first, &second], place, true, 0);
            let both = found.contains(&vec![1, 1]);
            assert_eq!(both, buffers, "{atomic} {between} {store}: {found:?}");
        }
    }
    // By what comes from the atomic nothing is bought in advance.
    let data = |(from, to): (&str, &str)| {
        format!(
            "atom.relaxed.gpu.global.add.u32 %r0, [{from}], 0; st.relaxed.gpu.global.u32 [{to}], %r0;"
        )
    };
    let [first, second] = both(&|places| data(places));
    allows(&[&first, &second], &places, 0, &FOUR[..1]);
}

#[test]
fn what_a_late_load_reads_is_known_from_its_place_on() {
    // The reader acquires what the first thread released behind its load: it reads nothing older than that load did.
    let first = "ld.relaxed.gpu.global.u32 %r0, [x]; st.release.gpu.global.u32 [y], 1;";
    let second = "ld.acquire.gpu.global.u32 %r0, [y]; ld.relaxed.gpu.global.u32 %r1, [x];";
    let third = "st.relaxed.gpu.global.u32 [x], 1;";
    let found = outcomes(&[first, second, third], Where::Blocks, true, 0);
    assert!(!found.contains(&vec![1, 1, 0]), "{found:?}");
    assert_eq!(found.len(), 7, "{found:?}");
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
