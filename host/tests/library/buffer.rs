//! Buffers of any length, there and back.

use lanewise::{Device, DeviceBuffer};

#[test]
fn what_goes_to_the_device_comes_back() {
    let device = Device::open().expect("a device");
    for len in [0usize, 1, 3, 1000, 100_001] {
        let host: Vec<u32> = (0..len as u32)
            .map(|i| i.wrapping_mul(2_654_435_761))
            .collect();
        let buffer = DeviceBuffer::from_slice(&device, &host).expect("a buffer");
        assert_eq!((buffer.len(), buffer.is_empty()), (len, len == 0));
        assert_eq!(buffer.to_vec().expect("a copy"), host);
    }
}

#[test]
fn zeroed_means_zero_and_filling_again_too() {
    let device = Device::open().expect("a device");
    for len in [0, 1, 777] {
        let mut buffer = DeviceBuffer::<f64>::zeroed(&device, len).expect("a buffer");
        assert_eq!(buffer.to_vec().expect("a copy"), vec![0.0; len]);
        buffer.copy_from_slice(&vec![1.5; len]).expect("a copy");
        assert_eq!(buffer.to_vec().expect("a copy"), vec![1.5; len]);
        buffer.fill_zero().expect("zeroes");
        assert_eq!(buffer.to_vec().expect("a copy"), vec![0.0; len]);
    }
}

#[test]
fn an_empty_buffer_has_an_aligned_address_that_is_not_null() {
    let device = Device::open().expect("a device");
    assert_eq!(
        DeviceBuffer::<u64>::zeroed(&device, 0)
            .expect("a buffer")
            .address(),
        8
    );
    assert_eq!(
        DeviceBuffer::<u8>::from_slice(&device, &[])
            .expect("a buffer")
            .address(),
        1
    );
}

#[test]
fn arrays_and_tuples_of_numbers_go_as_they_are() {
    let device = Device::open().expect("a device");
    let host = [[1i16, -2, 3], [4, -5, 6]];
    assert_eq!(
        DeviceBuffer::from_slice(&device, &host)
            .expect("a buffer")
            .to_vec()
            .expect("a copy"),
        host
    );
}

#[test]
fn buffers_may_be_made_used_and_dropped_on_any_thread() {
    let device = Device::open().expect("a device");
    let buffer = DeviceBuffer::from_slice(&device, &[1, 2, 3]).expect("a buffer");
    let copied = std::thread::spawn(move || buffer.to_vec().expect("a copy"))
        .join()
        .expect("no panic");
    assert_eq!(copied, [1, 2, 3]);
}

#[test]
fn errors_name_the_line_of_the_caller() {
    let device = Device::open().expect("a device");
    let line = line!() + 1;
    let error = DeviceBuffer::<u8>::zeroed(&device, 1 << 50).expect_err("a pebibyte");
    let source = std::error::Error::source(&error).expect("the driver's answer");
    let driver = source
        .downcast_ref::<lanewise::DriverError>()
        .expect("a driver error");
    assert_eq!(
        (driver.location().file(), driver.location().line()),
        (file!(), line),
        "{driver}"
    );
    assert_eq!(driver.call(), "cuMemAlloc");
}
