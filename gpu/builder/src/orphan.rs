//! The end of a build script whose cargo is gone.
//!
//! Whoever kills cargo does not kill its build scripts. Such a script keeps the locks of its
//! folders and may wait forever for a job token, which only cargo can return, so all later builds
//! wait for its locks. The nested cargo needs no such care: it has its own tokens, so it comes to
//! an end.

/// Ends this process soon after its parent has ended, from now on.
#[cfg(unix)]
pub(crate) fn end_with_parent() {
    use std::os::unix::process::parent_id;
    use std::time::Duration;
    use std::{process, thread};

    let parent = parent_id();
    thread::spawn(move || {
        while parent_id() == parent {
            thread::sleep(Duration::from_millis(500));
        }
        process::exit(1);
    });
}

/// Other systems do not tell when a parent ends.
#[cfg(not(unix))]
pub(crate) fn end_with_parent() {}

#[cfg(all(test, unix))]
mod tests {
    use std::env;
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    use std::thread;
    use std::time::Duration;

    /// Set in the process that has to end.
    const SCRIPT: &str = "SCRIPT_OF_LANEWISES_TEST";

    #[test]
    fn a_script_ends_when_its_parent_was_killed() {
        if env::var_os(SCRIPT).is_some() {
            super::end_with_parent();
            println!("\nready");
            thread::sleep(Duration::from_secs(30));
            println!("\nstill here");
            return;
        }
        // The shell stands in for cargo. It starts this test again and waits for it.
        let this = "orphan::tests::a_script_ends_when_its_parent_was_killed";
        let mut shell = Command::new("sh")
            .args(["-c", "\"$0\" --exact \"$1\" --nocapture & wait"])
            .arg(env::current_exe().expect("its own path"))
            .arg(this)
            .env(SCRIPT, "1")
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let output = BufReader::new(shell.stdout.take().expect("a pipe"));
        let mut lines = output.lines().map_while(Result::ok);
        assert!(lines.any(|line| line == "ready"));
        shell.kill().expect("it runs");
        shell.wait().expect("it was killed");
        // The pipe ends when the script has ended.
        assert!(!lines.any(|line| line == "still here"));
    }
}
