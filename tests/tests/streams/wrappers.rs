//! What the host's safe wrappers promise: order where it is needed, none where it is not, and memory that is kept until it is free.

use std::sync::mpsc;
use std::time::Duration;

use gpu::basics::vector_add::vec_add;
use lanewise::{
    Device, DeviceBuffer, EventOptions, LaunchConfig, PinnedBuffer, Pinning, Stream, StreamOptions,
    in_threads,
};
use lanewise_patterns::input;
use proptest::prelude::*;
use tests::isolate::isolated_with;
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
    let device = tests::device();
    let [stream, other] = streams(&device);
    let (release, wait) = mpsc::channel::<()>();
    stream
        .call(move || wait.recv_timeout(Duration::from_secs(10)).expect("a word"))
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

#[test]
fn a_panic_in_a_host_function_ends_there() {
    let device = tests::device();
    let [stream, _] = streams(&device);
    stream
        .call(|| panic!("on purpose"))
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

#[test]
fn a_buffer_of_another_device_is_refused_until_it_is_reached() {
    let test = "wrappers::a_buffer_of_another_device_is_refused_until_it_is_reached";
    if tests::simulator("two devices", "the machine may have one").is_none() {
        return;
    }
    let answer = isolated_with(&[("LANEWISE_SIM_DEVICES", "2")], test, || {
        let devices = Device::all().expect("two devices");
        let [first, second] = &devices[..] else {
            return format!("{} devices", devices.len());
        };
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
fn without_peer_access_copies_still_work() {
    let test = "wrappers::without_peer_access_copies_still_work";
    if tests::simulator("no peer access", "the machine's peers are what they are").is_none() {
        return;
    }
    let environment = [("LANEWISE_SIM_DEVICES", "2"), ("LANEWISE_SIM_PEERS", "0")];
    let answer = isolated_with(&environment, test, || {
        let devices = Device::all().expect("two devices");
        let [first, second] = &devices[..] else {
            return format!("{} devices", devices.len());
        };
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
