//! Runs a test body in a process of its own.
//!
//! A kernel's fault poisons the process's context, on a GPU for good. So a test that faults on
//! purpose runs in a child process. The child is this same test executable, started with the one
//! test. The text that the body returns comes back through its standard output.

use std::process::Command;

/// The variable that names the test whose body a child runs.
const CHILD: &str = "LANEWISE_ISOLATED_TEST";
const START: &str = "\n<<<start\n";
const BEGIN: &str = "<<<answer\n";
const END: &str = "\nanswer>>>";

/// The output of a child.
#[derive(Debug)]
pub struct ChildOutput {
    /// What the body returned.
    pub text: String,
    /// Its standard output before the returned text, which contains what kernels printed.
    pub printed: String,
    /// Its standard error.
    pub stderr: String,
}

/// Returns whether this process runs one test for another process.
pub(crate) fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Runs `body` in a child process and returns what it returned. `test` is the calling
/// test's full name.
///
/// # Panics
/// If the child cannot be started, or ends without an answer; the message has its output.
#[track_caller]
pub fn isolated(test: &str, body: impl FnOnce() -> String) -> ChildOutput {
    isolated_with(&[], test, body)
}

/// As [`isolated`], with additional environment variables for the child. A test may call
/// it several times: a child runs the body of the first call, so all bodies of a test must
/// be the same.
///
/// # Panics
/// As [`isolated`].
#[track_caller]
pub fn isolated_with(
    environment: &[(&str, &str)],
    test: &str,
    body: impl FnOnce() -> String,
) -> ChildOutput {
    if std::env::var(CHILD).is_ok_and(|name| name == test) {
        // In the child: answer and leave at once, before anything else touches a poisoned context.
        println!("{START}");
        let text = body();
        // What kernels printed comes before the answer.
        lanewise_patterns::capture::flush();
        println!("{BEGIN}{text}{END}");
        std::process::exit(0);
    }
    let me = std::env::current_exe().expect("a running program has a path");
    let mut child = Command::new(me);
    child
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(CHILD, test)
        .envs(environment.iter().copied());
    let output = child
        .output()
        .expect("the test executable can be started again");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let answer = stdout.split_once(START).and_then(|(_, rest)| {
        let (printed, rest) = rest.split_once(BEGIN)?;
        Some((printed.trim_start(), rest.rsplit_once(END)?.0))
    });
    match answer {
        Some((printed, text)) => ChildOutput {
            text: text.to_owned(),
            printed: printed.to_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        },
        None => panic!(
            "{test} gave no answer ({}):\n{stdout}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ),
    }
}
