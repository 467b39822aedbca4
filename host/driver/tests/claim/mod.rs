//! Claims that are tested in a process of their own, each with its number of simulated devices.

use std::process::Command;

/// The variable that names the claim which a child process tests.
const TASK: &str = "LANEWISE_TEST_TASK";

/// Returns the claim that this process was started to test, or `None` in the test's own process.
/// The program has a test `tasks` that calls this.
pub(crate) fn to_try() -> Option<String> {
    std::env::var(TASK).ok()
}

/// Checks that a claim holds with this many simulated devices.
#[track_caller]
pub(crate) fn holds(claim: &str, devices: &str) {
    let output = Command::new(std::env::current_exe().expect("a test has an executable"))
        .args(["tasks", "--exact", "--nocapture"])
        .env(TASK, claim)
        .env("LANEWISE_DEVICE", "sim")
        .env("LANEWISE_SIM_DEVICES", devices)
        .output()
        .expect("a test can run itself");
    assert!(
        output.status.success(),
        "{claim}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
