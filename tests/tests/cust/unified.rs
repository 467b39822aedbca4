//! Managed memory by `cust`'s types, with prefetching and advice.

use cust::device::Device;
use cust::memory::{MemoryAdvise, UnifiedBox, UnifiedBuffer};
use cust::stream::{Stream, StreamFlags};

#[test]
fn a_box_is_used_where_it_is() {
    let _context = super::context();
    let mut value = UnifiedBox::new(5u64).expect("memory");
    *value += 1;
    assert_eq!(*value, 6);
    let pointer = UnifiedBox::into_unified(value);
    // SAFETY: the pointer is the box's own.
    let again = unsafe { UnifiedBox::from_unified(pointer) };
    assert_eq!(*again, 6);
    assert!(again > UnifiedBox::new(5u64).expect("memory"));
    UnifiedBox::drop(again)
        .map_err(|(error, _)| error)
        .expect("it is ours");
    let empty = UnifiedBox::new(()).expect("nothing");
    UnifiedBox::drop(empty)
        .map_err(|(error, _)| error)
        .expect("nothing");
}

#[test]
fn buffers_are_slices() {
    let _context = super::context();
    for n in [0usize, 1, 7, 10_000] {
        let mut buffer = UnifiedBuffer::new(&3u32, n).expect("memory");
        assert_eq!(buffer.len(), n);
        for (i, value) in buffer.iter_mut().enumerate() {
            *value += i as u32;
        }
        let copy = UnifiedBuffer::from_slice(&buffer).expect("memory");
        assert!(copy.iter().enumerate().all(|(i, &x)| x == 3 + i as u32));
        UnifiedBuffer::drop(copy)
            .map_err(|(error, _)| error)
            .expect("it is ours");
    }
}

#[test]
fn prefetching_and_advice_change_nothing_that_can_be_read() {
    let _context = super::context();
    let device = Device::get_device(0).expect("a device");
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).expect("a stream");
    let buffer = UnifiedBuffer::from_slice(&[7u32; 5000]).expect("memory");
    buffer.prefetch_to_device(&stream, &device).expect("a hint");
    buffer.prefetch_to_host(&stream).expect("a hint");
    buffer.advise_read_mostly(true).expect("a hint");
    buffer.advise_read_mostly(false).expect("a hint");
    buffer.preferred_location(Some(device)).expect("a hint");
    buffer.preferred_location(None).expect("a hint");
    buffer.unset_preferred_location().expect("a hint");
    stream.synchronize().expect("no fault");
    assert!(buffer.iter().all(|&x| x == 7));
}
