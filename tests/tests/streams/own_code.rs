//! The program's own code that the library calls, or that is called while the library is at work: wakers, destructors, functions of the host.

use std::future::Future;
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use gpu::streams::advance::advance;
use lanewise::{DeviceBuffer, LaunchConfig, PinnedBuffer, Stream, StreamOptions};
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

/// After a fault the driver does not take back what it has pinned. So the memory must not become anybody else's.
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
        // So large that the allocator gives it back to the system at once, and takes the same place for the next.
        let memory = || vec![1u8; 48 << 20];
        let registered = PinnedBuffer::register(&device, memory()).expect("pinned");
        let pinned = registered.as_slice().expect("no fault").as_ptr_range();
        let mut numbers = DeviceBuffer::<u32>::zeroed(&device, 1).expect("a buffer");
        // SAFETY: it is not sound, and that is the test: the process ends after the fault.
        let bad = unsafe { DeviceBuffer::<u32>::borrow_raw(&device, 16, 1) };
        let launched = device.launch(
            &stream,
            advance,
            LaunchConfig::new(1, 1),
            (&*bad, &mut numbers, 1),
        );
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

/// A process ends when its `main` does, whatever is still under way: functions that wait for ever, and work behind them.
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
    let launched = device.launch(&stream, advance, shape, (&pooled, &mut sums, 1000));
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
    // Endless work of a stream that waits for nobody.
    let free = device.stream_with(StreamOptions::new().non_blocking());
    let free = free.expect("a stream");
    let mut long = DeviceBuffer::<u32>::zeroed_on(&free, 1).expect("a buffer");
    let one = DeviceBuffer::<u32>::zeroed_on(&free, 1).expect("a buffer");
    let launched = device.launch(
        &free,
        advance,
        LaunchConfig::new(1, 1),
        (&one, &mut long, 100_000_000),
    );
    launched.expect("a launch");
    std::mem::forget((go, graph, mine, sums, pooled, long, one));
    "left".to_owned()
}
