//! Order between streams, kept by the buffers.

use kernels::vec_add;
use lanewise::{Device, DeviceBuffer, LaunchConfig};

#[test]
fn a_launch_on_another_stream_waits_for_the_last_use_of_its_buffers() {
    let device = Device::open().expect("a device");
    let streams = [
        device.stream().expect("a stream"),
        device.stream().expect("a stream"),
    ];
    let n = 10_000;
    let one = DeviceBuffer::from_slice(&device, &vec![1.0f32; n]).expect("a buffer");
    let mut sum = DeviceBuffer::<f32>::zeroed(&device, n).expect("a buffer");
    let mut next = DeviceBuffer::<f32>::zeroed(&device, n).expect("a buffer");
    // Each launch reads what the one before wrote, on the other stream.
    for step in 0..10 {
        let stream = &streams[step % 2];
        stream
            .launch(
                vec_add,
                LaunchConfig::for_num_elems(n),
                (&one, &sum, &mut next),
            )
            .expect("a launch");
        std::mem::swap(&mut sum, &mut next);
    }
    assert_eq!(sum.to_vec().expect("no fault"), vec![10.0; n]);
}

#[test]
fn a_copy_waits_for_the_launches_before_it() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let a = DeviceBuffer::from_slice(&device, &[2.0f32; 5000]).expect("a buffer");
    let mut c = DeviceBuffer::<f32>::zeroed(&device, 5000).expect("a buffer");
    stream
        .launch(vec_add, LaunchConfig::for_num_elems(5000), (&a, &a, &mut c))
        .expect("a launch");
    assert_eq!(c.to_vec().expect("no fault"), [4.0; 5000]);
}

#[test]
fn a_stream_may_be_dropped_while_its_work_is_under_way() {
    let device = Device::open().expect("a device");
    let a = DeviceBuffer::from_slice(&device, &[2.0f32; 5000]).expect("a buffer");
    let mut c = DeviceBuffer::<f32>::zeroed(&device, 5000).expect("a buffer");
    for _ in 0..3 {
        let stream = device.stream().expect("a stream");
        stream
            .launch(vec_add, LaunchConfig::for_num_elems(5000), (&a, &a, &mut c))
            .expect("a launch");
    }
    assert_eq!(c.to_vec().expect("no fault"), [4.0; 5000]);
}
