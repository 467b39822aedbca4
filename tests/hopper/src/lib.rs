//! The features of Hopper in the device library, compared with plain Rust on the host.
//!
//! The kernels are in `hopper-kernels`. The tests are one program, `tests/hopper`, with a file for
//! each part of the library. They need no file of the source tree, so that a bundle carries them
//! to a GPU.

use lanewise::{Device, DeviceBuffer, DeviceCopy, Stream};

/// Returns the process's device, and a stream on it.
///
/// # Panics
/// If there is none: no test can run then.
#[track_caller]
pub fn device() -> (Device, Stream) {
    let device = Device::open().unwrap_or_else(|error| panic!("{error}"));
    let stream = device.stream().unwrap_or_else(|error| panic!("{error}"));
    (device, stream)
}

/// Makes a buffer of these values.
///
/// # Panics
/// If the device has no room.
#[track_caller]
pub fn buffer<T: DeviceCopy>(device: &Device, values: &[T]) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(device, values).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the contents of a buffer.
///
/// # Panics
/// If an earlier kernel faulted; the message is the report.
#[track_caller]
pub fn values<T: DeviceCopy>(buffer: &DeviceBuffer<T>) -> Vec<T> {
    buffer.to_vec().unwrap_or_else(|error| panic!("{error}"))
}
