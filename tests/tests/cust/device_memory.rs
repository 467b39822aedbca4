//! Device memory by `cust`'s types: boxes, buffers, slices, variables.

use cust::memory::{CopyDestination, DeviceBox, DeviceBuffer, DeviceMemory, DeviceVariable};
use cust::stream::{Stream, StreamFlags};

#[test]
fn a_box_carries_a_value_there_and_back() {
    let _context = super::context();
    let mut first = DeviceBox::new(&5u64).expect("memory");
    assert_eq!(first.as_host_value().expect("a copy"), 5);
    first.copy_from(&7).expect("a copy");
    let mut second = DeviceBox::<u64>::zeroed().expect("memory");
    assert_eq!(second.as_host_value().expect("a copy"), 0);
    second.copy_from(&first).expect("a copy on the device");
    let mut value = 0;
    second.copy_to(&mut value).expect("a copy");
    assert_eq!(value, 7);
    first.copy_to(&mut second).expect("a copy on the device");
    assert_eq!(first.size_in_bytes(), 8);

    let pointer = DeviceBox::into_device(first);
    // SAFETY: the pointer is the box's own.
    let again = unsafe { DeviceBox::from_device(pointer) };
    assert_eq!(again.as_host_value().expect("a copy"), 7);
    DeviceBox::drop(again)
        .map_err(|(error, _)| error)
        .expect("it is ours");
}

#[test]
fn boxes_of_nothing_have_no_memory() {
    let _context = super::context();
    let empty = DeviceBox::new(&()).expect("nothing");
    assert!(empty.as_device_ptr().is_null());
    assert_eq!(empty.size_in_bytes(), 0);
}

#[test]
fn boxes_live_in_a_streams_order() {
    let _context = super::context();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).expect("a stream");
    // SAFETY: the values live past the synchronisations.
    unsafe {
        let full = DeviceBox::new_async(&9u32, &stream).expect("memory");
        let zero = DeviceBox::<u32>::zeroed_async(&stream).expect("memory");
        stream.synchronize().expect("no fault");
        assert_eq!(full.as_host_value().expect("a copy"), 9);
        assert_eq!(zero.as_host_value().expect("a copy"), 0);
        full.drop_async(&stream).expect("a free");
        zero.drop_async(&stream).expect("a free");
    }
    stream.synchronize().expect("no fault");
}

#[test]
fn buffers_of_each_size_come_back_as_they_went() {
    let _context = super::context();
    for n in [0usize, 1, 7, 1000, 100_001] {
        let values: Vec<u64> = (0..n as u64).map(|i| i * i).collect();
        let mut buffer = DeviceBuffer::from_slice(&values).expect("memory");
        assert_eq!(buffer.len(), n);
        assert_eq!(buffer.is_empty(), n == 0);
        assert_eq!(buffer.as_host_vec().expect("a copy"), values);
        let mut other = DeviceBuffer::<u64>::zeroed(n).expect("memory");
        other.copy_from(&buffer).expect("a copy on the device");
        buffer.set_zero().expect("a fill");
        assert_eq!(other.as_host_vec().expect("a copy"), values);
        assert_eq!(buffer.as_host_vec().expect("a copy"), vec![0; n]);
        DeviceBuffer::drop(other)
            .map_err(|(error, _)| error)
            .expect("it is ours");
    }
}

#[test]
fn slices_are_parts_of_their_buffer() {
    let _context = super::context();
    let mut buffer = DeviceBuffer::from_slice(&[0u32, 1, 2, 3, 4, 5]).expect("memory");
    let (mut left, right) = (buffer.index(0..3), buffer.index(3..6));
    assert_eq!((left.len(), right.len()), (3, 3));
    assert_eq!(right.as_host_vec().expect("a copy"), [3, 4, 5]);
    left.copy_from(&right).expect("a copy on the device");
    assert_eq!(buffer.as_host_vec().expect("a copy"), [3, 4, 5, 3, 4, 5]);
    assert_eq!(buffer.index(1..=2).as_host_vec().expect("a copy"), [4, 5]);
    assert_eq!(buffer.index(4..).as_host_vec().expect("a copy"), [4, 5]);
    assert_eq!(buffer.index(..1).as_host_vec().expect("a copy"), [3]);
    buffer.set_8(0xff).expect("a fill");
    assert_eq!(buffer.as_host_vec().expect("a copy"), [u32::MAX; 6]);
    buffer.set_16(0x0102).expect("a fill");
    assert_eq!(buffer.as_host_vec().expect("a copy"), [0x0102_0102; 6]);
    buffer.set_32(77).expect("a fill");
    assert_eq!(buffer.as_host_vec().expect("a copy"), [77; 6]);
    // To a type of the same size: to another size cust 0.3.2 frees the memory that it hands on.
    let signed = buffer.cast::<i32>();
    assert_eq!(signed.as_host_vec().expect("a copy"), [77; 6]);
}

#[test]
fn a_fill_of_a_width_that_the_address_has_not_is_refused() {
    let _context = super::context();
    let buffer = DeviceBuffer::from_slice(&[0u8; 16]).expect("memory");
    let pointer = buffer.as_device_ptr().as_raw() + 1;
    // SAFETY: 16-bit values at an odd address inside the buffer: refused before
    // anything is written.
    let code = unsafe { cust::sys::cuMemsetD16_v2(pointer, 1, 2) };
    assert_eq!(code, cust::sys::CUresult::CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn a_variable_has_a_copy_on_each_side() {
    let _context = super::context();
    let mut variable = DeviceVariable::new(3u32).expect("memory");
    *variable = 4;
    variable.copy_dtoh().expect("a copy");
    assert_eq!(*variable, 3);
    *variable = 5;
    variable.copy_htod().expect("a copy");
    *variable = 0;
    variable.copy_dtoh().expect("a copy");
    assert_eq!(*variable, 5);
    assert!(!variable.as_device_ptr().is_null());
}
