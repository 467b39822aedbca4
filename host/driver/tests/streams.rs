//! What streams and events promise, on the simulator: order, the legacy default stream, nothing lost.

use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::sync::Mutex;
use std::time::Duration;

#[track_caller]
fn ok(code: CUresult) {
    assert_eq!(
        code,
        CUresult::SUCCESS,
        "{:?}",
        lanewise_driver::last_message()
    );
}

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

/// A journal that host functions write to.
struct Journal(Mutex<Vec<u32>>);

/// An entry to be made, after a pause.
struct Entry<'a> {
    journal: &'a Journal,
    number: u32,
    pause: Duration,
}

unsafe extern "C" fn write(entry: *mut c_void) {
    // SAFETY: `Journal::later` passes a box of this type, once.
    let entry = unsafe { Box::from_raw(entry.cast::<Entry<'_>>()) };
    std::thread::sleep(entry.pause);
    entry.journal.0.lock().unwrap().push(entry.number);
}

impl Journal {
    fn new() -> Journal {
        Journal(Mutex::new(Vec::new()))
    }

    /// Has `stream` write `number`, `milliseconds` after its turn has come.
    fn later(&self, stream: CUstream, number: u32, milliseconds: u64) {
        let entry = Box::new(Entry {
            journal: self,
            number,
            pause: Duration::from_millis(milliseconds),
        });
        // SAFETY: every test synchronises before the journal goes.
        ok(unsafe { cuLaunchHostFunc(stream, Some(write), Box::into_raw(entry).cast()) });
    }

    fn entries(&self) -> Vec<u32> {
        self.0.lock().unwrap().clone()
    }
}

const LEGACY: CUstream = CUstream(0);

/// Whether host functions of independent streams run side by side, as a test needs to tell the streams apart by them.
///
/// NVIDIA's driver runs all host functions of a context one after another (seen on an H200, driver 580.159); CUDA promises
/// neither.
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
    journal.later(b, 3, 0);
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
    journal.later(free, 2, 100);
    journal.later(LEGACY, 1, 0);
    context.synchronize();
    assert_eq!(journal.entries(), [1, 2]);
}

#[test]
fn the_per_thread_stream_is_a_blocking_one_and_each_thread_has_its_own() {
    let (context, journal) = (Context::new(), Journal::new());
    if !host_functions_overlap() {
        return;
    }
    journal.later(CUstream::PER_THREAD, 2, 100);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // SAFETY: the context outlives the thread.
            ok(unsafe { cuCtxSetCurrent(context.0) });
            journal.later(CUstream::PER_THREAD, 1, 0);
        });
    });
    journal.later(LEGACY, 3, 0);
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
    journal.later(LEGACY, 2, 0);
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
        journal.later(left, 2, 0);
        journal.later(right, 3, 60);
        ok(cuEventRecord(left_end, left));
        ok(cuEventRecord(right_end, right));
        ok(cuStreamWaitEvent(bottom, left_end, 0));
        ok(cuStreamWaitEvent(bottom, right_end, 0));
        journal.later(bottom, 4, 0);
    }
    context.synchronize();
    assert_eq!(journal.entries(), [1, 2, 3, 4]);
}

#[test]
fn eight_threads_and_64_streams_lose_and_reorder_nothing() {
    const OPERATIONS: u32 = 10_000;
    let context = Context::new();
    let streams: Vec<CUstream> = (0..64).map(|i| context.stream(i % 2)).collect();
    let counters: Vec<CUdeviceptr> = streams.iter().map(|_| context.device(4 * 256)).collect();
    // Each stream belongs to one thread; each operation appends to the stream's log by a device-to-device shift, so that a
    // lost or reordered one shows in the bytes.
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
                            // Makes another thread's stream wait; no cycles, since events are recorded before.
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
        // SAFETY: both ends have so many bytes.
        ok(unsafe { cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), log, 4 * 129) });
        let mut expected = vec![0u32; 129];
        for i in (0..OPERATIONS / 8).filter(|i| *i as usize % 8 == mine % 8) {
            expected[0] = i;
            expected[1 + (i as usize / 8 % 128)] = i;
        }
        assert_eq!(words, expected, "stream {mine}");
    }
}

#[test]
fn a_context_that_goes_frees_what_was_left() {
    let outer = Context::new();
    let free = || {
        let (mut free, mut total) = (0, 0);
        // SAFETY: variables to write to.
        ok(unsafe { cuMemGetInfo_v2(&mut free, &mut total) });
        free
    };
    let inner = Context::new();
    let address = inner.device(1 << 30);
    drop(inner);
    // SAFETY: any address is allowed.
    let code = unsafe { cuMemFree_v2(address) };
    assert_eq!(code, CUresult::ERROR_INVALID_VALUE);
    // Other tests allocate little next to this.
    let mut back = 0;
    // SAFETY: a variable to write to.
    ok(unsafe { cuDeviceTotalMem_v2(&mut back, 0) });
    assert!(
        back - free() < 1 << 30,
        "{} bytes are in use",
        back - free()
    );
    drop(outer);
}
