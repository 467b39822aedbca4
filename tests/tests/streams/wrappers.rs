//! What the host's safe wrappers promise: order where it is needed, none where it is not, and memory that is kept until it is free.

use std::any::Any;
use std::cell::RefCell;
use std::future::Future;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};

use gpu::basics::vector_add::vec_add;
use gpu::streams::advance::advance;
use lanewise::texture::Texture;
use lanewise::{
    Backend, Device, DeviceBuffer, EventOptions, LaunchConfig, MemoryPool, PinnedBuffer, Pinning,
    Stream, StreamOptions, in_threads,
};
use lanewise_patterns::input;
use proptest::prelude::*;
use tests::isolate::{ChildOutput, isolated_with};
use tests::sizes::{EDGES, cases, lengths};

fn pinned(device: &Device, values: &[f32]) -> PinnedBuffer<f32> {
    let mut memory = PinnedBuffer::zeroed(device, values.len(), Pinning::Cached).expect("memory");
    memory
        .as_mut_slice()
        .expect("nothing runs")
        .copy_from_slice(values);
    memory
}

fn streams(device: &Device) -> [Stream; 2] {
    [StreamOptions::new(), StreamOptions::new().non_blocking()]
        .map(|options| device.stream_with(options).expect("a stream"))
}

/// Copies in on one stream, doubles on another, copies out on the first: the buffers keep the order.
fn round_trip(device: &Device, values: &[f32], [first, second]: &[Stream; 2]) -> Vec<f32> {
    let (input, mut output) = (pinned(device, values), pinned(device, values));
    let mut a = DeviceBuffer::<f32>::zeroed(device, values.len()).expect("a buffer");
    let mut b = DeviceBuffer::<f32>::zeroed(device, values.len()).expect("a buffer");
    let up = first.copy_in(&input, &mut a).expect("a copy");
    let config = LaunchConfig::for_num_elems(values.len());
    device
        .launch(second, vec_add, config, (&a, &a, &mut b))
        .expect("a launch");
    let down = first.copy_out(&b, &mut output).expect("a copy");
    // Forgotten, they do no harm: the memory knows.
    up.detach();
    std::mem::forget(down);
    output.as_slice().expect("no fault").to_vec()
}

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn copies_and_kernels_on_different_streams_keep_order(size in lengths(), seed: u64) {
        let _turn = tests::turn();
        let device = tests::device();
        let values = input::floats(size, seed);
        let doubled: Vec<f32> = values.iter().map(|value| value + value).collect();
        let [blocking, free] = streams(&device);
        for pair in [[blocking.clone(), free.clone()], [free.clone(), blocking.clone()], [free.clone(), free]] {
            prop_assert_eq!(round_trip(&device, &values, &pair), doubled.clone());
        }
    }
}

#[test]
fn copies_of_every_edge_size_arrive() {
    let _turn = tests::turn();
    let device = tests::device();
    let pair = streams(&device);
    for size in EDGES {
        let values = input::floats(size, 3);
        let doubled: Vec<f32> = values.iter().map(|value| value + value).collect();
        assert_eq!(round_trip(&device, &values, &pair), doubled, "{size}");
    }
}

#[test]
fn lengths_that_differ_are_refused() {
    let _turn = tests::turn();
    let device = tests::device();
    let [stream, _] = streams(&device);
    let host = pinned(&device, &[1.0; 3]);
    let mut buffer = DeviceBuffer::<f32>::zeroed(&device, 4).expect("a buffer");
    let error = stream
        .copy_in(&host, &mut buffer)
        .expect_err("lengths differ");
    assert!(
        error
            .to_string()
            .contains("4 elements and the host slice 3"),
        "{error}"
    );
}

#[test]
fn parts_are_written_by_several_streams_and_the_whole_waits_for_them() {
    let _turn = tests::turn();
    let device = tests::device();
    let values = input::floats(1000, 5);
    let a = DeviceBuffer::from_slice(&device, &values).expect("a buffer");
    let mut sum = DeviceBuffer::<f32>::zeroed(&device, 1000).expect("a buffer");
    let mut pieces = DeviceBuffer::from_slice(&device, &values).expect("a buffer");
    let free = StreamOptions::new().non_blocking();
    for mut part in sum.parts(300).into_iter().zip(pieces.parts(300)) {
        let stream = device.stream_with(free).expect("a stream");
        let config = LaunchConfig::for_num_elems(part.0.len());
        device
            .launch(&stream, vec_add, config, (&part.1, &part.1, &mut part.0))
            .expect("a launch");
        stream.copy(&part.0, &mut part.1).expect("a copy");
    }
    let doubled: Vec<f32> = values.iter().map(|value| value + value).collect();
    assert_eq!(sum.to_vec().expect("no fault"), doubled);
    assert_eq!(pieces.to_vec().expect("no fault"), doubled);
    let [mut left, right] = sum.split_at(1);
    assert_eq!((left.len(), right.len()), (1, 999));
    let [stream, _] = streams(&device);
    stream.fill_zero(&mut left).expect("a set");
    assert_eq!(sum.to_vec().expect("no fault")[..2], [0.0, doubled[1]]);
    assert_eq!(a.to_vec().expect("no fault"), values);
}

#[test]
fn an_event_happens_when_what_was_queued_before_it_has_run() {
    let _turn = tests::turn();
    let device = tests::device();
    let [stream, other] = streams(&device);
    let (release, wait) = mpsc::channel::<()>();
    stream
        .call(move || wait.recv().expect("a word"))
        .expect("a host function");
    let event = stream.record().expect("an event");
    other.wait_event(&event).expect("a wait");
    assert!(!event.is_done().expect("no fault"));
    assert!(!other.is_done().expect("no fault"));
    release.send(()).expect("the function waits");
    event.synchronize().expect("no fault");
    assert!(event.is_done().expect("no fault"));
    other.synchronize().expect("no fault");
    assert!(other.is_done().expect("no fault") && stream.is_done().expect("no fault"));
}

#[test]
fn an_event_without_time_refuses_to_tell_it() {
    let _turn = tests::turn();
    let device = tests::device();
    let [stream, _] = streams(&device);
    let timed = stream.record().expect("an event");
    let untimed = device
        .event_with(EventOptions::new().without_time().blocking_wait())
        .expect("an event");
    untimed.record(&stream).expect("a record");
    untimed.synchronize().expect("no fault");
    let error = untimed.since(&timed).expect_err("no time was kept");
    assert_eq!(error.name(), "CUDA_ERROR_INVALID_HANDLE");
    let never = device.event().expect("an event");
    assert_eq!(
        timed.since(&never).expect_err("never recorded").name(),
        "CUDA_ERROR_INVALID_HANDLE"
    );
}

#[test]
fn priorities_are_moved_into_the_devices_range() {
    let _turn = tests::turn();
    let device = tests::device();
    let range = device.stream_priorities().expect("a range");
    assert!(range.greatest <= range.least);
    for (asked, given) in [(0, 0), (-100, range.greatest), (100, range.least)] {
        let stream = device
            .stream_with(StreamOptions::new().priority(asked))
            .expect("a stream");
        assert_eq!(stream.priority().expect("an answer"), given);
    }
}

/// In a function that a stream calls, the driver refuses every call: nothing can be waited for there. What a copy or a graph under way needs of the host
/// stays all the same. (On a GPU dropping it there may wait for ever, as the driver's manual has it.)
#[test]
fn what_a_host_function_drops_stays_as_long_as_it_is_in_use() {
    let _turn = tests::turn();
    let Some(device) = tests::simulator(
        "it drops memory in a host function",
        "a GPU's driver may wait for itself",
    ) else {
        return;
    };
    let free = || device.stream_with(StreamOptions::new().non_blocking());
    let (busy, other) = (free().expect("a stream"), free().expect("a stream"));
    let (go, wait) = mpsc::channel::<()>();
    busy.call(move || wait.recv().expect("the test goes on"))
        .expect("queued");

    // So large that the allocator gives it back to the system at once.
    let mut registered = PinnedBuffer::register(&device, vec![1u8; 40 << 20]).expect("pinned");
    let zeros = DeviceBuffer::<u8>::zeroed(&device, registered.len()).expect("a buffer");
    busy.copy_out(&zeros, &mut registered)
        .expect("queued")
        .detach();

    let called = Arc::new(AtomicU32::new(0));
    let (template, ()) = device
        .build_graph(|graph| {
            let called = Arc::clone(&called);
            graph.call(&[], move || {
                called.fetch_add(1, Ordering::Relaxed);
            })?;
            Ok(())
        })
        .expect("a graph");
    let graph = template.instantiate().expect("a graph");
    drop(template);
    graph.launch(&busy).expect("launched");

    let (done, dropped) = mpsc::channel::<()>();
    let drops = move || {
        drop((registered, graph));
        done.send(()).expect("the test waits");
    };
    other.call(drops).expect("queued");
    dropped.recv().expect("it was called");
    let kept = Arc::strong_count(&called);
    go.send(()).expect("the stream waits");
    busy.synchronize().expect("no fault");
    assert_eq!(kept, 2, "the graph's function was gone before its call");
    assert_eq!(called.load(Ordering::Relaxed), 1);
}

/// A thread's own variables are destroyed in reverse order: those that were there before its first call of the driver come last, and give back what they
/// hold then.
#[test]
fn a_threads_own_variables_give_back_what_they_hold() {
    type Held = RefCell<Vec<Box<dyn Any>>>;
    thread_local! { static HELD: Held = const { RefCell::new(Vec::new()) }; }
    let _turn = tests::turn();
    let device = tests::device();
    let work = || {
        HELD.with_borrow(Vec::is_empty); // before anything else
        let stream = device.stream().expect("a stream");
        let ones = DeviceBuffer::from_slice(&device, &[1.0f32; 100]).expect("a buffer");
        let mut sums = DeviceBuffer::<f32>::zeroed(&device, 100).expect("a buffer");
        let config = LaunchConfig::for_num_elems(100);
        let graph = device
            .record(|record| record.launch(vec_add, config, (&ones, &ones, &mut sums)))
            .expect("a graph");
        graph.launch(&stream).expect("launched");
        let mut host = PinnedBuffer::register(&device, vec![0.0f32; 100]).expect("pinned");
        stream.copy_out(&sums, &mut host).expect("queued").detach();
        let pooled = DeviceBuffer::<u32>::zeroed_on(&stream, 100).expect("a buffer");
        let texels = Texture::<1>::from_slice(&device, &[0.0; 8], [8], Default::default());
        let held: [Box<dyn Any>; 7] = [
            Box::new(ones),
            Box::new(sums),
            Box::new(graph),
            Box::new(host),
            Box::new(pooled),
            Box::new(texels.expect("a texture")),
            Box::new(stream),
        ];
        HELD.with_borrow_mut(|all| all.extend(held));
    };
    std::thread::scope(|scope| scope.spawn(work).join()).expect("no panic");
    device.synchronize().expect("no fault");
}

#[test]
fn a_panic_in_a_host_function_ends_there() {
    let _turn = tests::turn();
    let device = tests::device();
    let [stream, _] = streams(&device);
    stream
        .call(|| panic!("on purpose"))
        .expect("a host function");
    // And what it panicked with, when that is dropped.
    struct Again;
    impl Drop for Again {
        fn drop(&mut self) {
            panic!("on purpose, again");
        }
    }
    stream
        .call(|| std::panic::panic_any(Again))
        .expect("a host function");
    let (tell, told) = mpsc::channel();
    stream
        .call(move || tell.send(3).expect("somebody listens"))
        .expect("a host function");
    stream.synchronize().expect("no fault");
    assert_eq!(told.try_recv(), Ok(3));
}

#[test]
fn threads_share_what_is_counted() {
    let _turn = tests::turn();
    let Some(device) = tests::simulator("threads' launches are counted", "a GPU does not count")
    else {
        return;
    };
    let a = DeviceBuffer::from_slice(&device, &[1.0f32; 64]).expect("a buffer");
    let counters = lanewise::counters::of(&device, || {
        in_threads(0..3, |_| {
            let stream = device.stream()?;
            let mut c = DeviceBuffer::<f32>::zeroed(&device, 64).expect("a buffer");
            let config = LaunchConfig::new(1, 64);
            device
                .launch(&stream, vec_add, config, (&a, &a, &mut c))
                .expect("a launch");
            stream.synchronize()
        })
        .into_iter()
        .collect::<Result<(), lanewise::DriverError>>()
    });
    let counters = counters.expect("no fault").expect("the simulator counts");
    assert_eq!(counters.global_stores.requests, 3 * 2);
}

/// What borrows memory remembers streams, and lets go of them when it is dropped.
#[test]
fn nothing_is_left_of_parts_views_and_mapped_memory() {
    use lanewise::checks::Checking;
    let _turn = tests::turn();
    let Some(device) = tests::simulator("leaks", "a GPU looks for none") else {
        return;
    };
    // Loads the module, which stays.
    let mut whole = DeviceBuffer::<f32>::zeroed(&device, 64).expect("a buffer");
    round_trip(&device, &[1.0], &streams(&device));
    let guard = Checking::leak().start();
    {
        let stream = device.stream().expect("a stream");
        let mut memory = pinned(&device, &[1.0; 32]);
        let config = LaunchConfig::for_num_elems(32);
        let [mut low, high] = whole.split_at(32);
        device
            .launch(&stream, vec_add, config, (&*high, &*high, &mut low))
            .expect("a launch");
        let mut mapped = memory.mapped().expect("mapped memory");
        device
            .launch(&stream, vec_add, config, (&*low, &*low, &mut mapped))
            .expect("a launch");
        drop((low, high, mapped));
        let view = whole.view(0..32);
        let mut sum = DeviceBuffer::<f32>::zeroed(&device, 32).expect("a buffer");
        device
            .launch(&stream, vec_add, config, (&*view, &*view, &mut sum))
            .expect("a launch");
    }
    drop(whole);
    let left = guard.leaks();
    assert!(left.is_empty(), "{left:#?}");
}

/// Of two that count, one inside the other, both count; the thread does not wait for itself.
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
            device
                .launch(&stream, vec_add, config, (&a, &a, &mut c))
                .expect("a launch");
            stream.synchronize()
        };
        let mut inner = None;
        let outer = lanewise::counters::of(&device, || {
            inner = lanewise::counters::of(&device, &mut add)?;
            add()
        })?;
        let requests = [outer, inner].map(|of| of.map(|of| of.global_stores.requests));
        answer.send(requests).expect("somebody listens");
        Ok::<(), lanewise::DriverError>(())
    });
    let limit = std::time::Duration::from_secs(60);
    let requests = said.recv_timeout(limit).expect("nobody waits for ever");
    assert_eq!(requests, [Some(4), Some(2)]);
}

/// Whoever counts takes the device from nobody: what it waits for may itself wait for another thread's launch.
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
            device
                .launch(stream, vec_add, config, (&ones, &ones, sum))
                .expect("a launch");
            stream.synchronize()
        };
        let [held, counted, other] = &streams;
        let [sum, others] = &mut sums;
        let counters = lanewise::counters::of(&device, || {
            let (launched, wait) = mpsc::channel();
            held.call(move || wait.recv().expect("the other thread launches"))?;
            std::thread::scope(|scope| {
                let other = scope.spawn(move || {
                    add(other, others)?;
                    launched.send(()).expect("the function waits");
                    Ok::<(), lanewise::DriverError>(())
                });
                add(counted, sum)?;
                device.synchronize()?;
                other.join().expect("no panic")
            })
        })?;
        let requests = counters.map(|of| of.global_stores.requests);
        answer.send(requests).expect("somebody listens");
        Ok::<(), lanewise::DriverError>(())
    });
    let limit = std::time::Duration::from_secs(60);
    let requests = said.recv_timeout(limit).expect("nobody waits for ever");
    assert_eq!(
        requests,
        Some(2),
        "the other thread's launch is not counted"
    );
}

/// Constant memory does not change while a kernel runs, whatever another thread does, also on a stream for which plain copies don't wait.
#[test]
fn constant_memory_is_written_between_the_launches_of_other_threads() {
    use gpu::basics::device_globals::{TABLE, TABLE_LENGTH, read_constant_table};
    let _turn = tests::turn();
    let device = tests::device();
    let table = device.symbol(TABLE).expect("a static");
    table.write([0.0; TABLE_LENGTH]).expect("no fault");
    let launches = std::sync::atomic::AtomicBool::new(true);
    in_threads([true, false], |writes| {
        use std::sync::atomic::Ordering::Relaxed;
        if writes {
            for round in 0.. {
                if !launches.load(Relaxed) {
                    return;
                }
                let value = [(round % 100) as f32; TABLE_LENGTH];
                table.write(value).expect("no fault");
                let read = table.read().expect("no fault");
                assert!(read == value, "{read:?}");
            }
        }
        let options = StreamOptions::new().non_blocking();
        let stream = device.stream_with(options).expect("a stream");
        let mut output = DeviceBuffer::<f32>::zeroed(&device, TABLE_LENGTH).expect("a buffer");
        let config = LaunchConfig::new(TABLE_LENGTH as u32 / 32, 32);
        let mixed = (0..500).find_map(|_| {
            device
                .launch(&stream, read_constant_table, config, (&mut output,))
                .expect("a launch");
            let seen = output.to_vec().expect("no fault");
            seen.iter().any(|value| *value != seen[0]).then_some(seen)
        });
        launches.store(false, Relaxed);
        assert_eq!(mixed, None);
    });
}

/// Whoever writes a static of the device's waits for what the streams call on the host. That may wait for a launch, which must not wait for the writer then.
#[test]
fn a_static_is_written_while_a_host_function_waits_for_a_launch() {
    use gpu::basics::device_globals::{TABLE_LENGTH, VALUE, read_constant_table};
    let _turn = tests::turn();
    let device = tests::device();
    let value = device.symbol(VALUE).expect("a static");
    let launches = std::sync::atomic::AtomicBool::new(true);
    in_threads([true, false], |writes| {
        use std::sync::atomic::Ordering::Relaxed;
        if writes {
            while launches.load(Relaxed) {
                value.write(1.0).expect("no fault");
            }
            return;
        }
        let free = || device.stream_with(StreamOptions::new().non_blocking());
        let (calls, stream) = (free().expect("a stream"), free().expect("a stream"));
        let mut output = DeviceBuffer::<f32>::zeroed(&device, TABLE_LENGTH).expect("a buffer");
        let config = LaunchConfig::new(TABLE_LENGTH as u32 / 32, 32);
        for _ in 0..30 {
            let (go, wait) = mpsc::channel::<()>();
            calls
                .call(move || wait.recv().expect("the test goes on"))
                .expect("queued");
            device
                .launch(&stream, read_constant_table, config, (&mut output,))
                .expect("a launch");
            go.send(()).expect("the stream waits");
            stream.synchronize().expect("no fault");
        }
        launches.store(false, Relaxed);
    });
}

/// What such a buffer is taken for is memory of the stream's device, which it would not be.
#[test]
fn a_pool_gives_memory_to_streams_of_its_own_device_alone() {
    let _turn = tests::turn();
    if tests::simulator("two devices", "the machine may have one").is_none() {
        return;
    }
    let test = "wrappers::a_pool_gives_memory_to_streams_of_its_own_device_alone";
    let answer = with_two_devices(&[], test, |first, second| {
        let pool = MemoryPool::new(first).expect("a pool");
        let [own, other] = [first, second].map(|device| device.stream().expect("a stream"));
        let given = pool.zeroed::<f32>(&own, 8).expect("a buffer");
        let refused = pool.zeroed::<f32>(&other, 8).expect_err("another device's");
        format!("{}, {:#}", given.len(), anyhow::Error::from(refused))
    });
    assert!(
        answer.text.starts_with("8, ") && answer.text.contains("CUDA_ERROR_INVALID_VALUE"),
        "{}",
        answer.text
    );
}

/// What a test says of two simulated devices, in a process of its own.
fn with_two_devices(
    more: &[(&str, &str)],
    test: &str,
    body: impl FnOnce(&Device, &Device) -> String,
) -> ChildOutput {
    let environment = [&[("LANEWISE_SIM_DEVICES", "2")][..], more].concat();
    isolated_with(&environment, test, || {
        let devices = Device::all().expect("two devices");
        match &devices[..] {
            [first, second] => body(first, second),
            others => format!("{} devices", others.len()),
        }
    })
}

#[test]
fn a_buffer_of_another_device_is_refused_until_it_is_reached() {
    let _turn = tests::turn();
    let test = "wrappers::a_buffer_of_another_device_is_refused_until_it_is_reached";
    if tests::simulator("two devices", "the machine may have one").is_none() {
        return;
    }
    let answer = with_two_devices(&[], test, |first, second| {
        let streams = [first, second].map(|device| device.stream().expect("a stream"));
        let here = DeviceBuffer::from_slice(first, &[1.0f32, 2.0]).expect("a buffer");
        let mut there = DeviceBuffer::from_slice(second, &[0.0f32; 2]).expect("a buffer");
        let config = LaunchConfig::for_num_elems(2);
        let mut add = || second.launch(&streams[1], vec_add, config, (&here, &here, &mut there));
        let refused = add().expect_err("no access");
        let refused = format!("{:#}", anyhow::Error::from(refused));
        second.enable_peer(first).expect("access");
        second.enable_peer(first).expect("twice is once");
        add().expect("a launch");
        let other = second
            .launch(&streams[0], vec_add, config, (&here, &here, &mut there))
            .expect_err("the stream is the first device's");
        let mut back = DeviceBuffer::from_slice(first, &[0.0f32; 2]).expect("a buffer");
        streams[0].copy(&there, &mut back).expect("a copy");
        let reach = first.can_reach(second).expect("an answer");
        format!("{refused}\n{other}\n{reach} {:?}", back.to_vec())
    });
    let lines: Vec<&str> = answer.text.lines().collect();
    assert!(
        lines[0].contains("CUDA_ERROR_PEER_ACCESS_NOT_ENABLED"),
        "{}",
        answer.text
    );
    assert!(lines[1].contains("is on device 0"), "{}", answer.text);
    assert!(
        lines[2].contains("on a stream of device 0"),
        "{}",
        answer.text
    );
    assert_eq!(lines[3], "true Ok([2.0, 4.0])");
}

#[test]
fn a_texture_of_another_device_is_refused() {
    use gpu::shared::texture::texture_1d;
    use lanewise::Texture;
    use lanewise::texture::Sampling;
    let _turn = tests::turn();
    let test = "wrappers::a_texture_of_another_device_is_refused";
    if tests::simulator("two devices", "the machine may have one").is_none() {
        return;
    }
    let answer = with_two_devices(&[], test, |first, second| {
        second.enable_peer(first).expect("access");
        let stream = second.stream().expect("a stream");
        let sampling = Sampling::default();
        let texture = Texture::from_slice(first, &[1.0, 2.0], [2], sampling).expect("a texture");
        let at = DeviceBuffer::from_slice(second, &[0.5f32, 1.5]).expect("a buffer");
        let mut output = DeviceBuffer::<f32>::zeroed(second, 2).expect("a buffer");
        let config = LaunchConfig::for_num_elems(2);
        let refused = second.launch(&stream, texture_1d, config, (&texture, &at, &mut output));
        format!(
            "{:#}",
            anyhow::Error::from(refused.expect_err("another device's"))
        )
    });
    assert!(
        answer
            .text
            .contains("the texture is of device 0, and the kernel would run on device 1"),
        "{}",
        answer.text
    );
}

#[test]
fn managed_memory_waits_for_kernels_of_other_devices_too() {
    use lanewise::ManagedBuffer;
    let _turn = tests::turn();
    let test = "wrappers::managed_memory_waits_for_kernels_of_other_devices_too";
    if tests::simulator("two devices", "the machine may have one").is_none() {
        return;
    }
    let answer = with_two_devices(&[], test, |first, second| {
        second.enable_peer(first).expect("access");
        let stream = second.stream().expect("a stream");
        let mut ones = ManagedBuffer::<f32>::zeroed(first, 2).expect("managed memory");
        let mut sum = ManagedBuffer::<f32>::zeroed(first, 2).expect("managed memory");
        ones.as_mut_slice().expect("no fault").fill(1.0);
        // The kernel begins long after the launch, on a device that is not the memory's own.
        stream
            .call(|| std::thread::sleep(std::time::Duration::from_millis(50)))
            .expect("a host function");
        let config = LaunchConfig::for_num_elems(2);
        second
            .launch(&stream, vec_add, config, (&ones, &ones, &mut sum))
            .expect("a launch");
        format!("{:?}", sum.as_slice())
    });
    assert_eq!(answer.text, "Ok([2.0, 2.0])");
}

#[test]
fn without_peer_access_copies_still_work() {
    let _turn = tests::turn();
    let test = "wrappers::without_peer_access_copies_still_work";
    if tests::simulator("no peer access", "the machine's peers are what they are").is_none() {
        return;
    }
    let answer = with_two_devices(&[("LANEWISE_SIM_PEERS", "0")], test, |first, second| {
        let refused = first.enable_peer(second).expect_err("no access");
        let stream = first.stream().expect("a stream");
        let here = DeviceBuffer::from_slice(first, &[1.0f32, 2.0]).expect("a buffer");
        let mut there = DeviceBuffer::from_slice(second, &[0.0f32; 2]).expect("a buffer");
        stream.copy(&here, &mut there).expect("a copy");
        let reach = first.can_reach(second).expect("an answer");
        format!("{reach} {} {:?}", refused.name(), there.to_vec())
    });
    assert_eq!(
        answer.text,
        "false CUDA_ERROR_PEER_ACCESS_UNSUPPORTED Ok([1.0, 2.0])"
    );
}

/// Waits for a future on this thread, as a small executor does.
fn block_on<F: std::future::Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = std::sync::Arc::new(Unpark(std::thread::current())).into();
    let mut context = std::task::Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        if let std::task::Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        std::thread::park();
    }
}

#[test]
fn a_task_awaits_a_stream_and_others_go_on_meanwhile() {
    let _turn = tests::turn();
    let device = tests::device();
    let [stream, other] = streams(&device);
    // On a GPU functions of the host are called one after another, whichever stream they are of (CUDA driver API, `cuLaunchHostFunc`), so
    // one that waits would hold the call up that the other stream's future waits for. There a long kernel keeps the first busy.
    let (release, wait) = mpsc::channel::<()>();
    let numbers = DeviceBuffer::<u32>::zeroed(&device, 32).expect("a buffer");
    let mut wound_on = DeviceBuffer::<u32>::zeroed(&device, 32).expect("a buffer");
    if device.backend() == Backend::Cuda {
        let config = LaunchConfig::for_num_elems(32);
        device
            .launch(&stream, advance, config, (&numbers, &mut wound_on, 1 << 24))
            .expect("a launch");
    } else {
        stream
            .call(move || wait.recv().expect("a word"))
            .expect("a host function");
    }
    let (late, early) = (
        stream.finished().expect("a future"),
        other.finished().expect("a future"),
    );
    // The one that is not held up comes first, and lets the other go on.
    let held_up = block_on(async {
        let mut late = std::pin::pin!(late);
        early.await.expect("no fault");
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let held_up = late.as_mut().poll(&mut context).is_pending();
        // Nobody listens where a kernel was the work.
        let _ = release.send(());
        late.await.expect("no fault");
        held_up
    });
    assert!(held_up, "the first stream was done before the second");
    // One that is past already needs no waking.
    block_on(stream.finished().expect("a future")).expect("no fault");
}

#[test]
fn pooled_memory_is_zero_and_goes_back_after_its_uses() {
    let _turn = tests::turn();
    let device = tests::device();
    let [stream, other] = streams(&device);
    let ones = DeviceBuffer::from_slice(&device, &[1.0f32; 1000]).expect("a buffer");
    let mut sum = DeviceBuffer::<f32>::zeroed(&device, 1000).expect("a buffer");
    for _ in 0..20 {
        let pooled = DeviceBuffer::<f32>::zeroed_on(&stream, 1000).expect("pooled memory");
        let config = LaunchConfig::for_num_elems(1000);
        device
            .launch(&other, vec_add, config, (&ones, &pooled, &mut sum))
            .expect("a launch");
        // Dropped while the other stream may still read it.
    }
    assert_eq!(sum.to_vec().expect("no fault"), [1.0; 1000]);
    let pooled = DeviceBuffer::<f32>::zeroed_on(&stream, 3).expect("pooled memory");
    assert_eq!(pooled.to_vec().expect("no fault"), [0.0; 3]);
    assert!(
        DeviceBuffer::<f32>::zeroed_on(&stream, 0)
            .expect("nothing")
            .is_empty()
    );
    let error = DeviceBuffer::<u8>::zeroed_on(&stream, 1 << 50).expect_err("too much");
    assert!(
        error.to_string().starts_with("no room on the device"),
        "{error}"
    );
}

#[test]
fn managed_memory_takes_advice_and_is_fetched_ahead() {
    let _turn = tests::turn();
    use lanewise::{Advice, ManagedBuffer, MemoryLocation};
    let device = tests::device();
    let [stream, _] = streams(&device);
    let mut memory = ManagedBuffer::<f32>::zeroed(&device, 1000).expect("managed memory");
    memory.as_mut_slice().expect("no fault").fill(2.0);
    let here = MemoryLocation::Device(&device);
    for advice in [
        Advice::ReadMostly(true),
        Advice::ReadMostly(false),
        Advice::Preferred(Some(here)),
        Advice::Preferred(None),
        Advice::AccessedBy(MemoryLocation::Host),
        Advice::NotAccessedBy(MemoryLocation::Host),
    ] {
        memory.advise(advice).expect("taken");
    }
    memory.prefetch(&stream, here).expect("queued");
    let mut sum = DeviceBuffer::<f32>::zeroed(&device, 1000).expect("a buffer");
    let config = LaunchConfig::for_num_elems(1000);
    device
        .launch(&stream, vec_add, config, (&memory, &memory, &mut sum))
        .expect("a launch");
    memory
        .prefetch(&stream, MemoryLocation::Host)
        .expect("queued");
    assert_eq!(sum.to_vec().expect("no fault"), [4.0; 1000]);
    assert_eq!(memory.as_slice().expect("no fault"), [2.0; 1000]);
    let none = ManagedBuffer::<f32>::zeroed(&device, 0).expect("nothing");
    none.advise(Advice::ReadMostly(true))
        .expect("nothing to do");
    none.prefetch(&stream, MemoryLocation::Host)
        .expect("nothing to do");
}

/// The call that notices a fault is not the one that caused it: the report names both.
#[test]
fn an_asynchronous_fault_names_the_launch_that_caused_it() {
    let _turn = tests::turn();
    let test = "wrappers::an_asynchronous_fault_names_the_launch_that_caused_it";
    let answer = isolated_with(&[], test, || {
        let device = tests::device();
        let [stream, other] = streams(&device);
        let good = DeviceBuffer::from_slice(&device, &[1.0f32; 64]).expect("a buffer");
        let sum = || DeviceBuffer::<f32>::zeroed(&device, 64).expect("a buffer");
        let (mut first, mut second) = (sum(), sum());
        let config = LaunchConfig::for_num_elems(64);
        // SAFETY: it is not sound, and that is the test: the process ends after the fault.
        let bad = unsafe { DeviceBuffer::<f32>::borrow_raw(&device, 16, 64) };
        let line = line!() + 2;
        device
            .launch(&stream, vec_add, config, (&*bad, &good, &mut first))
            .expect("a launch");
        device
            .launch(&other, vec_add, config, (&good, &good, &mut second))
            .or_else(|error| {
                error
                    .to_string()
                    .contains("launch")
                    .then_some(())
                    .ok_or(error)
            })
            .expect("a launch, or the fault already");
        let error = device
            .synchronize()
            .expect_err("the first kernel reads address 16");
        let noticed = error.location().line();
        // A task that awaits a stream is told too.
        let told = match other.finished() {
            Ok(finished) => block_on(finished).is_err(),
            Err(error) => error.is_kernel_fault(),
        };
        format!("{} {} {told}\n{error}", line, noticed > line)
    });
    let (head, report) = answer.text.split_once('\n').expect("a report");
    let mut words = head.split(' ');
    let line = words.next().expect("a line");
    assert_eq!(words.collect::<Vec<_>>(), ["true", "true"]);
    let named = format!("kernel `vec_add` was launched at {}:{line}:", file!());
    assert!(report.contains(&named), "{named}\n{report}");
    assert!(report.starts_with("cu"), "{report}");
}
