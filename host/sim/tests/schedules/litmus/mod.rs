//! Litmus tests of the PTX memory model: exploration finds every outcome that the model allows,
//! and no other.
//!
//! PTX ISA, "Memory Consistency Model". A test has a few threads and up to three places in memory,
//! `x`, `y` and `z`, that are zero at first. Its outcome is what the threads read, in the threads'
//! order, and, where the test asks for it, what the places hold at the end. Tests run with each
//! thread in a block of its own, as warps of one block, and as lanes of one warp.

mod coherence;
mod load_buffering;
mod message_passing;
mod scopes;
mod sequential;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::Rig;
use lanewise_sim::{Exploration, Launch};

/// How the threads of a test are placed on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    /// Each thread is a block.
    Blocks,
    /// Each thread is a block, and all blocks are one cluster.
    Cluster,
    /// Each thread is the first lane of a warp; all warps are in one block.
    Warps,
    /// Each thread is a lane of one warp.
    Lanes,
}

const ALL: [Where; 3] = [Where::Blocks, Where::Warps, Where::Lanes];

/// A kernel in which thread `i` runs `threads[i]`. What a thread writes to `%r0` to `%r7` is part
/// of the outcome; `[x]`, `[y]` and `[z]` are the places.
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
                // No other thread accesses these words, so the stores add no schedules.
                text += &format!("    st.global.u32 [%out+{}], %r{r};\n", 4 * shown);
                shown += 1;
            }
        }
        text += "    ret;\n";
    }
    text + "}\n"
}

/// All outcomes: the registers that the threads write, then what the first `ends` places hold
/// at the end.
pub(super) fn outcomes(threads: &[&str], at: Where, weak: bool, ends: usize) -> BTreeSet<Vec<u32>> {
    let (found, complete) = explored(threads, at, (weak, 20_000), ends);
    assert!(complete, "{threads:?} {at:?}");
    found
}

/// Returns the outcomes of at most `most` runs, and whether these are all possible runs.
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

/// Asserts that exactly these outcomes occur, for each placement of the threads in `places`.
#[track_caller]
fn allows(threads: &[&str], places: &[Where], ends: usize, expected: &[&[u32]]) {
    let expected: BTreeSet<Vec<u32>> = expected.iter().map(|o| o.to_vec()).collect();
    for &at in places {
        let found = outcomes(threads, at, true, ends);
        assert_eq!(found, expected, "{threads:?} {at:?}");
    }
}

/// Both registers may be 0 or 1, in any combination.
const FOUR: &[&[u32]] = &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]];

/// Message passing in order. The outcome 1, 0 (new flag, old data) needs a missing
/// release or acquire.
const PASSED: &[&[u32]] = &[&[0, 0], &[0, 1], &[1, 1]];

/// Returns whether threads that are placed so are in each other's scope of this name.
pub(super) fn holds(scope: &str, at: Where) -> bool {
    match at {
        Where::Blocks => matches!(scope, "gpu" | "sys"),
        Where::Cluster => scope != "cta",
        Where::Warps | Where::Lanes => true,
    }
}

/// One thread of a load buffering test: it reads from `from` and then writes 1 to `to`.
fn buffered(load: &str, between: &str, store: &str, (from, to): (&str, &str)) -> String {
    format!("ld.{load}.global.u32 %r0, [{from}]; {between} st.{store}.global.u32 [{to}], 1;")
}
