//! Counters of launches: of several threads, one count inside another, and beside threads that
//! do not count.

use std::sync::mpsc;
use std::time::Duration;

use gpu::basics::vector_add::vec_add;
use lanewise::{
    DeviceBuffer, DriverError, LaunchConfig, Stream, StreamOptions, counters, in_threads,
};

#[test]
fn threads_share_what_is_counted() {
    let _turn = tests::turn();
    let Some(device) = tests::simulator("threads' launches are counted", "a GPU does not count")
    else {
        return;
    };
    let a = DeviceBuffer::from_slice(&device, &[1.0f32; 64]).expect("a buffer");
    let counters = counters::of(&device, || {
        in_threads(0..3, |_| {
            let stream = device.stream()?;
            let mut c = DeviceBuffer::<f32>::zeroed(&device, 64).expect("a buffer");
            let config = LaunchConfig::new(1, 64);
            stream
                .launch(vec_add, config, (&a, &a, &mut c))
                .expect("a launch");
            stream.synchronize()
        })
        .into_iter()
        .collect::<Result<(), DriverError>>()
    });
    let ((), counters) = counters.expect("no fault");
    let counters = counters.expect("the simulator counts");
    assert_eq!(counters.global_stores.requests, 3 * 2);
}

/// A count inside a count works: both count, and the thread does not wait for itself.
#[test]
fn counting_is_nested() {
    let _turn = tests::turn();
    let Some(device) = tests::simulator("counters", "a GPU counts nothing") else {
        return;
    };
    let (answer, said) = mpsc::channel();
    std::thread::spawn(move || {
        let stream = device.stream()?;
        let a = DeviceBuffer::from_slice(&device, &[1.0f32; 64]).expect("a buffer");
        let mut c = DeviceBuffer::<f32>::zeroed(&device, 64).expect("a buffer");
        let mut add = || {
            let config = LaunchConfig::new(1, 64);
            stream
                .launch(vec_add, config, (&a, &a, &mut c))
                .expect("a launch");
            stream.synchronize()
        };
        let (inner, outer) = counters::of(&device, || {
            let ((), inner) = counters::of(&device, &mut add)?;
            add()?;
            Ok::<_, DriverError>(inner)
        })?;
        let requests = [outer, inner].map(|of| of.map(|of| of.global_stores.requests));
        answer.send(requests).expect("somebody listens");
        Ok::<(), DriverError>(())
    });
    let limit = Duration::from_secs(60);
    let requests = said.recv_timeout(limit).expect("nobody waits for ever");
    assert_eq!(requests, [Some(4), Some(2)]);
}

/// Counting does not lock the device: the counted work may wait for another thread's launch.
#[test]
fn another_thread_launches_while_one_counts() {
    let _turn = tests::turn();
    let Some(device) = tests::simulator("counters", "a GPU counts nothing") else {
        return;
    };
    let (answer, said) = mpsc::channel();
    std::thread::spawn(move || {
        let free = || device.stream_with(StreamOptions::new().non_blocking());
        let streams = [free()?, free()?, free()?];
        let ones = DeviceBuffer::from_slice(&device, &[1.0f32; 64]).expect("a buffer");
        let mut sums = [(); 2].map(|()| DeviceBuffer::<f32>::zeroed(&device, 64).expect("sums"));
        let add = |stream: &Stream, sum: &mut DeviceBuffer<f32>| {
            let config = LaunchConfig::new(1, 64);
            stream
                .launch(vec_add, config, (&ones, &ones, sum))
                .expect("a launch");
            stream.synchronize()
        };
        let [held, counted, other] = &streams;
        let [sum, others] = &mut sums;
        let ((), counters) = counters::of(&device, || {
            let (launched, wait) = mpsc::channel();
            held.call(move || wait.recv().expect("the other thread launches"))?;
            std::thread::scope(|scope| {
                let other = scope.spawn(move || {
                    add(other, others)?;
                    launched.send(()).expect("the function waits");
                    Ok::<(), DriverError>(())
                });
                add(counted, sum)?;
                device.synchronize()?;
                other.join().expect("no panic")
            })
        })?;
        let requests = counters.map(|of| of.global_stores.requests);
        answer.send(requests).expect("somebody listens");
        Ok::<(), DriverError>(())
    });
    let limit = Duration::from_secs(60);
    let requests = said.recv_timeout(limit).expect("nobody waits for ever");
    assert_eq!(
        requests,
        Some(2),
        "the other thread's launch is not counted"
    );
}
