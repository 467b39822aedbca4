//! Buffers and events of another process.

use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};

use gpu::basics::vector_add::vec_add;
use lanewise::{
    Device, DeviceBuffer, Event, EventOptions, IpcBuffer, IpcError, IpcEvent, IpcMemory,
    LaunchConfig, Module,
};
use tests::{device, simulator};

/// What the other process is told, in a variable: what to do, and the handles.
const TOLD: &str = "TESTS_IPC";

fn other(words: &[String]) -> Child {
    other_with(words, &[])
}

/// Starts the other process with further variables.
fn other_with(words: &[String], variables: &[(&str, &str)]) -> Child {
    let me = std::env::current_exe().expect("this program");
    let mut command = Command::new(me);
    command
        .args(["--exact", "the_other_process", "--nocapture"])
        .env(TOLD, words.join(" "))
        .envs(variables.iter().copied())
        .stdout(Stdio::piped());
    command.spawn().expect("another process")
}

/// Waits until the other process has said that it is so far. What it says later finds the pipe open
/// as long as the answer is there.
fn queued(child: &mut Child) -> Lines<BufReader<ChildStdout>> {
    let out = child.stdout.take().expect("it has a pipe");
    let mut lines = BufReader::new(out).lines();
    let far = lines.any(|line| line.expect("text").contains("queued"));
    assert!(far, "the other process ended");
    lines
}

fn event(device: &Device) -> Event {
    let options = EventOptions::new().interprocess();
    device.event_with(options).expect("an event")
}

/// Not a test by itself: what the others start as another process.
#[test]
fn the_other_process() {
    let Ok(told) = std::env::var(TOLD) else {
        return;
    };
    let words: Vec<&str> = told.split(' ').collect();
    let device = device();
    let stream = device.stream().expect("a stream");
    match words[..] {
        ["double", from, to, filled, done] => {
            let [filled, done] = [filled, done].map(|word| {
                let handle: IpcEvent = word.parse().expect("a handle");
                // SAFETY: the first process wrote the word, and waits for this one.
                unsafe { handle.open(&device) }.expect("an event")
            });
            let open = |word: &str| {
                let handle: IpcMemory = word.parse().expect("a handle");
                // SAFETY: the first process keeps the buffers, and leaves them alone
                // between the events.
                unsafe { handle.open(&device) }.expect("a buffer")
            };
            let (from, mut to): (IpcBuffer<f32>, IpcBuffer<f32>) = (open(from), open(to));
            stream.wait_event(&filled).expect("a wait");
            let config = LaunchConfig::for_num_elems(from.len());
            stream
                .launch(vec_add, config, (&from, &from, &mut to))
                .expect("a launch");
            done.record(&stream).expect("a record");
            println!("queued");
            stream.synchronize().expect("no fault");
            assert!(filled.is_done().expect("no fault"));
        }
        ["leave", done] => {
            // A record whose work this process takes with it.
            let done: IpcEvent = done.parse().expect("a handle");
            // SAFETY: as above.
            let done = unsafe { done.open(&device) }.expect("an event");
            let hold = || std::thread::sleep(std::time::Duration::from_secs(60));
            stream.call(hold).expect("a call");
            done.record(&stream).expect("a record");
            println!("queued");
            std::process::exit(0);
        }
        ["fault", from] => {
            let [first, second] = &Device::all().expect("two devices")[..] else {
                panic!("two devices are expected")
            };
            let from: IpcMemory = from.parse().expect("a handle");
            // SAFETY: the first process keeps the buffer, and does not write it.
            let from: IpcBuffer<f32> = unsafe { from.open(first) }.expect("a buffer");
            second.enable_peer(first).expect("access");
            let stream = second.stream().expect("a stream");
            let mut to = DeviceBuffer::<f32>::zeroed(second, from.len()).expect("a buffer");
            let config = LaunchConfig::for_num_elems(from.len());
            stream
                .launch(vec_add, config, (&from, &from, &mut to))
                .expect("a launch");
            let ends =
                ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry ends() { trap; }\n";
            let module = Module::from_ptx(second, ends).expect("PTX");
            // SAFETY: the kernel has no parameters, and accesses no memory.
            let launched =
                unsafe { module.launch_named(&stream, "ends", LaunchConfig::new(1, 1), ()) };
            launched.expect("a launch");
            second.synchronize().expect_err("the kernel traps");
            let address = from.address();
            drop(from);
            first.synchronize().expect("no fault here");
            // SAFETY: nothing uses the memory after this.
            let closed = unsafe { lanewise_driver::api::cuIpcCloseMemHandle(address) };
            assert_eq!(closed.0, 0, "it is mapped until now");
        }
        ["mistake", handle] => {
            let handle: IpcEvent = handle.parse().expect("a handle's digits");
            // SAFETY: the simulated driver checks the bytes, and this test runs on it alone.
            let opened = unsafe { handle.open(&device) };
            let refused = format!("{:?}", opened.map(drop));
            assert!(refused.contains("CUDA_ERROR_INVALID_HANDLE"), "{refused}");
        }
        _ => panic!("{told}"),
    }
}

/// The wait for the use by another device fails after a fault there. The use may still run.
#[test]
fn memory_whose_last_use_cannot_be_waited_for_stays_mapped() {
    if simulator("two devices", "the machine may have one").is_none() {
        return;
    }
    let buffer = DeviceBuffer::from_slice(&device(), &[1f32; 70]).expect("a buffer");
    let memory = buffer.ipc_handle().expect("a handle").to_string();
    let mut child = other_with(
        &["fault".to_owned(), memory],
        &[("LANEWISE_SIM_DEVICES", "2")],
    );
    assert!(child.wait().expect("it ends").success());
}

/// A handle is bytes, and anybody may write some: nothing but an event is opened as one, and then
/// written when it is recorded.
#[test]
fn what_is_no_event_is_not_opened_as_one() {
    let claim = "bytes that name something else";
    if simulator(claim, "its driver knows its own handles").is_none() {
        return;
    }
    let buffer = DeviceBuffer::from_slice(&device(), &[1u32; 70]).expect("a buffer");
    let memory = buffer.ipc_handle().expect("a handle").to_string();
    // What it is of, and the same numbers of a file.
    let (begins, rest) = memory.split_at(12);
    let event = format!("{begins}01{}", &rest[2..][..128 - 14]);
    let mut child = other(&["mistake".to_owned(), event]);
    assert!(child.wait().expect("it ends").success());
    assert_eq!(buffer.to_vec().expect("no fault"), [1; 70]);
}

#[test]
fn another_process_works_on_a_buffer_between_two_events() {
    let _turn = tests::turn();
    let device = device();
    let stream = device.stream().expect("a stream");
    let (filled, done) = (event(&device), event(&device));
    for n in [1usize, 33, 1000, 70_001] {
        let values: Vec<f32> = (0..n).map(|i| i as f32).collect();
        let ones = DeviceBuffer::from_slice(&device, &vec![1.0; n]).expect("a buffer");
        let values_there = DeviceBuffer::from_slice(&device, &values).expect("a buffer");
        let mut from = DeviceBuffer::<f32>::zeroed(&device, n).expect("a buffer");
        let to = DeviceBuffer::<f32>::zeroed(&device, n).expect("a buffer");
        let mut words = vec!["double".to_owned()];
        words.extend([&from, &to].map(|buffer| buffer.ipc_handle().expect("a handle").to_string()));
        words.extend(
            [&filled, &done].map(|event| event.ipc_handle().expect("a handle").to_string()),
        );
        let config = LaunchConfig::for_num_elems(n);
        stream
            .launch(vec_add, config, (&ones, &values_there, &mut from))
            .expect("a launch");
        filled.record(&stream).expect("a record");
        let mut child = other(&words);
        let _pipe = queued(&mut child);
        let mut after = DeviceBuffer::<f32>::zeroed(&device, n).expect("a buffer");
        stream.wait_event(&done).expect("a wait");
        stream
            .launch(vec_add, config, (&to, &ones, &mut after))
            .expect("a launch");
        let expected: Vec<f32> = values.iter().map(|x| 2.0 * (x + 1.0) + 1.0).collect();
        assert_eq!(after.to_vec().expect("no fault"), expected);
        assert!(child.wait().expect("it ends").success());
        assert!(done.is_done().expect("no fault"));
    }
}

#[test]
fn what_is_not_shared_is_refused() {
    let _turn = tests::turn();
    let device = device();
    let stream = device.stream().expect("a stream");
    let mut buffer = DeviceBuffer::from_slice(&device, &[1u32; 7]).expect("a buffer");
    let pooled = DeviceBuffer::<u32>::zeroed_on(&stream, 7).expect("a buffer");
    let empty = DeviceBuffer::<u32>::zeroed(&device, 0).expect("a buffer");
    let handle = buffer.ipc_handle().expect("a handle");
    assert_eq!(
        handle.to_string().parse::<IpcMemory>().expect("its text"),
        handle
    );
    assert_eq!(IpcMemory::from_bytes(handle.to_bytes()), handle);
    for refused in [
        pooled.ipc_handle(),
        empty.ipc_handle(),
        buffer.slice(0..7).ipc_handle(),
    ] {
        assert!(matches!(refused, Err(IpcError::NotWhole)), "{refused:?}");
    }
    assert!(matches!(
        buffer.chunks_mut(3)[0].ipc_handle(),
        Err(IpcError::NotWhole)
    ));
    for text in ["", "zz", &"0".repeat(143), &"é".repeat(72)] {
        let refused = text.parse::<IpcMemory>();
        assert!(matches!(refused, Err(IpcError::Text(_))), "{refused:?}");
    }
    // SAFETY: refused.
    let refused = unsafe { handle.open::<u64>(&device) };
    assert!(
        matches!(
            refused,
            Err(IpcError::Size {
                bytes: 28,
                element: 8
            })
        ),
        "{refused:?}"
    );
    device
        .event()
        .expect("an event")
        .ipc_handle()
        .expect_err("it is this process' alone");
    // The memory goes on as it was.
    assert_eq!(buffer.to_vec().expect("no fault"), [1; 7]);
}

#[test]
fn handles_of_nothing_are_named() {
    let Some(device) = simulator(
        "which error a handle of nothing gets",
        "NVIDIA's driver has errors of its own",
    ) else {
        return;
    };
    let buffer = DeviceBuffer::from_slice(&device, &[1u32; 7]).expect("a buffer");
    let handle = buffer.ipc_handle().expect("a handle");
    let says = |handle: IpcMemory| {
        // SAFETY: refused.
        match unsafe { handle.open::<u32>(&device) } {
            Err(IpcError::Driver(error)) => (
                error.name().to_owned(),
                error.report().unwrap_or_default().to_owned(),
            ),
            other => panic!("{other:?}"),
        }
    };
    let (name, report) = says(handle);
    assert_eq!(name, "CUDA_ERROR_INVALID_CONTEXT");
    assert!(report.contains("this process' own"), "{report}");
    assert_eq!(
        says(IpcMemory::from_bytes([0; 72])).0,
        "CUDA_ERROR_INVALID_VALUE"
    );
    // Another process' file that is not the memory: of process 1, which has none of that number, or
    // is not ours to look at.
    let mut bytes = handle.to_bytes();
    bytes[8..12].copy_from_slice(&1u32.to_le_bytes());
    assert_eq!(
        says(IpcMemory::from_bytes(bytes)).0,
        "CUDA_ERROR_INVALID_HANDLE"
    );
}

#[test]
fn a_process_that_ends_leaves_nobody_waiting() {
    let Some(device) = simulator(
        "that nobody waits for ever",
        "what a GPU does with the work of a process that ends is its driver's",
    ) else {
        return;
    };
    let stream = device.stream().expect("a stream");
    let done = event(&device);
    let handle = done.ipc_handle().expect("a handle").to_string();
    let mut child = other(&["leave".to_owned(), handle]);
    let _pipe = queued(&mut child);
    stream.wait_event(&done).expect("a wait");
    stream.synchronize().expect("it goes on");
    assert!(done.is_done().expect("no fault"));
    child.wait().expect("it has ended");
}
