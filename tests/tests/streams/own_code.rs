//! The program's own code that the library calls, or that runs while the library is at work:
//! wakers, destructors, host functions.

use std::future::Future;
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use gpu::streams::advance::advance;
use kernels::{COUNT, count_up, halve};
use lanewise::checks::{self, Checking, Exploring};
use lanewise::{
    Device, DeviceBuffer, DriverError, ExecutableGraph, GraphError, LaunchConfig, ManagedBuffer,
    PinnedBuffer, Pinning, Stream, StreamOptions, counters,
};
use tests::isolate::isolated_with;

/// Does `work` in a thread of its own; fails if that never ends.
fn ends(work: impl FnOnce() + Send + 'static) {
    let (done, ended) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        work();
        let _ = done.send(());
    });
    let end = ended.recv_timeout(Duration::from_secs(60));
    assert_ne!(
        end,
        Err(mpsc::RecvTimeoutError::Timeout),
        "it waits for ever"
    );
    thread.join().expect("no panic");
}

/// A waker that waits for its stream when it is dropped.
struct Waits {
    stream: Stream,
    go: Mutex<Option<mpsc::Sender<()>>>,
}

impl Wake for Waits {
    fn wake(self: Arc<Self>) {}
}

impl Drop for Waits {
    fn drop(&mut self) {
        drop(self.go.get_mut().expect("no panic").take());
        self.stream.synchronize().expect("no fault");
    }
}

/// The stream's call takes the waker that is there, and must not be kept from it by one that goes.
#[test]
fn a_waker_that_goes_may_wait_for_the_stream() {
    let _turn = tests::turn();
    let device = tests::device();
    ends(move || {
        // Nobody else waits for it, should it be stuck.
        let free = device.stream_with(StreamOptions::new().non_blocking());
        let stream = free.expect("a stream");
        let (go, wait) = mpsc::channel::<()>();
        let held = stream.call(move || wait.recv().unwrap_or_default());
        held.expect("queued");
        let mut finished = Box::pin(stream.finished().expect("a future"));
        let go = Mutex::new(Some(go));
        let waits = Waker::from(Arc::new(Waits { stream, go }));
        let first = finished.as_mut().poll(&mut Context::from_waker(&waits));
        assert!(first.is_pending());
        // From here on the future alone has it.
        drop(waits);
        // Another takes its place, and it lets the stream go on and waits for it.
        let second = finished
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        assert!(second.is_pending());
        let third = finished
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        assert!(third.is_ready());
    });
}

/// After a fault the driver does not take back what it has pinned. So the memory must not
/// become anybody else's.
#[test]
fn memory_that_stays_registered_stays() {
    let _turn = tests::turn();
    if tests::simulator("what stays pinned", "a GPU's driver may give it back").is_none() {
        return;
    }
    let test = "own_code::memory_that_stays_registered_stays";
    let answer = isolated_with(&[], test, || {
        let device = tests::device();
        let stream = device.stream().expect("a stream");
        // So large that the allocator gives it back to the system at once, and takes the same place
        // for the next.
        let memory = || vec![0u8; 48 << 20];
        let registered = PinnedBuffer::register(&device, memory()).expect("pinned");
        let pinned = registered.as_slice().expect("no fault").as_ptr_range();
        let mut numbers = DeviceBuffer::<u32>::zeroed(&device, 1).expect("a buffer");
        // SAFETY: it is not sound, and that is the test: the process ends after the fault.
        let bad = unsafe { DeviceBuffer::<u32>::borrow_raw(&device, 16, 1) };
        let launched = stream.launch(advance, LaunchConfig::new(1, 1), (&*bad, &mut numbers, 1));
        launched.expect("a launch");
        device
            .synchronize()
            .expect_err("the kernel reads address 16");
        drop(registered);
        let others: Vec<Vec<u8>> = (0..3).map(|_| memory()).collect();
        let taken = others.iter().any(|other| pinned.contains(&other.as_ptr()));
        format!("taken: {taken}")
    });
    assert_eq!(answer.text, "taken: false");
}

/// A process ends when its `main` does, whatever is still under way: functions that wait for ever,
/// and work behind them.
#[test]
fn a_process_ends_with_work_under_way() {
    if tests::simulator("the end of a process", "a GPU's driver has its own").is_none() {
        return;
    }
    let file = std::env::temp_dir().join(format!("lanewise-end-{}", std::process::id()));
    let file = file.to_str().expect("plain text").to_owned();
    let test = "own_code::a_process_ends_with_work_under_way";
    // What is told at the end does not wait either.
    let told = [
        ("LANEWISE_SUMMARY", "1"),
        ("LANEWISE_CHECKS", "race,leak"),
        ("LANEWISE_COUNTERS", &file),
        ("LANEWISE_TRACE", &file),
    ];
    for environment in [&[][..], &told[..]] {
        let environment = environment
            .iter()
            .map(|&(name, value)| (name, value.to_owned()));
        let environment: Vec<(&'static str, String)> = environment.collect();
        let ended = move || {
            let environment: Vec<_> = environment
                .iter()
                .map(|(name, value)| (*name, &**value))
                .collect();
            let answer = isolated_with(&environment, test, leave_work);
            assert_eq!(answer.text, "left");
        };
        match std::env::var_os("LANEWISE_ISOLATED_TEST") {
            Some(_) => ended(),
            None => ends(ended),
        }
    }
    let _ = std::fs::remove_file(file);
}

/// Queues work that never ends, of all kinds, and gives nothing back.
fn leave_work() -> String {
    let device = tests::device();
    let (go, wait) = mpsc::channel::<()>();
    let stream = device.stream().expect("a stream");
    let held = stream.call(move || wait.recv().unwrap_or_default());
    held.expect("queued");
    let numbers = vec![1u32; 1000];
    let pooled = DeviceBuffer::<u32>::zeroed_on(&stream, 1000).expect("a buffer");
    let mut mine = PinnedBuffer::register(&device, numbers).expect("pinned");
    let copied = stream.copy_out(&pooled, &mut mine);
    copied.expect("queued").detach();
    let mut sums = DeviceBuffer::<u32>::zeroed_on(&stream, 1000).expect("a buffer");
    let shape = LaunchConfig::for_num_elems(1000);
    let launched = stream.launch(advance, shape, (&pooled, &mut sums, 1000));
    launched.expect("a launch");
    let built = device.build_graph(|graph| graph.call(&[], || ()).map(drop));
    let graph = built.expect("a graph").0.instantiate().expect("a graph");
    graph.launch(&stream).expect("a launch");
    // Another thread waits when the process ends, and one records.
    let waits = stream.clone();
    std::thread::spawn(move || waits.synchronize());
    let (begin, begun) = mpsc::channel();
    let records = device.clone();
    std::thread::spawn(move || {
        records.record(|_| {
            begin.send(()).expect("the test listens");
            std::thread::park();
            Ok(())
        })
    });
    begun.recv().expect("it records");
    // Endless work of a stream that waits for no other stream.
    let free = device.stream_with(StreamOptions::new().non_blocking());
    let free = free.expect("a stream");
    let mut long = DeviceBuffer::<u32>::zeroed_on(&free, 1).expect("a buffer");
    let one = DeviceBuffer::<u32>::zeroed_on(&free, 1).expect("a buffer");
    let launched = free.launch(
        advance,
        LaunchConfig::new(1, 1),
        (&one, &mut long, 100_000_000),
    );
    launched.expect("a launch");
    std::mem::forget((go, graph, mine, sums, pooled, long, one));
    "left".to_owned()
}

/// What a function of the host asks of the library: its calls, by name, and whether
/// each was refused.
fn asked(
    device: &Device,
    mut buffer: DeviceBuffer<u32>,
    graph: &ExecutableGraph,
) -> Vec<(&'static str, bool)> {
    let stream = device.default_stream();
    let (shape, numbers) = (LaunchConfig::new(1, 32), [1u32; 32]);
    let mut pinned = match PinnedBuffer::register(device, numbers.to_vec()) {
        Ok(_) => return vec![("PinnedBuffer::register", false)],
        Err(_) => PinnedBuffer::<u32>::zeroed(device, 0, Pinning::Cached).expect("nothing"),
    };
    let of = |done: bool| !done;
    vec![
        ("Device::open", of(Device::open().is_ok())),
        ("Device::synchronize", of(device.synchronize().is_ok())),
        ("Device::stream", of(device.stream().is_ok())),
        ("Device::event", of(device.event().is_ok())),
        ("Device::record", of(device.record(|_| Ok(())).is_ok())),
        (
            "Device::build_graph",
            of(device.build_graph(|_| Ok(())).is_ok()),
        ),
        ("Device::symbol", of(device.symbol(COUNT).is_ok())),
        ("Device::memory_pool", of(device.memory_pool().is_ok())),
        (
            "Stream::launch",
            of(stream.launch(count_up, shape, ()).is_ok()),
        ),
        ("Graph::launch", of(graph.launch(&stream).is_ok())),
        ("Stream::synchronize", of(stream.synchronize().is_ok())),
        ("Stream::is_done", of(stream.is_done().is_ok())),
        ("Stream::call", of(stream.call(|| ()).is_ok())),
        ("Stream::finished", of(stream.finished().is_ok())),
        (
            "Stream::fill_zero",
            of(stream.fill_zero(&mut buffer).is_ok()),
        ),
        (
            "DeviceBuffer::from_slice",
            of(DeviceBuffer::from_slice(device, &numbers).is_ok()),
        ),
        (
            "DeviceBuffer::zeroed_on",
            of(DeviceBuffer::<u32>::zeroed_on(&stream, 32).is_ok()),
        ),
        ("DeviceBuffer::to_vec", of(buffer.to_vec().is_ok())),
        (
            "DeviceBuffer::copy_from_slice",
            of(buffer.copy_from_slice(&numbers).is_ok()),
        ),
        (
            "ManagedBuffer::zeroed",
            of(ManagedBuffer::<u32>::zeroed(device, 32).is_ok()),
        ),
        (
            "counters::of",
            of(counters::of(device, || Ok::<(), DriverError>(())).is_ok()),
        ),
        (
            "checks::of",
            of(checks::of(device, Checking::all(), || Ok::<(), DriverError>(())).is_ok()),
        ),
        (
            "checks::explore",
            of(checks::explore(device, Exploring::weak(), || Ok::<(), DriverError>(())).is_ok()),
        ),
        // Nothing of the driver's.
        ("none", pinned.as_mut_slice().is_ok()),
    ]
}

/// A function that a stream calls gets an answer to whatever it asks the library, while others hold
/// what it may want.
#[test]
fn a_function_of_the_host_is_refused_and_never_held_up() {
    let _turn = tests::turn();
    let Some(device) = tests::simulator("what a host function asks", "a GPU's driver may do worse")
    else {
        return;
    };
    ends(move || {
        let free = || device.stream_with(StreamOptions::new().non_blocking());
        let (stream, other) = (free().expect("a stream"), free().expect("a stream"));
        let mut used = DeviceBuffer::<u32>::zeroed_on(&other, 32).expect("a buffer");
        let graph = device.record(|record| record.fill_zero(&mut used));
        let graph = graph.expect("a graph");
        let buffer = DeviceBuffer::<u32>::zeroed_on(&other, 32).expect("a buffer");
        let (tell, told) = mpsc::channel();
        let its = device.clone();
        // In the middle of a recording of this thread's, for which others wait.
        let recorded = device.record(|_| {
            let call = move || {
                tell.send(asked(&its, buffer, &graph))
                    .expect("the test listens")
            };
            stream.call(call)?;
            for (what, refused) in told.iter().flatten() {
                assert!(refused, "{what} is done in a function of the host");
            }
            Ok(())
        });
        recorded.expect("a graph");
        stream.synchronize().expect("no fault");
        assert_eq!(used.to_vec().expect("no fault"), [0; 32]);
    });
}

/// Records within records, by another thread too, each of them whole.
#[test]
fn recordings_lie_within_one_another() {
    let _turn = tests::turn();
    let device = tests::device();
    ends(move || {
        let stream = device.stream_with(StreamOptions::new().non_blocking());
        let stream = stream.expect("a stream");
        let shape = LaunchConfig::for_num_elems(32);
        let [one, two] = [1u32, 2].map(|value| DeviceBuffer::from_slice(&device, &[value; 32]));
        let (one, two) = (one.expect("a buffer"), two.expect("a buffer"));
        let mut sums =
            [(); 3].map(|()| DeviceBuffer::<u32>::zeroed(&device, 32).expect("a buffer"));
        let [outer_sum, inner_sum, built_sum] = &mut sums;
        let mut inner = None;
        let mut template = None;
        let outer = device.record(|outer| {
            inner = Some(device.record(|inner| {
                outer.launch(advance, shape, (&one, &mut *outer_sum, 0))?;
                let (built, ()) = device.build_graph(|graph| {
                    graph.record(&[], |innermost| {
                        let by_another = std::thread::scope(|scope| {
                            scope.spawn(|| innermost.copy(&two, built_sum)).join()
                        });
                        inner.launch(advance, shape, (&two, &mut *inner_sum, 0))?;
                        by_another.expect("no panic")
                    })?;
                    Ok(())
                })?;
                template = Some(built);
                Ok(())
            })?);
            Ok(())
        });
        let (outer, inner) = (outer.expect("a graph"), inner.expect("a graph"));
        let built = template.expect("a graph").instantiate().expect("a graph");
        for graph in [outer, inner, built] {
            graph.launch(&stream).expect("a launch");
        }
        let found = sums.map(|sum| sum.to_vec().expect("no fault")[31]);
        assert_eq!(found, [1, 2, 2]);
    });
}

/// What the making of a graph drops right after it has used it: the graph has what it needs, or
/// says that it has not.
#[test]
fn what_a_graph_was_made_with_may_go_at_once() {
    let _turn = tests::turn();
    let device = tests::device();
    ends(move || {
        let stream = device.stream_with(StreamOptions::new().non_blocking());
        let stream = stream.expect("a stream");
        let one = DeviceBuffer::from_slice(&device, &[1u32; 32]).expect("a buffer");
        let mut sum = DeviceBuffer::<u32>::zeroed(&device, 32).expect("a buffer");
        let (called, calls) = mpsc::channel();
        let called = Mutex::new(called);
        let built = device.build_graph(|graph| {
            let shape = LaunchConfig::for_num_elems(32);
            // A condition that no node decides by, one whose setter goes, and one that
            // goes with both.
            let (_, setter) = graph.condition(1)?;
            let (condition, _) = graph.condition(1)?;
            drop(graph.condition(0)?);
            let mut number = DeviceBuffer::from_slice(&device, &[8u32])?;
            let mut times = DeviceBuffer::<u32>::zeroed(&device, 1)?;
            let gone = graph.launch(
                &[],
                halve,
                LaunchConfig::new(1, 1),
                (&mut number, &mut times, &setter),
            )?;
            graph.if_then(&[gone], condition, |body| {
                let (child, ()) =
                    device.build_graph(|child| child.fill(&[], &mut sum, 5).map(drop))?;
                body.child(&[], &child).map(drop)
            })?;
            let (event, other) = (device.event()?, stream.record()?);
            graph.record_event(&[], &event)?;
            let waited = graph.wait_event(&[], &other)?;
            drop((event, other));
            // Memory of the graph's own that no node frees or reads.
            let mut own = graph.allocate::<u32>(&[], 32)?;
            graph.copy(&[waited], &one, &mut own)?;
            drop((own, graph.allocate::<u32>(&[], 1 << 20)?));
            graph.call(&[waited], move || {
                let called = called.lock().expect("no panic");
                called.send(()).expect("the test listens");
            })?;
            graph.launch(&[], advance, shape, (&one, &mut sum, 0))?;
            // A buffer of one of its nodes goes, and it can't be launched.
            drop(number);
            Ok(times)
        });
        let (template, times) = built.expect("a graph");
        let refused = template.instantiate();
        assert!(
            matches!(refused, Err(GraphError::BufferIsGone { .. })),
            "{refused:?}"
        );
        drop((refused, template, times));
        assert!(calls.try_recv().is_err());
        let refused = device.record(|record| {
            let gone = DeviceBuffer::from_slice(&device, &[3u32; 32])?;
            record.copy(&gone, &mut sum)?;
            drop(gone);
            record.fill_zero(&mut sum)
        });
        assert!(
            matches!(refused, Err(GraphError::BufferIsGone { .. })),
            "{refused:?}"
        );
        assert_eq!(sum.to_vec().expect("no fault"), [0; 32]);
    });
}

#[test]
fn a_panic_in_a_host_function_ends_there() {
    let _turn = tests::turn();
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    stream
        .call(|| panic!("on purpose"))
        .expect("a host function");
    // The value of a panic may panic again when it is dropped.
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
