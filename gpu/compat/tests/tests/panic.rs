//! A panic on the device reports the message, the place and the thread, and the launch fails.
//!
//! It runs in a process of its own: a fault ends the process's context, and the test must read
//! the printed text.

use std::process::Command;

use compat::rust_cuda::check_limit;
use lanewise::{Backend, Device, DeviceBuffer, LaunchConfig};

/// The variable that is set in the process that panics.
const INSIDE: &str = "COMPAT_TEST_PANICS";

/// Launches a kernel in which thread 5 of block 1 panics, and returns the driver's error.
fn panicking() -> String {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let mut values = [3u32; 96];
    values[37] = 4711;
    let data = DeviceBuffer::from_slice(&device, &values).expect("memory");
    // SAFETY: there are as many threads as elements.
    let launched =
        unsafe { stream.launch_unchecked(check_limit, LaunchConfig::new(3, 32), (&data, 100u32)) };
    launched.expect("it is launched");
    let error = device.synchronize().expect_err("it panics");
    format!("{error} on {}", device.backend())
}

#[test]
fn a_panic_says_what_where_and_who() {
    if std::env::var_os(INSIDE).is_some() {
        println!("{}", panicking());
        return;
    }
    let run = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "a_panic_says_what_where_and_who", "--nocapture"])
        .env(INSIDE, "1")
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success(), "{text}");
    let on_a_gpu = text.contains(&format!(" on {}", Backend::Cuda));
    // A GPU may stop before the driver has fetched what was printed.
    for part in [
        "rust_cuda.rs:",
        ": 4711 is over 100, block (1,0,0), thread (5,0,0)",
    ] {
        assert!(
            on_a_gpu || text.contains(part),
            "{part:?} is missing in\n{text}"
        );
    }
}
