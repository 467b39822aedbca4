//! Events as a clock.

use std::time::Duration;

use kernels::vec_add;
use lanewise::{Backend, Device, DeviceBuffer, EventClock, LaunchConfig, Timer};

/// How long `vec_add` takes on `n` elements: the shortest of some launches, for a GPU waits where
/// the host's thread is interrupted between the event and the launch.
fn time_of(n: usize) -> Duration {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let a = DeviceBuffer::from_slice(&device, &vec![1.0f32; n]).expect("a buffer");
    let mut c = DeviceBuffer::<f32>::zeroed(&device, n).expect("a buffer");
    let mut launch = || {
        stream
            .launch(vec_add, LaunchConfig::for_num_elems(n), (&a, &a, &mut c))
            .expect("a launch");
    };
    launch(); // the first loads the kernels
    let mut time = || {
        let timer = Timer::start(EventClock::on(&stream)).expect("an event");
        launch();
        timer.stop().expect("an event")
    };
    let first = time();
    (0..7).fold(first, |least, _| {
        let next = time();
        if next < least { next } else { least }
    })
}

// One test, not two: launches of two threads at once share the device's time, the modelled one too.
#[test]
fn events_measure_a_kernel_and_on_the_simulator_always_the_same() {
    let backend = Device::open().expect("a device").backend();
    // On a GPU a launch of any size takes some microseconds: only a large one is clearly longer.
    let many = match backend {
        Backend::Cuda => 1 << 26,
        Backend::Sim => 1 << 20,
    };
    let (small, large) = (time_of(1 << 10), time_of(many));
    assert!(small.as_secs_f64() > 0.0, "{small:?}");
    assert!(
        large > small,
        "{large:?} for {many} elements, {small:?} for 1024"
    );
    if backend == Backend::Sim {
        assert_eq!((time_of(1 << 10), time_of(many)), (small, large));
    }
}
