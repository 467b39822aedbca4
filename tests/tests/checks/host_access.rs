//! The host's own reads and writes of memory that it shares with the device, before it has waited
//! for the work there.

use std::ffi::c_void;

use cust::module::Module;
use cust::sys::{self, CUstream};
use lanewise::checks::{Checking, FindingKind, Guard};
use tests::isolate::isolated;

/// `fill` writes its index to each word of an array, and `announce` says behind them that
/// they are there.
const PTX: &str = ".version 7.0\n.target sm_70\n.address_size 64\n\
    .visible .entry fill(.param .u64 p) {\n.reg .b64 %rd<4>; .reg .b32 %r<5>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n\
    mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmad.lo.u32 %r4, %r2, %r3, %r1;\n\
    mul.wide.u32 %rd2, %r4, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r4;\nret;\n}\n\
    .visible .entry announce(.param .u64 p, .param .u64 flag) {\n.reg .b64 %rd<5>; .reg .b32 %r<2>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n\
    mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;\nbar.sync 0;\nld.param.u64 %rd4, [flag];\n\
    st.release.sys.global.u32 [%rd4], 1;\nret;\n}\n";

/// Words of each buffer: four pages, but for the last words.
const WORDS: usize = 4 * 1024 - 12;
const BYTES: usize = 4 * WORDS;

struct Program {
    module: Module,
    stream: CUstream,
    device: u64,
    pinned: *mut u32,
    managed: *mut u32,
    guard: Guard,
}

fn ok(code: sys::CUresult) {
    assert_eq!(code as u32, 0, "{:?}", lanewise_driver::last_message());
}

impl Program {
    fn new() -> Self {
        let _ = tests::device();
        std::mem::forget(cust::quick_init().expect("a device was opened"));
        let module = Module::from_ptx(PTX, &[]).expect("PTX");
        let (mut stream, mut pinned) = (std::ptr::null_mut(), std::ptr::null_mut());
        let (mut device, mut managed) = (0, 0);
        // SAFETY: results have places.
        unsafe {
            ok(sys::cuStreamCreate(&mut stream, 1));
            ok(sys::cuMemAlloc_v2(&mut device, BYTES));
            ok(sys::cuMemAllocHost_v2(&mut pinned, BYTES));
            ok(sys::cuMemAllocManaged(&mut managed, BYTES, 1));
        }
        Self {
            module,
            stream,
            device,
            pinned: pinned.cast(),
            managed: std::ptr::with_exposed_provenance_mut(managed as usize),
            guard: Checking::race().report().start(),
        }
    }

    /// This many blocks of 4 threads on words of a buffer.
    fn fill(&self, buffer: *mut u32, blocks: usize) {
        let mut buffer = buffer.expose_provenance();
        self.launch("fill", blocks, 4, &mut [(&raw mut buffer).cast()]);
    }

    fn launch(&self, name: &str, blocks: usize, threads: u32, parameters: &mut [*mut c_void]) {
        let function = self.module.get_function(name).expect("a kernel");
        // SAFETY: the parameters are the kernel's, and buffers hold what it writes.
        ok(unsafe {
            sys::cuLaunchKernel(
                function.to_raw(),
                blocks as u32,
                1,
                1,
                threads,
                1,
                1,
                0,
                self.stream,
                parameters.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        });
    }

    fn copy_to_pinned(&self) {
        // SAFETY: both have this many bytes.
        ok(unsafe {
            sys::cuMemcpyDtoHAsync_v2(self.pinned.cast(), self.device, BYTES, self.stream)
        });
    }

    fn copy_from_pinned(&self) {
        // SAFETY: both have this many bytes.
        ok(unsafe {
            sys::cuMemcpyHtoDAsync_v2(self.device, self.pinned.cast(), BYTES, self.stream)
        });
    }

    fn wait(&self) {
        // SAFETY: a stream of this program's.
        ok(unsafe { sys::cuStreamSynchronize(self.stream) });
    }

    /// Returns the findings since the last call.
    fn found(&self) -> String {
        self.wait();
        let found = self.guard.findings();
        assert!(found.iter().all(|it| it.kind == FindingKind::Race));
        found.iter().map(|it| format!("{it}\n")).collect()
    }
}

fn read(at: *mut u32, word: usize) -> u32 {
    assert!(word < WORDS);
    // SAFETY: inside of a buffer that lives as long as the program.
    unsafe { at.add(word).read_volatile() }
}

fn write(at: *mut u32, word: usize) {
    assert!(word < WORDS);
    // SAFETY: inside of a buffer that lives as long as the program.
    unsafe { at.add(word).write_volatile(7) };
}

/// Runs a program in a process of its own, without the work of other tests; returns the findings.
#[track_caller]
fn findings(test: &str, body: impl FnOnce(&Program)) -> Option<String> {
    super::simulator()?;
    let answer = isolated(&format!("host_access::{test}"), || {
        let program = Program::new();
        body(&program);
        program.found()
    });
    Some(answer.text)
}

#[track_caller]
fn finds(test: &str, parts: &[&str], body: impl FnOnce(&Program)) {
    if let Some(found) = findings(test, body) {
        assert_eq!(found.matches("race: ").count(), 1, "{found}");
        for part in parts {
            // With lines known, a function into which another was inlined is told without its path.
            let found = found.replace("`checks::host_access::", "`");
            assert!(found.contains(part), "{part:?} is not in\n{found}");
        }
    }
}

#[track_caller]
fn silent(test: &str, body: impl FnOnce(&Program)) {
    if let Some(found) = findings(test, body) {
        assert_eq!(found, "");
    }
}

#[test]
fn pinned_memory_is_read_before_the_copy_into_it_is_done() {
    let parts = [
        "race: the host reads memory before it has waited for what writes it",
        "the host reads\n     in `read`",
        "a copy to host writes, submitted by `cuMemcpyDtoHAsync_v2`",
        "the first byte is 8192 bytes into allocation #",
        "of pinned host memory",
        "help: wait before the host touches the memory",
    ];
    finds(
        "pinned_memory_is_read_before_the_copy_into_it_is_done",
        &parts,
        |program| {
            program.copy_to_pinned();
            read(program.pinned, 2048);
            // The one report stands for all.
            read(program.pinned, 0);
        },
    );
}

#[test]
fn pinned_memory_is_written_before_the_copy_out_of_it_is_done() {
    let parts = [
        "race: the host writes memory before it has waited for what reads it",
        "a copy to device reads, submitted by `cuMemcpyHtoDAsync_v2`",
    ];
    finds(
        "pinned_memory_is_written_before_the_copy_out_of_it_is_done",
        &parts,
        |program| {
            program.copy_from_pinned();
            read(program.pinned, 5);
            write(program.pinned, WORDS - 1);
        },
    );
}

#[test]
fn managed_memory_is_read_before_the_kernel_is_done() {
    let parts = [
        "race: the host reads memory before it has waited for what writes it",
        "kernel `fill` writes, submitted by `cuLaunchKernel`",
        "of managed memory",
    ];
    finds(
        "managed_memory_is_read_before_the_kernel_is_done",
        &parts,
        |program| {
            program.fill(program.managed, WORDS / 4);
            read(program.managed, 1);
        },
    );
}

#[test]
fn mapped_memory_is_read_before_the_kernel_is_done() {
    let parts = ["kernel `fill` writes", "of pinned host memory"];
    finds(
        "mapped_memory_is_read_before_the_kernel_is_done",
        &parts,
        |program| {
            program.fill(program.pinned, WORDS / 4);
            read(program.pinned, WORDS - 1);
        },
    );
}

#[test]
fn the_host_waits_for_the_stream_an_event_or_the_context() {
    silent(
        "the_host_waits_for_the_stream_an_event_or_the_context",
        |program| {
            program.copy_to_pinned();
            program.wait();
            assert_eq!(read(program.pinned, 0), 0);
            program.fill(program.pinned, WORDS / 4);
            let mut event = std::ptr::null_mut();
            // SAFETY: the result has a place, and the event is there until it is destroyed.
            unsafe {
                ok(sys::cuEventCreate(&mut event, 2));
                ok(sys::cuEventRecord(event, program.stream));
                ok(sys::cuEventSynchronize(event));
                ok(sys::cuEventDestroy_v2(event));
            }
            assert_eq!(read(program.pinned, 99), 99);
            write(program.pinned, 99);
            program.copy_from_pinned();
            // SAFETY: no arguments.
            ok(unsafe { sys::cuCtxSynchronize() });
            write(program.pinned, 0);
            program.fill(program.managed, WORDS / 4);
            // SAFETY: a stream of this program's.
            while unsafe { sys::cuStreamQuery(program.stream) } as u32 != 0 {}
            assert_eq!(read(program.managed, WORDS - 1), WORDS as u32 - 1);
        },
    );
}

/// Copies that return when they are done; the host's part of a buffer beside the device's; reads of
/// what is only read; files.
#[test]
fn the_host_touches_what_nobody_else_does() {
    silent("the_host_touches_what_nobody_else_does", |program| {
        // SAFETY: both have this many bytes.
        ok(unsafe { sys::cuMemcpyDtoH_v2(program.pinned.cast(), program.device, BYTES) });
        read(program.pinned, 0);
        program.copy_from_pinned();
        read(program.pinned, 0);
        program.wait();
        // The device has the first five hundred words, and half a page.
        program.fill(program.managed, 500 / 4);
        write(program.managed, 500);
        write(program.managed, WORDS - 1);
        // What the system writes while a copy is under way.
        program.copy_to_pinned();
        let size = BYTES - 2000;
        // SAFETY: the rest of the buffer.
        let rest =
            unsafe { std::slice::from_raw_parts_mut(program.managed.cast::<u8>().add(2000), size) };
        let mut zeros = std::fs::File::open("/dev/zero").expect("a file");
        std::io::Read::read_exact(&mut zeros, rest).expect("zeros");
        assert_eq!(read(program.managed, 500), 0);
    });
}

/// A kernel whose flag signals that its data is there causes no race, and the host need not wait.
#[test]
fn a_flag_in_mapped_memory_orders() {
    silent("a_flag_in_mapped_memory_orders", |program| {
        let mut data = program.pinned.expose_provenance();
        let mut flag = program.managed.expose_provenance();
        let mut parameters = [(&raw mut data).cast(), (&raw mut flag).cast()];
        program.launch("announce", 1, 1024, &mut parameters);
        while read(program.managed, 0) == 0 {}
        assert_eq!(read(program.pinned, 1023), 1023);
    });
}

/// With findings as faults the next call that waits fails.
#[test]
fn it_fails_the_next_call_that_waits() {
    if super::simulator().is_none() {
        return;
    }
    let test = "host_access::it_fails_the_next_call_that_waits";
    let answer = isolated(test, || {
        let program = Program::new();
        let _guard = Checking::race().start();
        program.copy_to_pinned();
        read(program.pinned, 0);
        // SAFETY: a stream of this program's.
        let code = unsafe { sys::cuStreamSynchronize(program.stream) };
        format!("{} {:?}", code as u32, lanewise_driver::last_message())
    });
    assert!(answer.text.starts_with("719 "), "{}", answer.text);
    assert!(
        answer.text.contains("before it has waited"),
        "{}",
        answer.text
    );
}

/// An access on a thread that never called the driver, then a stack without an end there: Rust's
/// own words are on stderr, and the process is aborted.
#[test]
fn a_stack_that_is_used_up_is_told_as_ever() {
    /// Recurses for ever, with something on the stack each time.
    fn deeper(n: u64) -> u64 {
        let here = std::hint::black_box([n; 64]);
        if here[0] == u64::MAX {
            return 0;
        }
        deeper(here[0] + 1) + here[1]
    }
    const CHILD: &str = "HOST_ACCESS_DEEP";
    if super::simulator().is_none() {
        return;
    }
    if std::env::var_os(CHILD).is_some() {
        let program = Program::new();
        program.copy_to_pinned();
        let pinned = program.pinned.expose_provenance();
        let deep = std::thread::Builder::new()
            .name("deep".into())
            .spawn(move || {
                read(std::ptr::with_exposed_provenance_mut(pinned), 0);
                eprintln!("it goes on");
                deeper(0)
            });
        let _ = deep.expect("a thread").join();
        return;
    }
    let output = std::process::Command::new(std::env::current_exe().expect("a path"))
        .args([
            "--exact",
            "host_access::a_stack_that_is_used_up_is_told_as_ever",
            "--nocapture",
        ])
        .env(CHILD, "1")
        .output()
        .expect("the program starts again");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("it goes on"), "{text}");
    assert!(
        text.contains("thread 'deep'") && text.contains("has overflowed its stack"),
        "{text}"
    );
    assert!(!output.status.success());
}
