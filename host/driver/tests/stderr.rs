//! A standard error that cannot be written: a pipe without a reader (`EPIPE`), and a full device
//! (`ENOSPC`).
//!
//! What the driver has to say is lost then. The program that calls the driver must not notice: each
//! call returns what it returns otherwise, and the process ends as it ends otherwise.

#![cfg(target_os = "linux")]

mod answer;
mod fake;

use answer::ok;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::ptr::null_mut;

/// The variable that names the task of a child process.
const TASK: &str = "LANEWISE_TEST_TASK";

/// Stores each thread's index at its place.
const FILL: &str = "ld.param.u64 %d1, [t]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2; \
                    st.global.u32 [%d1], %r1;";
/// Stores to address zero.
const FAULT: &str = "mov.u64 %d1, 0; st.global.u32 [%d1], 1;";
/// Every thread stores its index at the same place.
const RACE: &str = "ld.param.u64 %d1, [t]; mov.u32 %r1, %tid.x; st.global.u32 [%d1], %r1;";

/// The tasks of the child processes. In the test's own process it does nothing.
#[test]
fn tasks() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    let (body, expected) = match task.as_str() {
        "runs" => (FILL, CUresult::SUCCESS),
        "races" => (RACE, CUresult::SUCCESS),
        "faults" => (FAULT, CUresult::ERROR_ILLEGAL_ADDRESS),
        other => panic!("no such task: {other}"),
    };
    launch(body, expected);
}

/// Launches a kernel of two warps and expects this outcome.
#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "driver calls with arguments of this function's own"
)]
fn launch(body: &str, expected: CUresult) {
    let ptx = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 t) {{ .reg .b64 %d<4>; .reg .b32 %r<4>; {body} ret; }}\0"
    );
    let (mut context, mut module, mut kernel) = (CUcontext(0), CUmodule(0), CUfunction(0));
    let mut words = 0u64;
    unsafe {
        ok(cuInit(0));
        ok(cuCtxCreate_v2(&mut context, 0, 0));
        // A failed call, which `LANEWISE_LOG=errors` prints.
        assert_ne!(cuMemFree_v2(1), CUresult::SUCCESS);
        ok(cuModuleLoadData(&mut module, ptx.as_ptr().cast()));
        ok(cuModuleGetFunction(&mut kernel, module, c"k".as_ptr()));
        ok(cuMemAlloc_v2(&mut words, 256));
        let mut params = [(&raw mut words).cast()];
        let list = params.as_mut_ptr();
        ok(cuLaunchKernel(
            kernel,
            1,
            1,
            1,
            64,
            1,
            1,
            0,
            CUstream(0),
            list,
            null_mut(),
        ));
        assert_eq!(cuCtxSynchronize(), expected);
    }
}

/// Runs a task twice in child processes whose messages cannot be written, and expects that they end
/// as they should.
#[track_caller]
fn ends_well(task: &str, variables: &[(&str, &str)], library: Option<&Path>) {
    let (reader, no_reader) = std::io::pipe().expect("a pipe");
    drop(reader);
    let full = File::options()
        .write(true)
        .open("/dev/full")
        .expect("a full device");
    for (name, stderr) in [("EPIPE", Stdio::from(no_reader)), ("ENOSPC", full.into())] {
        let mut command = Command::new(std::env::current_exe().expect("a test has an executable"));
        command
            .args(["tasks", "--exact", "--nocapture"])
            .env(TASK, task)
            .env("LANEWISE_DEVICE", "sim")
            .env_remove("LANEWISE_LOG")
            .envs(variables.iter().copied())
            .stderr(stderr);
        if let Some(library) = library {
            command.env("LD_LIBRARY_PATH", library);
        }
        let output = command.output().expect("a test can run itself");
        assert!(
            output.status.success(),
            "{name}, {task}, {variables:?}: {}: {}",
            output.status,
            String::from_utf8_lossy(&output.stdout)
        );
    }
}

#[test]
fn a_fault_is_an_error_of_the_program() {
    ends_well("faults", &[], None);
}

#[test]
fn every_call_can_be_logged() {
    ends_well("runs", &[("LANEWISE_LOG", "calls")], None);
    ends_well("runs", &[("LANEWISE_LOG", "errors")], None);
}

#[test]
fn an_unknown_variable_is_only_a_warning() {
    ends_well("runs", &[(concat!("LANEWISE_", "FOO"), "1")], None);
}

#[test]
fn a_finding_that_is_only_reported_lets_the_launch_go_on() {
    let variables = [
        ("LANEWISE_CHECKS", "race"),
        ("LANEWISE_CHECKS_ACTION", "report"),
    ];
    ends_well("races", &variables, None);
}

#[test]
fn the_steps_of_a_schedule_can_be_asked_for() {
    let variables = [("LANEWISE_STEPS", "1"), ("LANEWISE_SCHEDULE", "random")];
    ends_well("runs", &variables, None);
}

#[test]
fn what_is_written_at_the_end_does_not_change_how_the_program_ends() {
    ends_well("runs", &[("LANEWISE_TRACE", "/dev/full")], None);
    ends_well("runs", &[("LANEWISE_TRACE", "/nonexistent/x")], None);
    let variables = [
        ("LANEWISE_SUMMARY", "1"),
        ("LANEWISE_COUNTERS", "/nonexistent/x"),
    ];
    ends_well("runs", &variables, None);
    ends_well("runs", &[("LANEWISE_COUNTERS", "/dev/full")], None);
    ends_well("runs", &[("LANEWISE_RECORD", "/nonexistent/x")], None);
    ends_well("runs", &[("LANEWISE_CHECKS", "leak")], None);
}

#[test]
fn the_reason_why_the_simulator_is_used_is_only_a_message() {
    let folder = tempfile::tempdir().expect("a folder");
    if !fake::build(folder.path()) {
        return;
    }
    let variables = [
        ("LANEWISE_DEVICE", "auto"),
        ("FAKE_DEVICES", "0"),
        ("LANEWISE_LOG", "errors"),
    ];
    ends_well("runs", &variables, Some(folder.path()));
}
