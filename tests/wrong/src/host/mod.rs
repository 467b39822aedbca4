//! Cases of the host's kind: programs whose kernels are right, and that submit them in no order,
//! use memory too early or too late, or leave something behind.
//!
//! A case is a file, `src/host/<check>/<name>.rs`, with two functions, `wrong` and `right`. Each
//! runs in a process of its own, with what a [`Host`] has; so both are programs that anybody might
//! write, and what is said of them is what such a program's user reads on `stderr`.

mod init;
mod leak;
mod memory;
mod race;
mod said;

use std::ffi::{CStr, c_void};

use cust::sys::{self, CUevent, CUfunction, CUgraph, CUgraphExec, CUmodule, CUstream};
use lanewise::Device;
use lanewise_driver::abi::enums::launch_attribute;
use lanewise_driver::abi::{self, CUlaunchAttribute, CUlaunchAttributeValue, CUlaunchConfig};
use lanewise_driver::api;

use crate::case::{Case, Variant};
use crate::launched::Ending;

pub(crate) use said::Programs;

/// Words of each buffer: four pages of the host's.
pub(crate) const WORDS: usize = 4096;
/// Bytes of each buffer.
pub(crate) const BYTES: usize = 4 * WORDS;
/// Threads of a block; each kernel has one for each word.
const THREADS: u32 = 256;

/// `fill` writes each word's index, `copy` copies from a second buffer, `count` adds one to
/// each word, `mark` writes 7 where a second buffer is not 0; `early` and `late` copy in a
/// launch that begins while the one ahead still runs, and `late` waits for that. `fill` lets
/// such a launch begin.
const KERNELS: &CStr = c".version 8.0
.target sm_90
.address_size 64
.visible .entry fill(.param .u64 p) {
.reg .b64 %rd<3>; .reg .b32 %r<5>;
ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd1, %rd1, %rd2;
griddepcontrol.launch_dependents;
st.global.u32 [%rd1], %r4;
ret;
}
.visible .entry copy(.param .u64 p, .param .u64 q) {
.reg .b64 %rd<4>; .reg .b32 %r<5>;
ld.param.u64 %rd1, [p]; ld.param.u64 %rd3, [q]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd1, %rd1, %rd2; add.u64 %rd3, %rd3, %rd2;
ld.global.u32 %r1, [%rd3];
st.global.u32 [%rd1], %r1;
ret;
}
.visible .entry count(.param .u64 p) {
.reg .b64 %rd<3>; .reg .b32 %r<5>;
ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd1, %rd1, %rd2;
ld.global.u32 %r1, [%rd1];
add.u32 %r1, %r1, 1;
st.global.u32 [%rd1], %r1;
ret;
}
.visible .entry mark(.param .u64 p, .param .u64 q) {
.reg .b64 %rd<4>; .reg .b32 %r<5>; .reg .pred %p1;
ld.param.u64 %rd1, [p]; ld.param.u64 %rd3, [q]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd1, %rd1, %rd2; add.u64 %rd3, %rd3, %rd2;
ld.global.u32 %r1, [%rd3];
setp.ne.u32 %p1, %r1, 0;
@%p1 st.global.u32 [%rd1], 7;
ret;
}
.visible .entry early(.param .u64 p, .param .u64 q) {
.reg .b64 %rd<4>; .reg .b32 %r<5>;
ld.param.u64 %rd1, [p]; ld.param.u64 %rd3, [q]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd1, %rd1, %rd2; add.u64 %rd3, %rd3, %rd2;
ld.global.u32 %r1, [%rd3];
st.global.u32 [%rd1], %r1;
ret;
}
.visible .entry late(.param .u64 p, .param .u64 q) {
.reg .b64 %rd<4>; .reg .b32 %r<5>;
ld.param.u64 %rd1, [p]; ld.param.u64 %rd3, [q]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd1, %rd1, %rd2; add.u64 %rd3, %rd3, %rd2;
griddepcontrol.wait;
ld.global.u32 %r1, [%rd3];
st.global.u32 [%rd1], %r1;
ret;
}
";

/// What a call answered, where it failed: the error's name.
pub(crate) type Done = Result<(), String>;

/// A program of the host's kind.
type Program = fn(&Host) -> Done;

/// Check, name, and the two programs of each case; `build.rs` writes it.
static PROGRAMS: &[(&str, &str, Program, Program)] =
    include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// Two streams that wait for nobody, kernels, two buffers of the device's and one of pinned memory
/// that both sides reach.
///
/// What its methods would have to be given for all to be defined is what wrong programs break: they
/// run in a process that is there for nothing else.
pub(crate) struct Host {
    pub(crate) a: CUstream,
    pub(crate) b: CUstream,
    pub(crate) data: u64,
    pub(crate) other: u64,
    pub(crate) pinned: *mut u32,
    module: CUmodule,
    _device: Device,
}

/// The error's name, where a call failed.
pub(crate) fn ok(code: sys::CUresult) -> Done {
    if code as u32 == 0 {
        return Ok(());
    }
    let mut name = std::ptr::null();
    // SAFETY: the name has a place, and is a text that stays.
    unsafe {
        sys::cuGetErrorName(code, &mut name);
        match name.is_null() {
            true => Err("an unknown error".into()),
            false => Err(CStr::from_ptr(name).to_string_lossy().into_owned()),
        }
    }
}

/// Where a launch finds the parameters of a kernel that takes these buffers.
fn parameters(buffers: &[u64]) -> Vec<*mut c_void> {
    let pointers = buffers.iter().map(|it| (&raw const *it).cast_mut().cast());
    pointers.collect()
}

impl Host {
    fn new() -> Result<Self, String> {
        let device = Device::open().map_err(|error| error.to_string())?;
        let mut host = Self {
            a: std::ptr::null_mut(),
            b: std::ptr::null_mut(),
            data: 0,
            other: 0,
            pinned: std::ptr::null_mut(),
            module: std::ptr::null_mut(),
            _device: device,
        };
        let mut pinned = std::ptr::null_mut();
        // SAFETY: results have places, and the module is a text with an end.
        unsafe {
            ok(sys::cuModuleLoadData(
                &mut host.module,
                KERNELS.as_ptr().cast(),
            ))?;
            ok(sys::cuStreamCreate(&mut host.a, 1))?;
            ok(sys::cuStreamCreate(&mut host.b, 1))?;
            ok(sys::cuMemAlloc_v2(&mut host.data, BYTES))?;
            ok(sys::cuMemAlloc_v2(&mut host.other, BYTES))?;
            ok(sys::cuMemAllocHost_v2(&mut pinned, BYTES))?;
            ok(sys::cuMemsetD32_v2(host.data, 0, WORDS))?;
            ok(sys::cuMemsetD32_v2(host.other, 0, WORDS))?;
            pinned.cast::<u32>().write_bytes(0, WORDS);
        }
        host.pinned = pinned.cast();
        host.wait_for_all()?;
        Ok(host)
    }

    /// Gives all back: right programs leave nothing behind.
    fn end(self) -> Done {
        self.wait_for_all()?;
        // SAFETY: nothing uses them any more.
        unsafe {
            ok(sys::cuMemFreeHost(self.pinned.cast()))?;
            ok(sys::cuMemFree_v2(self.other))?;
            ok(sys::cuMemFree_v2(self.data))?;
            ok(sys::cuStreamDestroy_v2(self.b))?;
            ok(sys::cuStreamDestroy_v2(self.a))?;
            ok(sys::cuModuleUnload(self.module))
        }
    }

    pub(crate) fn function(&self, name: &CStr) -> Result<CUfunction, String> {
        let mut function = std::ptr::null_mut();
        // SAFETY: the result has a place.
        ok(unsafe { sys::cuModuleGetFunction(&mut function, self.module, name.as_ptr()) })?;
        Ok(function)
    }

    /// Launches a kernel with a thread for each word.
    #[inline(never)]
    pub(crate) fn launch(&self, name: &CStr, stream: CUstream, buffers: &[u64]) -> Done {
        let function = self.function(name)?;
        let mut pointers = parameters(buffers);
        let blocks = WORDS as u32 / THREADS;
        // SAFETY: a kernel has as many parameters as it is given buffers.
        ok(unsafe {
            sys::cuLaunchKernel(
                function,
                blocks,
                1,
                1,
                THREADS,
                1,
                1,
                0,
                stream,
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        })
    }

    /// The same, begun while the kernel before it in the stream may still run.
    #[inline(never)]
    pub(crate) fn launch_dependent(&self, name: &CStr, stream: CUstream, buffers: &[u64]) -> Done {
        let function = self.function(name)?;
        let mut pointers = parameters(buffers);
        let mut attribute = CUlaunchAttribute {
            id: launch_attribute::PROGRAMMATIC_STREAM_SERIALIZATION,
            pad: [0; 4],
            value: CUlaunchAttributeValue { bytes: [0; 64] },
        };
        attribute.value.bytes[0] = 1;
        let config = CUlaunchConfig {
            grid: [WORDS as u32 / THREADS, 1, 1],
            block: [THREADS, 1, 1],
            shared_mem_bytes: 0,
            stream: abi::CUstream(stream.expose_provenance()),
            attrs: &raw mut attribute,
            num_attrs: 1,
        };
        let function = abi::CUfunction(function.expose_provenance());
        // SAFETY: a kernel has as many parameters as it is given buffers.
        let code = unsafe {
            api::cuLaunchKernelEx(
                &config,
                function,
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        match code.0 {
            0 => Ok(()),
            code => Err(format!("error {code}")),
        }
    }

    /// Copies a buffer to pinned memory.
    #[inline(never)]
    pub(crate) fn copy_out(&self, stream: CUstream, buffer: u64) -> Done {
        // SAFETY: both have this many bytes.
        ok(unsafe { sys::cuMemcpyDtoHAsync_v2(self.pinned.cast(), buffer, BYTES, stream) })
    }

    /// Copies pinned memory to a buffer.
    #[inline(never)]
    pub(crate) fn copy_in(&self, stream: CUstream, buffer: u64) -> Done {
        // SAFETY: both have this many bytes.
        ok(unsafe { sys::cuMemcpyHtoDAsync_v2(buffer, self.pinned.cast(), BYTES, stream) })
    }

    /// An event that measures no time.
    pub(crate) fn event(&self) -> Result<CUevent, String> {
        let mut event = std::ptr::null_mut();
        // SAFETY: the result has a place.
        ok(unsafe { sys::cuEventCreate(&mut event, 2) })?;
        Ok(event)
    }

    /// Records the event in one stream, and lets another wait for it.
    pub(crate) fn record(&self, event: CUevent, stream: CUstream) -> Done {
        // SAFETY: an event and a stream of this program's.
        ok(unsafe { sys::cuEventRecord(event, stream) })
    }

    pub(crate) fn wait_for_event(&self, stream: CUstream, event: CUevent) -> Done {
        // SAFETY: as above.
        ok(unsafe { sys::cuStreamWaitEvent(stream, event, 0) })
    }

    pub(crate) fn destroy(&self, event: CUevent) -> Done {
        // SAFETY: an event of this program's, which nobody names any more.
        ok(unsafe { sys::cuEventDestroy_v2(event) })
    }

    /// What `before` does next comes behind all that `of` has been given.
    pub(crate) fn order(&self, of: CUstream, before: CUstream) -> Done {
        let event = self.event()?;
        self.record(event, of)?;
        self.wait_for_event(before, event)?;
        self.destroy(event)
    }

    pub(crate) fn wait(&self, stream: CUstream) -> Done {
        // SAFETY: a stream of this program's.
        ok(unsafe { sys::cuStreamSynchronize(stream) })
    }

    pub(crate) fn wait_for_all(&self) -> Done {
        // SAFETY: it waits, no more.
        ok(unsafe { sys::cuCtxSynchronize() })
    }

    /// The pinned memory's address for kernels.
    pub(crate) fn mapped(&self) -> u64 {
        self.pinned.expose_provenance() as u64
    }

    /// A word of the pinned memory.
    #[inline(never)]
    pub(crate) fn read(&self, word: usize) -> u32 {
        assert!(word < WORDS);
        // SAFETY: inside of the buffer.
        unsafe { self.pinned.add(word).read_volatile() }
    }

    /// Writes a word of the pinned memory.
    #[inline(never)]
    pub(crate) fn write(&self, word: usize, value: u32) {
        assert!(word < WORDS);
        // SAFETY: inside of the buffer.
        unsafe { self.pinned.add(word).write_volatile(value) };
    }

    /// A graph of what `submit` submits to the first stream, and to others that wait for it.
    pub(crate) fn graph(&self, submit: impl FnOnce() -> Done) -> Result<CUgraphExec, String> {
        let (mut graph, mut exec): (CUgraph, CUgraphExec) =
            (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: results have places.
        unsafe {
            ok(sys::cuStreamBeginCapture_v2(
                self.a,
                sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED,
            ))?;
            submit()?;
            ok(sys::cuStreamEndCapture(self.a, &mut graph))?;
            ok(sys::cuGraphInstantiateWithFlags(&mut exec, graph, 0))?;
            ok(sys::cuGraphDestroy(graph))?;
        }
        Ok(exec)
    }

    #[inline(never)]
    pub(crate) fn launch_graph(&self, graph: CUgraphExec, stream: CUstream) -> Done {
        // SAFETY: a graph and a stream of this program's.
        ok(unsafe { sys::cuGraphLaunch(graph, stream) })
    }

    /// Waits for all, and destroys a graph.
    pub(crate) fn destroy_graph(&self, graph: CUgraphExec) -> Done {
        self.wait_for_all()?;
        // SAFETY: a graph of this program's, which nobody names any more.
        ok(unsafe { sys::cuGraphExecDestroy(graph) })
    }
}

/// Runs a part of a case on the device that the driver opens; tells when all is there but what
/// the case does.
pub(crate) fn run(case: &Case, part: Variant, launches: &mut dyn FnMut()) -> Ending {
    let found = PROGRAMS
        .iter()
        .find(|(check, name, ..)| (*check, *name) == (case.check, case.name));
    let Some((_, _, wrong, right)) = found else {
        return Ending::Refused("there is no such program".into());
    };
    let program = match part {
        Variant::Wrong => wrong,
        Variant::Right => right,
    };
    let mut run = || {
        let host = Host::new()?;
        launches();
        program(&host)?;
        host.end()
    };
    match run() {
        Ok(()) => Ending::Ended,
        Err(error) => Ending::Failed(error),
    }
}
