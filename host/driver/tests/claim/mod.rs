//! Claims that are tried in a process of their own, which has simulated devices as it says.

use std::process::Command;

/// Says which claim a process of its own is to try.
const TASK: &str = "LANEWISE_TEST_TASK";

/// The claim that this process was started to try; none in the test's own. The program has a test
/// `tasks` that asks.
pub(crate) fn to_try() -> Option<String> {
    std::env::var(TASK).ok()
}

/// Sees that a claim holds with this many simulated devices.
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
