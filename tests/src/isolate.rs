//! A test body in a process of its own.
//!
//! A kernel's fault poisons the process's context, on a GPU for good: whatever faults on purpose
//! runs in a child. The child is this same test executable, asked for the one test; the text that
//! the body answers comes back through its standard output.

use std::process::Command;

/// Tells a child which test's body to run.
const CHILD: &str = "LANEWISE_ISOLATED_TEST";
const START: &str = "\n<<<start\n";
const BEGIN: &str = "<<<answer\n";
const END: &str = "\nanswer>>>";

/// What a child wrote.
#[derive(Debug)]
pub struct ChildOutput {
    /// What the body returned.
    pub text: String,
    /// What was on its standard output before that: what kernels printed is here.
    pub printed: String,
    /// What was on its standard error.
    pub stderr: String,
}

/// Whether this process runs one test for another.
pub(crate) fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Runs `body` in a child process and returns what it returned. `test` is the calling test's full
/// name.
///
/// # Panics
/// When the child cannot be started, or ends without an answer: its output is in the message.
#[track_caller]
pub fn isolated(test: &str, body: impl FnOnce() -> String) -> ChildOutput {
    isolated_with(&[], test, body)
}

/// As [`isolated`], with variables of the environment that the child has and this process has not.
/// A test may call it several times: a child runs the first call's body, so all bodies have to be
/// the same.
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
