//! `cust::stream`: order, priorities, callbacks, waiting for events.

use cust::event::{Event, EventFlags};
use cust::memory::{AsyncCopyDestination, CopyDestination, DeviceBuffer, LockedBuffer};
use cust::stream::{Stream, StreamFlags, StreamWaitEventFlags};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};

#[test]
fn a_stream_has_the_flags_and_priority_it_was_made_with() {
    let _context = super::context();
    let range = cust::context::CurrentContext::get_stream_priority_range().expect("a range");
    // cust 0.3.2 drops NON_BLOCKING, which its documentation has yet to say: every stream of it
    // waits for the legacy one.
    let stream = Stream::new(StreamFlags::DEFAULT, Some(range.greatest)).expect("a stream");
    assert_eq!(stream.get_flags().expect("flags"), StreamFlags::DEFAULT);
    assert_eq!(stream.get_priority().expect("a priority"), range.greatest);
    // Out of range is brought into it.
    let beyond = Stream::new(StreamFlags::DEFAULT, Some(range.least + 100)).expect("a stream");
    assert_eq!(beyond.get_priority().expect("a priority"), range.least);
    assert!(!stream.as_inner().is_null());
    Stream::drop(stream)
        .map_err(|(error, _)| error)
        .expect("a live stream");
}

#[test]
fn callbacks_run_once_and_in_order() {
    let _context = super::context();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).expect("a stream");
    let (sender, receiver) = mpsc::channel();
    for i in 0..5 {
        let sender = sender.clone();
        stream
            .add_callback(Box::new(move || {
                sender.send(i).expect("the receiver waits");
            }))
            .expect("a callback");
    }
    stream.synchronize().expect("no fault");
    let got: Vec<_> = receiver.try_iter().collect();
    assert_eq!(got, [0, 1, 2, 3, 4]);
}

#[test]
fn a_stream_waits_for_an_event_of_another() {
    let _context = super::context();
    let make = || Stream::new(StreamFlags::NON_BLOCKING, None).expect("a stream");
    let (first, second) = (make(), make());
    let count = Arc::new(AtomicU32::new(0));
    let at_first = count.clone();
    // It takes its time, but waits for nobody: a driver may hold its lock in another thread's copy,
    // which waits for this stream, while this thread wants to record.
    first
        .add_callback(Box::new(move || {
            std::thread::sleep(std::time::Duration::from_millis(50));
            at_first.store(1, Ordering::SeqCst);
        }))
        .expect("a callback");
    let event = Event::new(EventFlags::DISABLE_TIMING).expect("an event");
    event.record(&first).expect("a recording");
    second
        .wait_event(event, StreamWaitEventFlags::DEFAULT)
        .expect("a wait");
    let at_second = count.clone();
    let (sender, seen) = mpsc::channel();
    second
        .add_callback(Box::new(move || {
            sender
                .send(at_second.load(Ordering::SeqCst))
                .expect("the receiver waits");
        }))
        .expect("a callback");
    second.synchronize().expect("no fault");
    assert_eq!(seen.recv().expect("the second ran"), 1);
}

#[test]
fn asynchronous_copies_of_one_stream_are_in_order() {
    let _context = super::context();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).expect("a stream");
    let there = LockedBuffer::new(&3u64, 1000).expect("pinned memory");
    let mut back = LockedBuffer::new(&0u64, 1000).expect("pinned memory");
    // SAFETY: the buffers live past the synchronisation below, and nothing else touches them.
    unsafe {
        let mut first = DeviceBuffer::<u64>::uninitialized_async(1000, &stream).expect("memory");
        let mut second = DeviceBuffer::zeroed_async(1000, &stream).expect("memory");
        first.async_copy_from(&*there, &stream).expect("a copy");
        second.async_copy_from(&first, &stream).expect("a copy");
        first.set_zero_async(&stream).expect("a fill");
        second.async_copy_to(&mut *back, &stream).expect("a copy");
        first.drop_async(&stream).expect("a free");
        second.drop_async(&stream).expect("a free");
    }
    stream.synchronize().expect("no fault");
    assert!(back.iter().all(|&x| x == 3));
}

#[test]
fn fills_on_a_stream_write_each_width() {
    let _context = super::context();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).expect("a stream");
    let mut buffer = DeviceBuffer::from_slice(&[0u32; 33]).expect("memory");
    // SAFETY: the buffer lives past each synchronisation.
    unsafe {
        buffer.set_8_async(0x12, &stream).expect("a fill");
        stream.synchronize().expect("no fault");
        assert_eq!(buffer.as_host_vec().expect("a copy"), [0x1212_1212; 33]);
        buffer.set_16_async(0x3456, &stream).expect("a fill");
        stream.synchronize().expect("no fault");
        assert_eq!(buffer.as_host_vec().expect("a copy"), [0x3456_3456; 33]);
        buffer.set_32_async(0x789a_bcde, &stream).expect("a fill");
        stream.synchronize().expect("no fault");
    }
    let mut host = [0u32; 33];
    buffer.copy_to(&mut host).expect("a copy");
    assert_eq!(host, [0x789a_bcde; 33]);
}
