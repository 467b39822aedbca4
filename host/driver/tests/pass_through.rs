//! The choice between the machine's driver and the simulator, and the cost of passing a call on.
//!
//! A small library stands in for the machine's driver. This test compiles it and puts it on the
//! loader's path of a child process. Where there is no `rustc` (a bundle on a GPU machine), only
//! the parts that need no such library are tested.

mod fake;

use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::path::Path;
use std::process::Command;

/// The symbols that `cust` calls, with the codes that they return: `cust` declares these as
/// a Rust enum.
mod exported {
    use std::ffi::{c_int, c_uint, c_void};

    unsafe extern "C" {
        #[allow(clashing_extern_declarations, reason = "the result is a number here")]
        pub(super) fn cuStreamCreateWithPriority(
            stream: *mut c_void,
            flags: c_uint,
            priority: c_int,
        ) -> c_uint;
        #[allow(clashing_extern_declarations, reason = "the result is a number here")]
        pub(super) fn cuMemAlloc_v2(address: *mut c_void, bytes: usize) -> c_uint;
    }
}

/// The variable that names the task of a child process.
const TASK: &str = "LANEWISE_TEST_TASK";

/// Runs a task in a child process with these variables, and returns what it printed.
fn run(task: &str, variables: &[(&str, &str)], library: Option<&Path>) -> String {
    let mut command = Command::new(std::env::current_exe().expect("a test has an executable"));
    command
        .args(["tasks", "--exact", "--nocapture"])
        .env(TASK, task);
    command
        .env_remove("LANEWISE_DEVICE")
        .env_remove("LANEWISE_LOG")
        .envs(variables.iter().copied());
    if let Some(library) = library {
        command.env("LD_LIBRARY_PATH", library);
    }
    let output = command.output().expect("a test can run itself");
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{task}: {text}");
    text
}

/// The tasks of the child processes. In the test's own process it does nothing.
#[test]
fn tasks() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    // SAFETY: takes zero at any time.
    let init = unsafe { cuInit(0) };
    match task.as_str() {
        "who" => println!(
            "init {init:?} backend {:?} message {:?}",
            lanewise_driver::backend(),
            lanewise_driver::last_message()
        ),
        "calls" => {
            let (mut version, mut device, mut context) = (0, 0, CUcontext(0));
            // SAFETY: variables to write to.
            let codes = unsafe {
                [
                    cuDriverGetVersion(&mut version),
                    cuCtxGetDevice(&mut device),
                    cuCtxGetCurrent(&mut context),
                    cuMemAlloc_v2(&mut 0, 16),
                ]
            };
            println!(
                "version {version} device {device} inner {} codes {codes:?}",
                context.0
            );
        }
        "cust" => {
            // Two codes that cust's enum lacks: one of a driver newer than any, and one of ours for
            // a call that is not there.
            let newer = cust::stream::Stream::new(cust::stream::StreamFlags::DEFAULT, None);
            let first = lanewise_driver::last_code();
            // SAFETY: the call is not there and writes nothing.
            let lacking = unsafe { cust::memory::cuda_malloc::<u8>(16) };
            let last = lanewise_driver::last_code();
            // What its enum would hold: a number that it lacks is undefined behaviour before
            // anything can be seen of it.
            let mut handle = 0u64;
            let place = (&raw mut handle).cast();
            // SAFETY: the stand-in writes nothing, and has no second one.
            let numbers = unsafe {
                [
                    exported::cuStreamCreateWithPriority(place, 0, 0),
                    exported::cuMemAlloc_v2(place, 16),
                ]
            };
            println!(
                "newer {:?} {first} lacking {:?} {last} numbers {numbers:?}",
                newer.map(drop),
                lacking.map(drop),
            );
        }
        "loads" => {
            let (mut context, mut module) = (CUcontext(0), CUmodule(0));
            let cubin = include_bytes!("fatbin/fill.cubin");
            let both = include_bytes!("fatbin/both.fatbin");
            let text =
                c".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { bogus.u32 %r1; }";
            let mut table = std::ptr::null();
            // SAFETY: variables to write to, and whole images.
            let codes = unsafe {
                [
                    cuCtxCreate_v2(&mut context, 0, 0),
                    cuModuleLoadData(&mut module, text.as_ptr().cast()),
                    cuModuleLoadData(&mut module, cubin.as_ptr().cast()),
                    cuModuleLoadData(&mut module, both.as_ptr().cast()),
                    cuGetExportTable(&mut table, &CUuuid { bytes: [0; 16] }),
                ]
            };
            println!("codes {:?}", codes.map(|code| code.0));
        }
        "cost" => {
            // What else the machine does makes some batches slow, and not the fastest of them.
            const BATCHES: u32 = 1000;
            const CALLS: u32 = 1000;
            let mut device = 0;
            let mut batch = || {
                let start = std::time::Instant::now();
                for _ in 0..CALLS {
                    // SAFETY: a variable to write to.
                    let code = unsafe { cuCtxGetDevice(std::hint::black_box(&mut device)) };
                    assert_eq!(code, CUresult::SUCCESS);
                }
                start.elapsed()
            };
            let fastest = (0..BATCHES).map(|_| batch()).min();
            let fastest = fastest.expect("some batches").as_nanos() as f64;
            println!("nanoseconds {:.2}", fastest / f64::from(CALLS));
        }
        other => panic!("no such task: {other}"),
    }
}

#[test]
fn the_simulator_answers_where_it_is_asked_for() {
    let text = run("who", &[("LANEWISE_DEVICE", "sim")], None);
    assert!(
        text.contains("init CUDA_SUCCESS (0) backend Some(Sim)"),
        "{text}"
    );
}

#[test]
fn code_that_does_not_load_says_why_unasked_and_what_nobody_needs_is_not_spoken_of() {
    let text = run("loads", &[("LANEWISE_DEVICE", "sim")], None);
    for part in [
        "lanewise: CUDA_ERROR_INVALID_PTX (218): cuModuleLoadData: ptx line 4",
        "lanewise: CUDA_ERROR_NO_BINARY_FOR_GPU (209): cuModuleLoadData: the image is a cubin, machine code for sm_90 made by \
         ptxas of CUDA 13.0",
        "`-gencode arch=compute_90,code=compute_90` of nvcc",
        "codes [0, 218, 209, 0, 801]",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    let variables = [("LANEWISE_DEVICE", "sim"), ("LANEWISE_LOG", "errors")];
    let text = run("loads", &variables, None);
    assert!(!text.contains("cuGetExportTable"), "{text}");
    let variables = [("LANEWISE_DEVICE", "sim"), ("LANEWISE_LOG", "off")];
    let text = run("loads", &variables, None);
    assert!(!text.contains("lanewise: "), "{text}");
}

#[test]
fn an_unknown_device_is_refused_with_what_to_write() {
    let text = run("who", &[("LANEWISE_DEVICE", "gpu")], None);
    assert!(
        text.contains("CUDA_ERROR_INVALID_VALUE (1) backend None"),
        "{text}"
    );
    assert!(
        text.contains("LANEWISE_DEVICE is `gpu`; set it to `cuda`, to `sim`"),
        "{text}"
    );
}

#[test]
fn an_unknown_model_is_refused_with_those_there_are() {
    let text = run(
        "who",
        &[("LANEWISE_DEVICE", "sim"), ("LANEWISE_MODEL", "h100")],
        None,
    );
    assert!(
        text.contains("no device model is called `h100`; there are h200"),
        "{text}"
    );
}

#[test]
fn a_real_driver_with_a_device_gets_every_call() {
    let dir = tempfile::tempdir().expect("a folder");
    if !fake::build(dir.path()) {
        return;
    }
    let text = run("who", &[], Some(dir.path()));
    assert!(
        text.contains("init CUDA_SUCCESS (0) backend Some(Cuda)"),
        "{text}"
    );

    let text = run("calls", &[], Some(dir.path()));
    assert!(
        text.contains("version 4242 device 77 inner 4242"),
        "its own calls reach itself: {text}"
    );
    assert!(
        text.contains("CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER (36)"),
        "{text}"
    );
    assert!(
        text.contains("has no cuMemAlloc_v2; a newer NVIDIA driver is needed"),
        "{text}"
    );

    let text = run("who", &[("LANEWISE_DEVICE", "sim")], Some(dir.path()));
    assert!(
        text.contains("backend Some(Sim)"),
        "the wish counts more: {text}"
    );
}

#[test]
fn a_code_that_cust_does_not_know_is_unknown_to_it_and_no_undefined_behaviour() {
    let dir = tempfile::tempdir().expect("a folder");
    if !fake::build(dir.path()) {
        return;
    }
    let text = run("cust", &[], Some(dir.path()));
    assert!(
        text.contains(
            "newer Err(UnknownError) 4242 lacking Err(UnknownError) 36 numbers [999, 999]"
        ),
        "{text}"
    );
}

#[test]
fn a_real_driver_without_a_device_leaves_the_simulator() {
    let dir = tempfile::tempdir().expect("a folder");
    if !fake::build(dir.path()) {
        return;
    }
    let text = run("who", &[("FAKE_DEVICES", "0")], Some(dir.path()));
    assert!(
        text.contains("init CUDA_SUCCESS (0) backend Some(Sim)"),
        "{text}"
    );

    let text = run(
        "who",
        &[("FAKE_DEVICES", "0"), ("LANEWISE_DEVICE", "cuda")],
        Some(dir.path()),
    );
    assert!(
        text.contains("CUDA_ERROR_NO_DEVICE (100) backend None"),
        "{text}"
    );
    assert!(
        text.contains("shows no device; see what `nvidia-smi` prints"),
        "{text}"
    );
}

#[test]
fn passing_a_call_on_takes_less_than_100_ns() {
    let dir = tempfile::tempdir().expect("a folder");
    if !fake::build(dir.path()) {
        return;
    }
    let text = run("cost", &[], Some(dir.path()));
    let line = text
        .lines()
        .find_map(|line| line.split_once("nanoseconds "))
        .expect("it prints a time")
        .1;
    let nanoseconds: f64 = line.trim().parse().expect("a number");
    assert!(nanoseconds < 100.0, "{nanoseconds} ns");
}
