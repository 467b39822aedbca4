//! Operations of streams on the same bytes without an order, each beside its right twin.

use std::ffi::c_void;

use cust::module::Module;
use cust::sys::{self, CUevent, CUgraph, CUgraphExec, CUstream};
use lanewise::checks::{Checking, Finding, FindingKind, Guard};

const PTX: &str = ".version 7.0\n.target sm_70\n.address_size 64\n\
    .visible .entry fill(.param .u64 p) {\n.reg .b64 %rd<4>; .reg .b32 %r<2>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n\
    mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;\nret;\n}\n\
    .visible .entry count(.param .u64 p) {\n.reg .b64 %rd<2>; .reg .b32 %r<2>;\nld.param.u64 %rd1, [p];\n\
    atom.global.add.u32 %r1, [%rd1], 1;\nret;\n}\n";

/// Bytes of each buffer: what a block of 64 threads fills.
const BYTES: usize = 256;

/// A device with two streams that wait for nobody, memory of its and of the host's, and kernels.
struct Program {
    module: Module,
    streams: [CUstream; 2],
    device: [u64; 2],
    pinned: *mut c_void,
    guard: Guard,
}

fn ok(code: sys::CUresult) {
    assert_eq!(code as u32, 0, "{:?}", lanewise_driver::last_message());
}

impl Program {
    fn new() -> Option<Self> {
        super::simulator()?;
        let _ = tests::device();
        std::mem::forget(cust::quick_init().expect("a device was opened"));
        let module = Module::from_ptx(PTX, &[]).expect("PTX");
        let mut streams = [std::ptr::null_mut(); 2];
        let mut device = [0; 2];
        let mut pinned = std::ptr::null_mut();
        // SAFETY: results have places.
        unsafe {
            for stream in &mut streams {
                ok(sys::cuStreamCreate(stream, 1));
            }
            for buffer in &mut device {
                ok(sys::cuMemAlloc_v2(buffer, BYTES));
            }
            ok(sys::cuMemAllocHost_v2(&mut pinned, BYTES));
        }
        let guard = Checking::race().report().start();
        Some(Self {
            module,
            streams,
            device,
            pinned,
            guard,
        })
    }

    fn kernel(&self, name: &str, stream: CUstream, mut buffer: u64) {
        let function = self.module.get_function(name).expect("a kernel");
        let mut parameters = [(&raw mut buffer).cast::<c_void>()];
        // SAFETY: one parameter, a pointer to as many words as there are threads.
        ok(unsafe {
            sys::cuLaunchKernel(
                function.to_raw(),
                1,
                1,
                1,
                64,
                1,
                1,
                0,
                stream,
                parameters.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        });
    }

    fn to_host(&self, stream: CUstream, buffer: u64) {
        // SAFETY: both have this many bytes.
        ok(unsafe { sys::cuMemcpyDtoHAsync_v2(self.pinned, buffer, BYTES, stream) });
    }

    fn to_device(&self, stream: CUstream, buffer: u64, from: usize, bytes: usize) {
        // SAFETY: both have this many bytes from there on.
        ok(unsafe {
            sys::cuMemcpyHtoDAsync_v2(
                buffer + from as u64,
                self.pinned.byte_add(from),
                bytes,
                stream,
            )
        });
    }

    fn event(&self, of: CUstream, before: CUstream) {
        let mut event: CUevent = std::ptr::null_mut();
        // SAFETY: the event is there until it is destroyed.
        unsafe {
            ok(sys::cuEventCreate(&mut event, 2));
            ok(sys::cuEventRecord(event, of));
            ok(sys::cuStreamWaitEvent(before, event, 0));
            ok(sys::cuEventDestroy_v2(event));
        }
    }

    fn wait(&self, stream: CUstream) {
        // SAFETY: a stream of this program's.
        ok(unsafe { sys::cuStreamSynchronize(stream) });
    }

    /// Returns the findings since the last call, when all work is done.
    fn found(&self) -> Vec<Finding> {
        self.streams.iter().for_each(|stream| self.wait(*stream));
        // SAFETY: waits for the default stream, with which other tests may work as well.
        ok(unsafe { sys::cuStreamSynchronize(std::ptr::null_mut()) });
        let found = self.guard.findings();
        assert!(found.iter().all(|it| it.kind == FindingKind::Race));
        found
    }

    #[track_caller]
    fn silent(&self) {
        let found = self.found();
        assert!(found.is_empty(), "{found:#?}");
    }

    /// One finding, with these parts.
    #[track_caller]
    fn finds(&self, parts: &[&str]) {
        let found = self.found();
        let [found] = &found[..] else {
            panic!("not one finding: {found:#?}")
        };
        let text = found.to_string();
        for part in parts {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
    }
}

#[test]
fn a_copy_in_another_stream_than_the_kernel_whose_result_it_takes() {
    let Some(program) = Program::new() else {
        return;
    };
    let ([a, b], [buffer, _]) = (program.streams, program.device);
    program.kernel("fill", a, buffer);
    program.event(a, b);
    program.to_host(b, buffer);
    program.silent();

    program.kernel("fill", a, buffer);
    program.wait(a);
    program.to_host(b, buffer);
    program.silent();

    program.kernel("fill", a, buffer);
    program.to_host(b, buffer);
    program.finds(&[
        "race: ",
        "of the same memory by operations that nothing orders",
        "kernel `fill` writes, submitted by `cuLaunchKernel`",
        "a copy to host reads, submitted by `cuMemcpyDtoHAsync_v2`",
        "both touch 256 bytes; the first is 0 bytes into allocation #",
        "checks::streams::",
        "help: put both into one stream, let the second one's stream wait for an event",
    ]);
}

#[test]
fn two_copies_to_the_same_bytes() {
    let Some(program) = Program::new() else {
        return;
    };
    let ([a, b], [buffer, _]) = (program.streams, program.device);
    program.to_device(a, buffer, 0, 128);
    program.to_device(b, buffer, 128, 128);
    program.silent();

    program.to_device(a, buffer, 0, 132);
    program.to_device(b, buffer, 128, 128);
    program.finds(&["race: a write and a write", "both touch 4 bytes"]);
}

#[test]
fn two_kernels_on_one_counter() {
    let Some(program) = Program::new() else {
        return;
    };
    let ([a, b], [buffer, other]) = (program.streams, program.device);
    program.kernel("count", a, buffer);
    program.kernel("count", b, buffer);
    program.kernel("fill", a, other);
    program.silent();

    program.kernel("count", a, buffer);
    program.kernel("fill", b, buffer);
    program.finds(&[
        "kernel `count` writes",
        "kernel `fill` writes",
        "both touch 4 bytes",
    ]);
}

#[test]
fn the_default_stream_waits_for_blocking_streams_only() {
    let Some(program) = Program::new() else {
        return;
    };
    let ([a, _], [buffer, _]) = (program.streams, program.device);
    let mut blocking: CUstream = std::ptr::null_mut();
    let mut bytes = [0u8; BYTES];
    // SAFETY: results have places.
    ok(unsafe { sys::cuStreamCreate(&mut blocking, 0) });
    let mut take = || {
        // SAFETY: both have this many bytes.
        ok(unsafe { sys::cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), buffer, BYTES) });
    };
    program.kernel("fill", blocking, buffer);
    take();
    program.silent();

    program.kernel("fill", a, buffer);
    take();
    program.finds(&[
        "kernel `fill` writes",
        "a copy reads, submitted by `cuMemcpyDtoH_v2`",
    ]);
}

#[test]
fn what_destroyed_streams_have_left_is_waited_for_though_it_is_over() {
    let Some(program) = Program::new() else {
        return;
    };
    let [buffer, _] = program.device;
    let mut bytes = [0u8; BYTES];
    for flags in [0, 1] {
        let destroyed = |work: &dyn Fn(CUstream)| {
            let mut stream: CUstream = std::ptr::null_mut();
            // SAFETY: the stream is there until it is destroyed.
            unsafe {
                ok(sys::cuStreamCreate(&mut stream, flags));
                work(stream);
                ok(sys::cuStreamDestroy_v2(stream));
            }
        };
        destroyed(&|stream| program.kernel("fill", stream, buffer));
        // Long enough for the work to end, but nothing waits for it. Then another stream goes.
        std::thread::sleep(std::time::Duration::from_millis(20));
        destroyed(&|_| ());
        // Only a blocking one does the default stream wait for by itself.
        if flags == 1 {
            // SAFETY: a context is current.
            ok(unsafe { sys::cuCtxSynchronize() });
        }
        // SAFETY: both have this many bytes.
        ok(unsafe { sys::cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), buffer, BYTES) });
        program.silent();
    }
}

#[test]
fn branches_of_a_graph_are_in_no_order() {
    let Some(program) = Program::new() else {
        return;
    };
    let ([a, b], [buffer, _]) = (program.streams, program.device);
    for joined in [true, false] {
        let mut graph: CUgraph = std::ptr::null_mut();
        let mut exec: CUgraphExec = std::ptr::null_mut();
        // SAFETY: results have places, and what is captured is there until the graph has run.
        unsafe {
            ok(sys::cuStreamBeginCapture_v2(
                a,
                sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED,
            ));
            program.event(a, b);
            program.kernel("fill", a, buffer);
            if joined {
                program.event(a, b);
            }
            program.to_host(b, buffer);
            program.event(b, a);
            ok(sys::cuStreamEndCapture(a, &mut graph));
            ok(sys::cuGraphInstantiateWithFlags(&mut exec, graph, 0));
            // Of two launches each waits for the one before.
            for _ in 0..2 {
                ok(sys::cuGraphLaunch(exec, a));
            }
            match joined {
                true => program.silent(),
                false => program.finds(&[
                    "kernel `fill` writes, submitted by `cuGraphLaunch`",
                    "a copy to host reads",
                ]),
            }
            ok(sys::cuGraphExecDestroy(exec));
            ok(sys::cuGraphDestroy(graph));
        }
    }
}

/// Of one executable graph each launch waits for the one before, on whatever stream, and so does
/// what comes behind the last.
#[test]
fn launches_of_one_graph_in_two_streams_are_in_order() {
    let Some(program) = Program::new() else {
        return;
    };
    let ([a, b], [buffer, _]) = (program.streams, program.device);
    let mut graph: CUgraph = std::ptr::null_mut();
    let mut exec: CUgraphExec = std::ptr::null_mut();
    // SAFETY: results have places, and what is captured is there until the graph has run.
    unsafe {
        ok(sys::cuStreamBeginCapture_v2(
            a,
            sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED,
        ));
        program.kernel("fill", a, buffer);
        ok(sys::cuStreamEndCapture(a, &mut graph));
        ok(sys::cuGraphInstantiateWithFlags(&mut exec, graph, 0));
        for stream in [a, b] {
            ok(sys::cuGraphLaunch(exec, stream));
        }
        program.to_host(b, buffer);
        program.silent();
        for stream in [a, b] {
            ok(sys::cuGraphLaunch(exec, stream));
        }
        program.to_host(a, buffer);
        program.finds(&["kernel `fill` writes, submitted by `cuGraphLaunch`"]);
        ok(sys::cuGraphExecDestroy(exec));
        ok(sys::cuGraphDestroy(graph));
    }
}

/// A function that a stream runs on the host says that what comes before it is over.
#[test]
fn a_host_function_tells_the_host() {
    let Some(program) = Program::new() else {
        return;
    };
    let ([a, b], [buffer, _]) = (program.streams, program.device);
    let (sender, receiver) = std::sync::mpsc::channel::<()>();
    unsafe extern "C" fn send(sender: *mut c_void) {
        // SAFETY: the pointer that the call below was given, which it owns.
        let sender = unsafe { Box::from_raw(sender.cast::<std::sync::mpsc::Sender<()>>()) };
        let _ = sender.send(());
    }
    program.kernel("fill", a, buffer);
    let data = Box::into_raw(Box::new(sender));
    // SAFETY: the function takes what it is given.
    ok(unsafe { sys::cuLaunchHostFunc(a, Some(send), data.cast()) });
    receiver.recv().expect("the function runs");
    program.to_host(b, buffer);
    program.silent();
}
