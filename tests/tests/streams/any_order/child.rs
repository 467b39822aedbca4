//! A process that runs programs one after another, while they end well.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child as Process, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::ops::Step;
use super::world;

/// The variable that tells a process its task.
const TASK: &str = "LANEWISE_TEST_TASK";
/// Begins each line that is meant for the parent.
const MARK: &str = "any order: ";
/// A program takes milliseconds. One that takes this long hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Whether this process is to run programs for a test of this name.
pub(super) fn is_asked_for(test: &str) -> bool {
    std::env::var(TASK).is_ok_and(|task| task == test)
}

/// Runs the programs that come in, and leaves.
pub(super) fn serve() -> ! {
    let devices = world::devices();
    for line in std::io::stdin().lines() {
        let steps = Step::of_line(&line.expect("the parent writes lines"));
        let ran = world::run(&devices, &steps);
        let said = ran.err().unwrap_or_default().replace('\n', "\u{1}");
        println!("\n{MARK}{said}");
    }
    std::process::exit(0)
}

/// The process, while it is there.
pub(super) struct Child {
    test: String,
    environment: Vec<(String, String)>,
    running: Option<Running>,
}

struct Running {
    process: Process,
    /// What it says.
    lines: Receiver<String>,
    /// What it has said on stderr.
    errors: thread::JoinHandle<String>,
}

impl Child {
    /// A child process that is not started yet.
    pub(super) fn new(test: &str, environment: &[(&str, &str)]) -> Self {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        Self {
            test: test.to_owned(),
            environment: environment.iter().map(owned).collect(),
            running: None,
        }
    }

    /// Runs a program.
    pub(super) fn run(&mut self, steps: &[Step]) -> Result<(), String> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self.start(),
        };
        let line = Step::to_line(steps);
        let input = running.process.stdin.as_mut().expect("it has a pipe");
        // One that has ended says so by what comes back.
        let _ = writeln!(input, "{line}");
        loop {
            match running.lines.recv_timeout(PATIENCE) {
                Ok(line) => match line.strip_prefix(MARK) {
                    None => {}
                    Some("") => {
                        self.running = Some(running);
                        return Ok(());
                    }
                    Some(wrong) => return Err(running.end(&wrong.replace('\u{1}', "\n"))),
                },
                Err(RecvTimeoutError::Timeout) => {
                    let stacks = stacks(running.process.id());
                    return Err(running.end(&format!("it does not end:\n{stacks}")));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(running.end("the process ended")),
            }
        }
    }

    fn start(&self) -> Running {
        let me = std::env::current_exe().expect("a running program has a path");
        let mut process = Command::new(me)
            .args(["--exact", &self.test, "--nocapture", "--test-threads=1"])
            .env(TASK, &self.test)
            .env("LANEWISE_DEVICE", "sim")
            .envs(self.environment.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the test executable can be started again");
        let output = process.stdout.take().expect("it has a pipe");
        let errors = process.stderr.take().expect("it has a pipe");
        let (say, lines) = mpsc::channel();
        thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            lines
                .take_while(|line| say.send(line.clone()).is_ok())
                .for_each(drop);
        });
        let errors = thread::spawn(move || std::io::read_to_string(errors).unwrap_or_default());
        Running {
            process,
            lines,
            errors,
        }
    }
}

impl Running {
    /// Ends it: what was wrong, with what it has said besides.
    fn end(mut self, wrong: &str) -> String {
        let _ = self.process.kill();
        let status = self.process.wait();
        let errors = self.errors.join().unwrap_or_default();
        let from = errors.len().saturating_sub(4000);
        let errors = errors.get(from..).unwrap_or(&errors);
        format!("{wrong}\n{status:?}, on stderr:\n{errors}")
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(running) = &mut self.running {
            // Without more to do, it ends by itself, which is a part of the test.
            drop(running.process.stdin.take());
            let status = running.process.wait();
            let well = status.as_ref().is_ok_and(|status| status.success());
            assert!(well || thread::panicking(), "it ends with {status:?}");
        }
    }
}

/// Where the threads of a process are, by a debugger if there is one.
fn stacks(process: u32) -> String {
    let process = process.to_string();
    let debugger = Command::new("gdb")
        .args(["-p", &process, "-batch", "-ex", "thread apply all bt 30"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    match debugger {
        Ok(output) => String::from_utf8_lossy(&output.stdout).into_owned(),
        Err(error) => format!("no stacks: gdb: {error}"),
    }
}
