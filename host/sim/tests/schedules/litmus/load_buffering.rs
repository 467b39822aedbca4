//! Load buffering: each of two threads reads what the other writes after its own read.

use super::{ALL, FOUR, Where, allows, buffered, outcomes};

#[test]
fn load_buffering_is_allowed_where_nothing_depends() {
    for scope in ["cta", "cluster", "gpu", "sys"] {
        let relaxed = format!("relaxed.{scope}");
        let half = |places| buffered(&relaxed, "", &relaxed, places);
        // Whether a scope includes the other thread changes nothing: relaxed accesses have no
        // order to lose.
        allows(&[&half(("x", "y")), &half(("y", "x"))], &ALL, 0, FOUR);
    }
    // Plain accesses, and arithmetic in between that has nothing to do with the load.
    let plain = |places| buffered("weak", "add.u32 %t, %t, 1;", "weak", places);
    allows(&[&plain(("x", "y")), &plain(("y", "x"))], &ALL, 0, FOUR);
}

/// Three kinds of branch between load and store: one that does not depend on the load, a loop, and
/// one that does.
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

/// A thread's loop may wait for the effect of its own earlier atomic, so the atomic must not wait
/// for the loop.
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
    // The stored value, the address, or whether there is a store at all depends on the load.
    let plain = buffered("relaxed.gpu", "", "relaxed.gpu", ("x", "y"));
    let data = |from: &str, to: &str| {
        format!("ld.relaxed.gpu.global.u32 %r0, [{from}]; st.relaxed.gpu.global.u32 [{to}], %r0;")
    };
    allows(&[&data("x", "y"), &data("y", "x")], &ALL, 0, &FOUR[..1]);
    // The outcome 1, 1 needs only one thread whose store does not depend on its load.
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
    // A load never reads a later store of its own thread, whatever another thread does in between.
    let thread = "ld.relaxed.gpu.global.u32 %r0, [x]; st.relaxed.gpu.global.u32 [y], 1; st.relaxed.gpu.global.u32 [x], 2;";
    let other = "ld.relaxed.gpu.global.u32 %r0, [y]; st.relaxed.gpu.global.u32 [x], 1;";
    allows(&[thread, other], &ALL, 0, FOUR);
}

/// To the model, volatile accesses are relaxed ones of system scope: the compiler keeps the order
/// of the instructions, but memory need not.
#[test]
fn load_buffering_is_allowed_by_volatile_accesses() {
    let half = |places| buffered("volatile", "", "volatile", places);
    allows(&[&half(("x", "y")), &half(("y", "x"))], &ALL, 0, FOUR);
}

/// A whole atomic may take effect after a later store, unless something orders the two.
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
    // A store whose value comes from the atomic cannot come before it.
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
    // The reader acquires what the first thread released after its load, so it reads nothing older
    // than that load did.
    let first = "ld.relaxed.gpu.global.u32 %r0, [x]; st.release.gpu.global.u32 [y], 1;";
    let second = "ld.acquire.gpu.global.u32 %r0, [y]; ld.relaxed.gpu.global.u32 %r1, [x];";
    let third = "st.relaxed.gpu.global.u32 [x], 1;";
    let found = outcomes(&[first, second, third], Where::Blocks, true, 0);
    assert!(!found.contains(&vec![1, 1, 0]), "{found:?}");
    assert_eq!(found.len(), 7, "{found:?}");
}
