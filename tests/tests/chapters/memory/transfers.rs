//! Every way to copy between host and device gives the same result.

use lanewise::{DeviceBuffer, PinnedBuffer, Pinning};
use lanewise_patterns::{Setup, input};
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::isolate::isolated;
use tests::sizes::{EDGES, cases, lengths};

const WAYS: [&str; 6] = [
    "pageable",
    "pinned",
    "registered",
    "write_combined",
    "zero_copy",
    "managed",
];

#[test]
fn every_way_agrees_with_the_cpu_at_every_edge() {
    for way in WAYS {
        for size in EDGES {
            assert_agrees(way, Setup::new(size, 1));
        }
    }
}

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn every_way_agrees_with_the_cpu(size in lengths(), seed: u64) {
        for way in WAYS {
            prop_assert_eq!(agrees(way, Setup::new(size, seed)), Ok(()));
        }
    }
}

#[test]
fn pinned_memory_copies_faster_than_pageable_and_registered_the_same() {
    let claim = "pinned memory copies faster than pageable";
    if tests::simulator(claim, "time on a GPU is the machine's").is_none() {
        return;
    }
    // In a process of its own, as other tests take their part of the modelled time.
    let test =
        "memory::transfers::pinned_memory_copies_faster_than_pageable_and_registered_the_same";
    let answer = isolated(test, || {
        let time = |way| {
            let setup = Setup::new(1 << 20, 1);
            let outcome =
                lanewise_patterns::run::run(&tests::device(), tests::agree::variant(way), setup);
            outcome.expect("it runs").time().as_secs_f64()
        };
        let (pageable, pinned, registered) = (time("pageable"), time("pinned"), time("registered"));
        if pinned < pageable && (registered / pinned - 1.0).abs() < 0.05 {
            "as claimed".to_owned()
        } else {
            format!("pageable {pageable} s, pinned {pinned} s, registered {registered} s")
        }
    });
    assert_eq!(answer.text, "as claimed");
}

#[test]
fn what_is_mapped_is_the_same_memory() {
    let device = tests::device();
    let mut memory = PinnedBuffer::zeroed(&device, 5, Pinning::Cached).expect("pinned memory");
    let values = input::floats(5, 1);
    memory
        .mapped()
        .expect("mapped memory")
        .copy_from_slice(&values)
        .expect("a copy");
    assert_eq!(memory.as_slice().expect("no fault"), values);
    let buffer = DeviceBuffer::from_slice(&device, &values).expect("a buffer");
    let mut registered = PinnedBuffer::register(&device, vec![0.0; 5]).expect("registered memory");
    buffer
        .copy_to_slice(registered.as_mut_slice().expect("no fault"))
        .expect("a copy");
    assert_eq!(registered.as_slice().expect("no fault"), values);
}
