//! What streams and events guarantee, on the simulator: order, the legacy default stream, and that
//! no work is lost.

mod answer;
mod release;

use answer::ok;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// A fresh context, current on this thread.
struct Context(CUcontext);

#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "driver calls with arguments of this file's own"
)]
impl Context {
    fn new() -> Context {
        let mut context = CUcontext::default();
        ok(unsafe { cuInit(0) });
        ok(unsafe { cuCtxCreate_v2(&mut context, 0, 0) });
        Context(context)
    }

    fn stream(&self, flags: u32) -> CUstream {
        let mut stream = CUstream::default();
        ok(unsafe { cuStreamCreate(&mut stream, flags) });
        stream
    }

    fn event(&self) -> CUevent {
        let mut event = CUevent::default();
        ok(unsafe { cuEventCreate(&mut event, 0) });
        event
    }

    fn device(&self, bytes: usize) -> CUdeviceptr {
        let mut address = 0;
        ok(unsafe { cuMemAlloc_v2(&mut address, bytes) });
        address
    }

    fn synchronize(&self) {
        ok(unsafe { cuCtxSynchronize() });
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: any value is allowed.
        ok(unsafe { cuCtxDestroy_v2(self.0) });
    }
}

/// A journal to which host functions write. They can also wait for each other's entries.
struct Journal {
    entries: Mutex<Vec<u32>>,
    written: Condvar,
}

/// An entry that will be made.
struct Entry<'a> {
    journal: &'a Journal,
    number: u32,
    /// The entry that has to exist before this one.
    after: Option<u32>,
    pause: Duration,
}

/// How long an entry waits for another. After that it is made all the same, in the wrong order, so
/// that the test sees the error.
const PATIENCE: Duration = Duration::from_secs(60);

unsafe extern "C" fn write(entry: *mut c_void) {
    // SAFETY: `Journal::make` passes a box of this type, once.
    let entry = unsafe { Box::from_raw(entry.cast::<Entry<'_>>()) };
    let journal = entry.journal;
    std::thread::sleep(entry.pause);
    let lacks = |entries: &mut Vec<u32>| entry.after.is_some_and(|it| !entries.contains(&it));
    let entries = journal.entries.lock().unwrap();
    let (mut entries, _) = journal
        .written
        .wait_timeout_while(entries, PATIENCE, lacks)
        .unwrap();
    entries.push(entry.number);
    journal.written.notify_all();
}

impl Journal {
    fn new() -> Journal {
        Journal {
            entries: Mutex::new(Vec::new()),
            written: Condvar::new(),
        }
    }

    fn make(&self, stream: CUstream, number: u32, after: Option<u32>, pause: Duration) {
        let entry = Box::new(Entry {
            journal: self,
            number,
            after,
            pause,
        });
        // SAFETY: every test synchronises before the journal goes.
        ok(unsafe { cuLaunchHostFunc(stream, Some(write), Box::into_raw(entry).cast()) });
    }

    /// Queues a function on `stream` that writes `number` to the journal.
    fn now(&self, stream: CUstream, number: u32) {
        self.make(stream, number, None, Duration::ZERO);
    }

    /// As `now`, after a pause. The pause shows a stream that should wait and does not.
    fn later(&self, stream: CUstream, number: u32, milliseconds: u64) {
        self.make(stream, number, None, Duration::from_millis(milliseconds));
    }

    /// As `now`, once another stream, which must not wait for this one, has written `after`.
    fn once(&self, stream: CUstream, number: u32, after: u32) {
        self.make(stream, number, Some(after), Duration::ZERO);
    }

    fn entries(&self) -> Vec<u32> {
        self.entries.lock().unwrap().clone()
    }
}

const LEGACY: CUstream = CUstream(0);

/// Returns whether host functions of independent streams run side by side. Tests that observe the
/// order of streams through such functions need that.
///
/// NVIDIA's driver runs all host functions of a context one after another (seen on an H200, driver
/// 580.159); CUDA promises neither.
fn host_functions_overlap() -> bool {
    let overlap = lanewise_driver::backend() == Some(lanewise_driver::Backend::Sim);
    if !overlap {
        println!("skipped: this driver runs one host function at a time");
    }
    overlap
}

#[test]
fn the_legacy_stream_waits_for_blocking_streams_and_they_for_it() {
    let (context, journal) = (Context::new(), Journal::new());
    let (a, b) = (context.stream(0), context.stream(0));
    journal.later(a, 1, 50);
    journal.later(LEGACY, 2, 20);
    journal.now(b, 3);
    context.synchronize();
    assert_eq!(journal.entries(), [1, 2, 3]);
}

#[test]
fn a_non_blocking_stream_takes_no_part_in_that() {
    let (context, journal) = (Context::new(), Journal::new());
    if !host_functions_overlap() {
        return;
    }
    let free = context.stream(1);
    journal.once(free, 2, 1);
    journal.now(LEGACY, 1);
    context.synchronize();
    assert_eq!(journal.entries(), [1, 2]);
}

#[test]
fn the_per_thread_stream_is_a_blocking_one_and_each_thread_has_its_own() {
    let (context, journal) = (Context::new(), Journal::new());
    if !host_functions_overlap() {
        return;
    }
    journal.once(CUstream::PER_THREAD, 2, 1);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // SAFETY: the context outlives the thread.
            ok(unsafe { cuCtxSetCurrent(context.0) });
            journal.later(CUstream::PER_THREAD, 1, 50);
        });
    });
    journal.now(LEGACY, 3);
    context.synchronize();
    assert_eq!(journal.entries(), [1, 2, 3]);
}

#[test]
fn what_a_destroyed_stream_has_left_still_orders_the_legacy_stream() {
    let (context, journal) = (Context::new(), Journal::new());
    let stream = context.stream(0);
    journal.later(stream, 1, 50);
    // SAFETY: a stream of this test's own.
    ok(unsafe { cuStreamDestroy_v2(stream) });
    journal.now(LEGACY, 2);
    context.synchronize();
    assert_eq!(journal.entries(), [1, 2]);
}

#[test]
fn what_a_destroyed_non_blocking_stream_has_left_does_not() {
    let (context, journal) = (Context::new(), Journal::new());
    if !host_functions_overlap() {
        return;
    }
    let free = context.stream(1);
    journal.once(free, 2, 1);
    // SAFETY: a stream of this test's own.
    ok(unsafe { cuStreamDestroy_v2(free) });
    journal.now(LEGACY, 1);
    context.synchronize();
    assert_eq!(journal.entries(), [1, 2]);
}

#[test]
fn events_order_streams_across_a_diamond() {
    let (context, journal) = (Context::new(), Journal::new());
    let [top, left, right, bottom] = [0; 4].map(|_| context.stream(1));
    let [fork, left_end, right_end] = [0; 3].map(|_| context.event());
    journal.later(top, 1, 30);
    // SAFETY: streams and events of this test's own.
    unsafe {
        ok(cuEventRecord(fork, top));
        ok(cuStreamWaitEvent(left, fork, 0));
        ok(cuStreamWaitEvent(right, fork, 0));
        journal.later(left, 2, 30);
        journal.later(right, 3, 60);
        ok(cuEventRecord(left_end, left));
        ok(cuEventRecord(right_end, right));
        ok(cuStreamWaitEvent(bottom, left_end, 0));
        ok(cuStreamWaitEvent(bottom, right_end, 0));
        journal.now(bottom, 4);
    }
    context.synchronize();
    // Left and right are free of each other.
    let mut entries = journal.entries();
    entries[1..3].sort_unstable();
    assert_eq!(entries, [1, 2, 3, 4]);
}

#[test]
fn eight_threads_and_64_streams_lose_and_reorder_nothing() {
    const OPERATIONS: u32 = 10_000;
    let context = Context::new();
    let streams: Vec<CUstream> = (0..64).map(|i| context.stream(i % 2)).collect();
    let counters: Vec<CUdeviceptr> = streams.iter().map(|_| context.device(4 * 256)).collect();
    // Each stream belongs to one thread; each operation appends to the stream's log by a
    // device-to-device shift, so that a lost or reordered one shows in the bytes.
    std::thread::scope(|scope| {
        for thread in 0..8usize {
            let (context, streams, counters) = (context.0, &streams, &counters);
            scope.spawn(move || {
                // SAFETY: the context outlives the thread; addresses are those of live allocations.
                unsafe {
                    ok(cuCtxSetCurrent(context));
                    let mut event = CUevent::default();
                    ok(cuEventCreate(&mut event, 2));
                    for i in 0..OPERATIONS / 8 {
                        let mine = thread * 8 + i as usize % 8;
                        let slot = u64::from(i / 8 % 128);
                        let log = counters[mine];
                        ok(cuMemsetD32Async(log, i, 1, streams[mine]));
                        ok(cuMemcpyDtoDAsync_v2(
                            log + 4 + 4 * slot,
                            log,
                            4,
                            streams[mine],
                        ));
                        if i % 16 == 0 {
                            // Makes another thread's stream wait; no cycles, since events
                            // are recorded before.
                            ok(cuEventRecord(event, streams[mine]));
                            ok(cuStreamWaitEvent(streams[(mine + 13) % 64], event, 0));
                        }
                    }
                }
            });
        }
    });
    context.synchronize();
    for (mine, &log) in counters.iter().enumerate() {
        let mut words = vec![0u32; 129];
        // SAFETY: both ends have this many bytes.
        ok(unsafe { cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), log, 4 * 129) });
        let mut expected = vec![0u32; 129];
        for i in (0..OPERATIONS / 8).filter(|i| *i as usize % 8 == mine % 8) {
            expected[0] = i;
            expected[1 + (i as usize / 8 % 128)] = i;
        }
        assert_eq!(words, expected, "stream {mine}");
    }
}

/// Contexts that are destroyed allocate more in total than a device has: each allocates half of the
/// free memory. All allocations succeed only if each context frees its half. Other programs may use
/// the device meanwhile.
#[test]
fn a_context_that_goes_frees_what_was_left() {
    let outer = Context::new();
    let (mut free, mut total) = (0, 0);
    // SAFETY: variables to write to.
    ok(unsafe { cuMemGetInfo_v2(&mut free, &mut total) });
    for _ in 0..4 {
        let inner = Context::new();
        let address = inner.device(free / 2);
        drop(inner);
        // SAFETY: any address is allowed.
        let code = unsafe { cuMemFree_v2(address) };
        assert_eq!(code, CUresult::ERROR_INVALID_VALUE);
    }
    drop(outer);
}
