//! Kernels that fault: the error code, that the error stays, and what ends it. Each row runs in a
//! process of its own.

use crate::fixture::{self, Fixture, holds, ok, param};
use crate::{Row, check, rows};
use lanewise_driver::abi::*;
use lanewise_driver::api::*;

/// Launches a kernel that faults, and waits for it.
fn fault(f: &Fixture, kernel: &str) -> CUresult {
    let mut out = f.device();
    let function = f.function(kernel);
    ok(f.launch(function, 1, 1, 0, &mut [param(&mut out)]));
    // SAFETY: may be called at any time.
    unsafe { cuCtxSynchronize() }
}

rows! {
    "cuCtxSynchronize: after an access to nothing" => ERROR_ILLEGAL_ADDRESS, |f| fault(f, "out_of_bounds");
    "cuCtxSynchronize: after a misaligned access" => ERROR_MISALIGNED_ADDRESS, |f| fault(f, "misaligned");
    "cuCtxSynchronize: after a store outside of a surface" (sim: "an H200 stores into the padding of its own layout") => ERROR_ILLEGAL_ADDRESS, |f| {
        crate::texture::object::store_outside(f);
        cuCtxSynchronize()
    };
    "cuCtxSynchronize: after a fetch through no texture" (sim: "not compared with a GPU's yet") => ERROR_LAUNCH_FAILED, |f| {
        crate::texture::object::fetch_through_nothing(f);
        cuCtxSynchronize()
    };
    "cuCtxSynchronize: after a trap" => ERROR_LAUNCH_FAILED, |f| fault(f, "trapped");
    "cuMemAlloc_v2: after a fault" => ERROR_ILLEGAL_ADDRESS, |f| {
        fault(f, "out_of_bounds");
        cuMemAlloc_v2(&mut 0, 16)
    };
    "cuStreamQuery: after a fault" => ERROR_ILLEGAL_ADDRESS, |f| {
        let stream = f.stream();
        fault(f, "out_of_bounds");
        cuStreamQuery(stream)
    };
    "cuMemFree_v2: after a fault" => ERROR_ILLEGAL_ADDRESS, |f| {
        let address = f.device();
        fault(f, "out_of_bounds");
        cuMemFree_v2(address)
    };
    "cuLaunchKernel: after a fault" => ERROR_ILLEGAL_ADDRESS, |f| {
        let function = f.function("nothing");
        fault(f, "out_of_bounds");
        f.launch_bare(function, [1, 1, 1], [32, 1, 1], 0)
    };
    "cuCtxCreate_v2: after the faulted context is destroyed" (sim: "a GPU's driver needs a new process") => SUCCESS, |f| {
        fault(f, "out_of_bounds");
        ok(cuCtxDestroy_v2(f.context));
        let (mut fresh, mut address) = (CUcontext(0), 0);
        ok(cuCtxCreate_v2(&mut fresh, 0, 0));
        ok(cuMemAlloc_v2(&mut address, 16));
        cuCtxDestroy_v2(fresh)
    };
    "cuCtxSynchronize: of another context than the faulted" (sim: "a GPU's driver ends all contexts of the process") => SUCCESS, |f| {
        let mut other = CUcontext(0);
        ok(cuCtxCreate_v2(&mut other, 0, 0));
        ok(cuCtxSetCurrent(f.context));
        fault(f, "out_of_bounds");
        ok(cuCtxSetCurrent(other));
        let code = cuCtxSynchronize();
        ok(cuCtxDestroy_v2(other));
        code
    };
    "cuCtxSynchronize: the report names kernel, thread and allocation" (sim: "a GPU's driver has no words") => SUCCESS, |f| {
        fault(f, "past_the_end");
        let message = lanewise_driver::last_message().unwrap_or_default();
        holds(["kernel `past_the_end`", "thread (0,0,0)", "allocation #"].iter().all(|part| message.contains(part)))
    };
}

/// The variable that names the row which a child process runs.
const ROW: &str = "LANEWISE_TEST_ROW";

#[test]
fn every_fault_is_reported_and_stays() {
    let rows: Vec<Row> = rows();
    if let Ok(name) = std::env::var(ROW) {
        let row = rows
            .iter()
            .find(|row| row.name == name)
            .expect("the row exists");
        fixture::initialise();
        check(row).unwrap_or_else(|failure| panic!("{failure}"));
        return;
    }
    let this = std::env::current_exe().expect("a test has an executable");
    let mut failures = Vec::new();
    for row in &rows {
        let output = std::process::Command::new(&this)
            .args([
                "code::fault::every_fault_is_reported_and_stays",
                "--exact",
                "--nocapture",
            ])
            .env(ROW, row.name)
            .output()
            .expect("a test can run itself");
        if !output.status.success() {
            failures.push(format!(
                "{}:\n{}",
                row.name,
                String::from_utf8_lossy(&output.stderr)
            ));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {} rows:\n{}",
        failures.len(),
        rows.len(),
        failures.join("\n")
    );
}
