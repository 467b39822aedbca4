//! Every pattern of the chapter agrees with the CPU, at every size.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::isolate::isolated;
use tests::sizes::{EDGES, cases, lengths};

/// Variants whose result is an array, with the work queued in several orders.
const QUEUED: [&str; 5] = [
    "depth_first",
    "breadth_first",
    "thread_per_stream",
    "default_stream_blocks",
    "non_blocking_streams",
];

/// The same of copies beside kernels.
const OVERLAPPED: [&str; 6] = [
    "overlap_none",
    "overlap_depth_first",
    "overlap_breadth_first",
    "staged_copy",
    "double_buffering",
    "host_counts_meanwhile",
];

/// Variants whose result is which work ran first, or which was refused.
const WORDS: [&str; 4] = [
    "event_joins_streams",
    "event_without_time",
    "stream_callback",
    "callback_that_calls_cuda",
];

/// Kernels of a few steps: what is computed does not depend on how many.
fn short(size: usize, seed: u64) -> Setup {
    Setup {
        by: Some(17),
        ..Setup::new(size, seed)
    }
}

fn agree_at_every_edge(variants: &[&str]) {
    let _turn = tests::turn();
    for variant in variants {
        for size in EDGES {
            assert_agrees(variant, short(size, 1));
        }
    }
}

#[test]
fn every_order_of_queues_agrees_with_the_cpu_at_every_edge() {
    agree_at_every_edge(&QUEUED);
}

#[test]
fn every_overlap_agrees_with_the_cpu_at_every_edge() {
    agree_at_every_edge(&OVERLAPPED);
}

proptest! {
    #![proptest_config(cases(4))]

    #[test]
    fn every_schedule_agrees_with_the_cpu(size in lengths(), seed: u64) {
        let _turn = tests::turn();
        for variant in QUEUED.into_iter().chain(OVERLAPPED) {
            prop_assert_eq!(agrees(variant, short(size, seed)), Ok(()));
        }
    }
}

#[test]
fn streams_events_and_callbacks_keep_their_rules() {
    let _turn = tests::turn();
    for variant in WORDS {
        assert_agrees(variant, Setup::new(256, 1));
    }
}

/// In a process of its own: whoever asks for a time lays out what has run, and an urgent kernel
/// that another test's thread has still to submit comes too late to go ahead of that.
#[test]
fn an_urgent_kernel_goes_before_those_that_wait() {
    let _turn = tests::turn();
    isolated(
        "patterns::an_urgent_kernel_goes_before_those_that_wait",
        || {
            assert_agrees("stream_priority", Setup::new(256, 1));
            String::new()
        },
    );
}
