//! `cust::event`: marks in streams, and the time between them.

use cust::error::CudaError;
use cust::event::{Event, EventFlags, EventStatus};
use cust::stream::{Stream, StreamFlags};

fn stream() -> Stream {
    Stream::new(StreamFlags::NON_BLOCKING, None).expect("a stream")
}

#[test]
fn events_are_made_with_each_flag() {
    let _context = super::context();
    for flags in [
        EventFlags::DEFAULT,
        EventFlags::BLOCKING_SYNC,
        EventFlags::DISABLE_TIMING,
        EventFlags::BLOCKING_SYNC | EventFlags::DISABLE_TIMING,
    ] {
        let event = Event::new(flags).expect("an event");
        Event::drop(event)
            .map_err(|(error, _)| error)
            .expect("a live event");
    }
}

#[test]
fn the_time_between_two_events_is_not_negative() {
    let _context = super::context();
    let (first, second) = (stream(), stream());
    let make = || Event::new(EventFlags::DEFAULT).expect("an event");
    let (start, middle, end) = (make(), make(), make());
    start.record(&first).expect("a recording");
    middle.record(&first).expect("a recording");
    middle.synchronize().expect("no fault");
    end.record(&second).expect("a recording");
    end.synchronize().expect("no fault");
    assert_eq!(middle.query().expect("a state"), EventStatus::Ready);
    assert!(middle.elapsed_time_f32(&start).expect("a time") >= 0.0);
    assert!(end.elapsed(&start).expect("a time") >= middle.elapsed(&start).expect("a time"));
}

#[test]
fn an_event_without_timing_has_no_time() {
    let _context = super::context();
    let stream = stream();
    let timed = Event::new(EventFlags::DEFAULT).expect("an event");
    let untimed = Event::new(EventFlags::DISABLE_TIMING).expect("an event");
    timed.record(&stream).expect("a recording");
    untimed.record(&stream).expect("a recording");
    stream.synchronize().expect("no fault");
    assert_eq!(
        untimed.elapsed_time_f32(&timed),
        Err(CudaError::InvalidHandle)
    );
    assert_eq!(
        timed.elapsed_time_f32(&untimed),
        Err(CudaError::InvalidHandle)
    );
}
