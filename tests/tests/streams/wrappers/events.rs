//! Events, and the priorities of streams.

use std::sync::mpsc;

use lanewise::{EventOptions, StreamOptions};

use super::streams;

#[test]
fn an_event_happens_when_what_was_queued_before_it_has_run() {
    let _turn = tests::turn();
    let device = tests::device();
    let [stream, other] = streams(&device);
    let (release, wait) = mpsc::channel::<()>();
    stream
        .call(move || wait.recv().expect("a word"))
        .expect("a host function");
    let event = stream.record().expect("an event");
    other.wait_event(&event).expect("a wait");
    assert!(!event.is_done().expect("no fault"));
    assert!(!other.is_done().expect("no fault"));
    release.send(()).expect("the function waits");
    event.synchronize().expect("no fault");
    assert!(event.is_done().expect("no fault"));
    other.synchronize().expect("no fault");
    assert!(other.is_done().expect("no fault") && stream.is_done().expect("no fault"));
}

#[test]
fn an_event_without_time_refuses_to_tell_it() {
    let _turn = tests::turn();
    let device = tests::device();
    let [stream, _] = streams(&device);
    let timed = stream.record().expect("an event");
    let untimed = device
        .event_with(EventOptions::new().without_time().blocking_wait())
        .expect("an event");
    untimed.record(&stream).expect("a record");
    untimed.synchronize().expect("no fault");
    let error = untimed.since(&timed).expect_err("no time was kept");
    assert_eq!(error.name(), "CUDA_ERROR_INVALID_HANDLE");
    let never = device.event().expect("an event");
    assert_eq!(
        timed.since(&never).expect_err("never recorded").name(),
        "CUDA_ERROR_INVALID_HANDLE"
    );
}

#[test]
fn priorities_are_moved_into_the_devices_range() {
    let _turn = tests::turn();
    let device = tests::device();
    let range = device.stream_priorities().expect("a range");
    assert!(range.greatest <= range.least);
    for (asked, given) in [(0, 0), (-100, range.greatest), (100, range.least)] {
        let stream = device
            .stream_with(StreamOptions::new().priority(asked))
            .expect("a stream");
        assert_eq!(stream.priority().expect("an answer"), given);
    }
}
