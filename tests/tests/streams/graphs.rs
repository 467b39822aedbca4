//! Graphs: each launch runs the recorded work, ordered with other uses of its buffers, but not
//! after one of the buffers was dropped.

use gpu::basics::vector_add::vec_add;
use lanewise::{
    Device, DeviceBuffer, ExecutableGraph, GraphError, LaunchConfig, Record, StreamOptions,
    in_threads,
};
use lanewise_patterns::input;
use proptest::prelude::*;
use tests::sizes::{cases, lengths};

/// Adds `one` to `sum`, by way of `next`.
fn adding(
    device: &Device,
    one: &DeviceBuffer<f32>,
    sum: &mut DeviceBuffer<f32>,
    next: &mut DeviceBuffer<f32>,
) -> Result<ExecutableGraph, GraphError> {
    let config = LaunchConfig::for_num_elems(one.len());
    device.record(|record| {
        record.launch(vec_add, config, (&*sum, one, &mut *next))?;
        record.copy(next, sum)
    })
}

fn zeroes(device: &Device, n: usize) -> DeviceBuffer<f32> {
    DeviceBuffer::zeroed(device, n).expect("a buffer")
}

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn a_graph_does_its_work_at_each_launch_on_any_stream(n in lengths(), launches in 0usize..6, seed: u64) {
        let _turn = tests::turn();
        let device = tests::device();
        // Whole numbers, so that the sum is exact.
        let ones: Vec<f32> = input::words(n, seed).iter().map(|word| (word % 100) as f32).collect();
        let one = DeviceBuffer::from_slice(&device, &ones).expect("a buffer");
        let (mut sum, mut next) = (zeroes(&device, n), zeroes(&device, n));
        let graph = adding(&device, &one, &mut sum, &mut next).expect("a graph");
        prop_assert_eq!(sum.to_vec().expect("no fault"), vec![0.0; n], "nothing runs while it is recorded");
        let streams = [StreamOptions::new(), StreamOptions::new().non_blocking()]
            .map(|options| device.stream_with(options).expect("a stream"));
        for launch in 0..launches {
            graph.launch(&streams[launch % 2]).expect("a launch");
        }
        let expected: Vec<f32> = ones.iter().map(|one| one * launches as f32).collect();
        prop_assert_eq!(sum.to_vec().expect("no fault"), expected);
    }
}

#[test]
fn an_updated_graph_works_with_other_buffers() {
    let _turn = tests::turn();
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let one = DeviceBuffer::from_slice(&device, &[1.0f32; 50]).expect("a buffer");
    let ten = DeviceBuffer::from_slice(&device, &[10.0f32; 50]).expect("a buffer");
    let (mut sum, mut next) = (zeroes(&device, 50), zeroes(&device, 50));
    let mut graph = adding(&device, &one, &mut sum, &mut next).expect("a graph");
    graph.launch(&stream).expect("a launch");
    let config = LaunchConfig::for_num_elems(50);
    let updated = graph.update(|record| {
        record.launch(vec_add, config, (&sum, &ten, &mut next))?;
        record.copy(&next, &mut sum)
    });
    updated.expect("work of the same kind");
    drop(one); // nothing of it is needed any more
    graph.launch(&stream).expect("a launch");
    assert_eq!(sum.to_vec().expect("no fault"), [11.0; 50]);
    let other = graph.update(|record| record.fill_zero(&mut sum));
    let Err(GraphError::NotUpdated { source, .. }) = other else {
        panic!("work of another kind: {other:?}")
    };
    let error = source.expect("the driver's");
    assert_eq!(error.name(), "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE");
    // A GPU's driver may have changed some of the nodes before it refused. So the memory that the
    // graph would use is not known, and buffers may be gone.
    let half = graph.launch(&stream);
    assert!(
        matches!(half, Err(GraphError::HalfUpdated { .. })),
        "{half:?}"
    );
    drop(ten);
    assert_eq!(
        sum.to_vec().expect("no fault"),
        [11.0; 50],
        "it did not run"
    );
    let two = DeviceBuffer::from_slice(&device, &[2.0f32; 50]).expect("a buffer");
    let updated = graph.update(|record| {
        record.launch(vec_add, config, (&sum, &two, &mut next))?;
        record.copy(&next, &mut sum)
    });
    updated.expect("work of the same kind");
    graph.launch(&stream).expect("a launch");
    assert_eq!(sum.to_vec().expect("no fault"), [13.0; 50]);
}

/// An H200's driver looks at what copies copy whenever it works with a graph, and died of a buffer
/// that was gone: each call has to know before.
#[test]
fn nothing_is_made_of_a_graph_whose_buffer_is_gone() {
    let _turn = tests::turn();
    let device = tests::device();
    let full = |value: f32| DeviceBuffer::from_slice(&device, &[value; 8]).expect("a buffer");
    let mut sum = full(0.0);
    // A copy from a buffer and a fill of another, which both go.
    let mut of_two = || {
        let (one, mut other) = (full(1.0), full(2.0));
        let built = device.build_graph(|graph| {
            graph.copy(&[], &one, &mut sum)?;
            graph.fill(&[], &mut other, 3.0).map(drop)
        });
        built.expect("a graph").0
    };
    let (gone, other) = (of_two(), full(4.0));
    let (mut third, mut fourth) = (full(5.0), full(6.0));
    let alive = device.build_graph(|graph| {
        graph.copy(&[], &other, &mut third)?;
        graph.fill(&[], &mut fourth, 6.0).map(drop)
    });
    let mut executable = alive.expect("a graph").0.instantiate().expect("executable");
    let recorded = |record: &mut Record<'_>| {
        let one = full(7.0);
        record.copy(&one, &mut third)?;
        drop(one);
        record.fill_zero(&mut third)
    };
    let stream = device.stream().expect("a stream");
    executable.launch(&stream).expect("a launch");
    let refusals = [
        ("instantiate", gone.instantiate().map(drop)),
        ("try_clone", gone.try_clone().map(drop)),
        ("extend", gone.extend(|_| Ok(())).map(drop)),
        ("debug_dot", gone.debug_dot(true).map(drop)),
        (
            "child",
            device
                .build_graph(|graph| graph.child(&[], &gone).map(drop))
                .map(drop),
        ),
        ("update_from", executable.update_from(&gone)),
        ("record", device.record(recorded).map(drop)),
    ];
    for (call, refused) in refusals {
        assert!(
            matches!(refused, Err(GraphError::BufferIsGone { .. })),
            "{call}: {refused:?}"
        );
    }
    executable.launch(&stream).expect("it is what it was");
    // What the executable graph was made with may go, and another graph's take its place.
    drop((other, fourth));
    let mut last = full(8.0);
    let next = device.build_graph(|graph| {
        graph.copy(&[], &third, &mut sum)?;
        graph.fill(&[], &mut last, 9.0).map(drop)
    });
    executable
        .update_from(&next.expect("a graph").0)
        .expect("another's buffers");
    executable.launch(&stream).expect("a launch");
    assert_eq!(last.to_vec().expect("no fault"), [9.0; 8]);
}

#[test]
fn a_graph_whose_buffer_is_gone_is_refused() {
    let _turn = tests::turn();
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let one = DeviceBuffer::from_slice(&device, &[1.0f32; 8]).expect("a buffer");
    let (mut sum, mut next) = (zeroes(&device, 8), zeroes(&device, 8));
    let graph = adding(&device, &one, &mut sum, &mut next).expect("a graph");
    graph.launch(&stream).expect("a launch");
    drop(next);
    let error = graph.launch(&stream).expect_err("`next` is gone");
    assert!(matches!(error, GraphError::BufferIsGone { .. }), "{error}");
    assert_eq!(sum.to_vec().expect("no fault"), [1.0; 8]);
}

#[test]
fn what_a_graph_cannot_watch_over_is_not_recorded() {
    let _turn = tests::turn();
    let device = tests::device();
    let one = DeviceBuffer::from_slice(&device, &[1.0f32; 8]).expect("a buffer");
    let mut whole = zeroes(&device, 8);
    let mut sum = zeroes(&device, 8);
    let part = whole.slice(0..8);
    let recorded = device.record(|record| {
        let config = LaunchConfig::for_num_elems(8);
        record.launch(vec_add, config, (&*part, &one, &mut sum))
    });
    assert!(
        matches!(recorded, Err(GraphError::NotWhole)),
        "{recorded:?}"
    );
    let _ = part;
    // The stream that was captured is gone with it, and the device goes on.
    whole.fill_zero().expect("no capture is open");
    let lengths = device
        .record(|record| record.copy(&one, &mut DeviceBuffer::from_slice(&device, &[0.0f32; 3])?));
    assert!(lengths.is_err());
}

#[test]
fn a_launch_that_was_refused_is_not_in_the_graph() {
    let _turn = tests::turn();
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let one = DeviceBuffer::from_slice(&device, &[1.0f32; 8]).expect("a buffer");
    let (whole, mut sum) = (zeroes(&device, 8), zeroes(&device, 8));
    let part = whole.slice(0..8);
    let config = LaunchConfig::for_num_elems(8);
    let other = zeroes(&device, 8);
    let graph = device.record(|record| {
        for (a, b) in [(&*part, &one), (&other, &*part)] {
            let refused = record.launch(vec_add, config, (a, b, &mut sum));
            assert!(matches!(refused, Err(GraphError::NotWhole)), "{refused:?}");
        }
        Ok(())
    });
    // Nothing holds it, and a kernel in the graph would read what is there then.
    let _ = part;
    drop((whole, other));
    graph.expect("nothing").launch(&stream).expect("a launch");
    assert_eq!(sum.to_vec().expect("no fault"), [0.0; 8]);
}

#[test]
fn a_graph_keeps_order_with_the_parts_of_its_buffers() {
    let _turn = tests::turn();
    let device = tests::device();
    let [first, second] = [(); 2].map(|()| {
        let options = StreamOptions::new().non_blocking();
        device.stream_with(options).expect("a stream")
    });
    // The work after it on its stream begins long after it is queued.
    let pause = |stream: &lanewise::Stream| {
        let pause = std::time::Duration::from_millis(30);
        stream.call(move || std::thread::sleep(pause))
    };
    let one = DeviceBuffer::from_slice(&device, &[1.0f32; 64]).expect("a buffer");
    let (mut sum, mut next, mut seen) = (
        zeroes(&device, 64),
        zeroes(&device, 64),
        zeroes(&device, 32),
    );
    let graph = adding(&device, &one, &mut sum, &mut next).expect("a graph");
    let config = LaunchConfig::for_num_elems(32);
    let mut parts = sum.chunks_mut(32);
    let [part, _] = &mut parts[..] else {
        panic!("two parts")
    };
    pause(&first).expect("a call");
    graph.launch(&first).expect("a launch");
    second
        .launch(vec_add, config, (&*part, &*part, &mut seen))
        .expect("a launch");
    assert_eq!(
        seen.to_vec().expect("no fault"),
        [2.0; 32],
        "the part after the graph"
    );
    pause(&second).expect("a call");
    second
        .launch(vec_add, config, (&seen, &seen, &mut *part))
        .expect("a launch");
    graph.launch(&first).expect("a launch");
    pause(&second).expect("a call");
    second
        .launch(vec_add, config, (&seen, &seen, &mut *part))
        .expect("a launch");
    drop(parts);
    let all = sum.to_vec().expect("no fault");
    assert_eq!(
        all,
        [[4.0; 32], [2.0; 32]].concat(),
        "the whole after its part"
    );
}

#[test]
fn threads_that_launch_graphs_and_copy_keep_order() {
    let _turn = tests::turn();
    let device = tests::device();
    let one = DeviceBuffer::from_slice(&device, &[1.0f32; 300]).expect("a buffer");
    let (mut sum, mut next) = (zeroes(&device, 300), zeroes(&device, 300));
    let graph = adding(&device, &one, &mut sum, &mut next).expect("a graph");
    let (graph, sum) = (std::sync::Mutex::new(graph), &sum);
    in_threads(0..4, |thread| {
        let stream = device
            .stream_with(StreamOptions::new().non_blocking())
            .expect("a stream");
        for _ in 0..10 {
            if thread < 2 {
                graph
                    .lock()
                    .expect("no panic")
                    .launch(&stream)
                    .expect("a launch");
            } else {
                // In between launches, never in the middle of one.
                let seen = sum.to_vec().expect("no fault");
                assert!(seen.iter().all(|&value| value == seen[0]), "{seen:?}");
            }
        }
    });
    assert_eq!(sum.to_vec().expect("no fault"), [20.0; 300]);
}

#[test]
fn threads_record_while_others_wait_for_the_whole_device() {
    let _turn = tests::turn();
    let device = tests::device();
    let one = DeviceBuffer::from_slice(&device, &[1.0f32; 64]).expect("a buffer");
    let (mut sum, mut next) = (zeroes(&device, 64), zeroes(&device, 64));
    let (begun, recording) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let device = &device;
        let waits = scope.spawn(move || {
            recording.recv().expect("a recording begins");
            device.synchronize()
        });
        let recorded = device.record(|record| {
            begun.send(()).expect("somebody listens");
            // Long enough for the other thread to come to its call.
            std::thread::sleep(std::time::Duration::from_millis(30));
            let config = LaunchConfig::for_num_elems(64);
            record.launch(vec_add, config, (&sum, &one, &mut next))?;
            record.copy(&next, &mut sum)
        });
        recorded.expect("nobody breaks the recording");
        waits
            .join()
            .expect("no panic")
            .expect("it waits for the recording");
    });
}

#[test]
fn who_records_cannot_wait_for_the_whole_device() {
    let _turn = tests::turn();
    let device = tests::device();
    let recorded = device.record(|_| Ok(device.synchronize()?));
    let Err(GraphError::Driver(error)) = recorded else {
        panic!("{recorded:?}")
    };
    assert_eq!(error.name(), "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED");
    device.synchronize().expect("the recording is over");
}

/// What two threads do to an end; fails if one waits for the other for ever.
fn both_end(first: impl FnOnce() + Send + 'static, second: impl FnOnce() + Send + 'static) {
    let (done, ended) = std::sync::mpsc::channel();
    for work in [
        Box::new(first) as Box<dyn FnOnce() + Send>,
        Box::new(second),
    ] {
        let done = done.clone();
        std::thread::spawn(move || {
            work();
            let _ = done.send(());
        });
    }
    for _ in 0..2 {
        let end = ended.recv_timeout(std::time::Duration::from_secs(60));
        end.expect("both threads end");
    }
}

/// A thread counts a graph while another launches with a buffer of the graph's: neither waits for
/// the other for ever.
#[test]
fn a_graph_is_counted_while_another_thread_launches_with_its_buffer() {
    let _turn = tests::turn();
    let Some(device) = tests::simulator("a graph is counted", "a GPU does not count") else {
        return;
    };
    let config = LaunchConfig::for_num_elems(100);
    let one = std::sync::Arc::new(zeroes(&device, 100));
    let (mut sum, mut next) = (zeroes(&device, 100), zeroes(&device, 100));
    let graph = adding(&device, &one, &mut sum, &mut next).expect("a graph");
    let (begin, begun) = std::sync::mpsc::channel();
    let (other, also) = (device.clone(), one.clone());
    both_end(
        move || {
            let stream = device.stream().expect("a stream");
            let counted = lanewise::counters::of(&device, || {
                begin.send(()).expect("somebody waits");
                std::thread::sleep(std::time::Duration::from_millis(30));
                graph.launch(&stream)
            });
            assert!(counted.expect("no fault").1.is_some());
            drop((one, sum, next));
        },
        move || {
            begun.recv().expect("it is counted");
            let stream = other.stream().expect("a stream");
            let mut to = zeroes(&other, 100);
            stream
                .launch(vec_add, config, (&*also, &*also, &mut to))
                .expect("a launch");
        },
    );
}

/// Counting begins when no thread records, and a thread that records launches all the same.
#[test]
fn a_thread_records_while_another_counts() {
    let _turn = tests::turn();
    let Some(device) = tests::simulator("threads count", "a GPU does not count") else {
        return;
    };
    let (begin, begun) = std::sync::mpsc::channel();
    let other = device.clone();
    both_end(
        move || {
            let (one, mut to) = (zeroes(&device, 100), zeroes(&device, 100));
            let mut apart = zeroes(&device, 100);
            let config = LaunchConfig::for_num_elems(100);
            let graph = device.record(|record| {
                begin.send(()).expect("somebody waits");
                std::thread::sleep(std::time::Duration::from_millis(30));
                record.launch(vec_add, config, (&one, &one, &mut to))?;
                let stream = device.stream()?;
                Ok(stream.launch(vec_add, config, (&one, &one, &mut apart))?)
            });
            graph.expect("a graph");
        },
        move || {
            begun.recv().expect("it records");
            let counted = lanewise::counters::of(&other, || Ok::<(), lanewise::DriverError>(()));
            assert!(counted.expect("no fault").1.is_some());
        },
    );
}
