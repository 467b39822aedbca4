//! Every case under compute-sanitizer: which of its tools finds which.
//!
//! To start a process on a GPU takes longer than any case, so a process runs several cases under
//! one tool. What the tool prints between two launches is about the first of them. A case that
//! makes the device unusable, or hangs and is killed, ends its process, and another process
//! continues after it. Processes run side by side. Results are saved regularly, and results that
//! the file already has are not measured again.

mod output;
mod process;
mod queue;
mod record;

use std::io::Write;
use std::path::Path;
use std::time::Duration;

pub use output::{Answer, Outcome};
pub use record::{Answers, Record};

use crate::case::Case;
use crate::launched::Ending;
use queue::{Job, Queue};

/// The tools, by the names of `--tool`.
pub const TOOLS: [&str; 4] = ["memcheck", "racecheck", "initcheck", "synccheck"];

/// How many processes may fail to run any of their cases before the run is given up.
const TRIES: u32 = 3;
/// The number of processes after which results are saved.
const STEP: usize = 20;

/// How the cases are run.
#[derive(Debug)]
pub struct Session<'a> {
    /// The program compute-sanitizer.
    pub sanitizer: &'a Path,
    /// This program, which launches cases.
    pub program: &'a Path,
    /// Processes side by side.
    pub jobs: usize,
    /// How long a kernel may take, from its launch.
    pub limit: Duration,
    /// How long new processes may begin.
    pub within: Duration,
}

/// Says that a kernel is about to be launched: what a run goes by.
pub fn say_launched(name: &str) {
    tell(&format!("{}{name}", output::LAUNCHED));
}

/// Says how it ended.
pub fn say_ended(name: &str, ending: &Ending) {
    let line = |why: &str| why.replace('\n', " ");
    tell(&match ending {
        Ending::Ended => format!("{}{name}", output::ENDED),
        Ending::Refused(why) => format!("{}{name} {}", output::REFUSED, line(why)),
        Ending::Failed(error) => format!("{}{name} {}", output::FAILED, line(error)),
    });
}

/// Writes a line at once, because the reader waits for it.
fn tell(line: &str) {
    let mut out = std::io::stdout().lock();
    // A reader that is gone wants nothing more.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

impl Session<'_> {
    /// The line in which compute-sanitizer says its version.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn version(&self) -> std::io::Result<String> {
        let output = std::process::Command::new(self.sanitizer)
            .arg("--version")
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        // Behind a copyright, or before it.
        let line = text.lines().find(|line| line.contains("ersion "));
        Ok(line.unwrap_or("unknown").trim().to_owned())
    }

    /// Runs both parts of these cases under every tool, except those in the record, and adds the
    /// results. From time to time it passes the record on, with the number of processes so far and
    /// of those that wait.
    pub fn run(
        &self,
        cases: &[Case],
        record: &mut Record,
        keep: &mut (dyn FnMut(&Record, usize, usize) + Send),
    ) {
        for case in cases {
            let says = case.says().to_owned();
            record.cases.entry(case.id()).or_default().says = says;
        }
        let queue = Queue::new(queue::jobs(cases, record), self.within);
        let known = std::sync::Mutex::new((record, keep, 0));
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                scope.spawn(|| {
                    while let Some(job) = queue.next() {
                        let answers = self.one(&job);
                        let waiting = queue.done(job.rest(&answers));
                        let Ok(mut known) = known.lock() else { return };
                        let (record, keep, count) = &mut *known;
                        for (name, answer) in answers {
                            record.add(&name, job.part, job.tool, answer);
                        }
                        *count += 1;
                        if *count % STEP == 0 || waiting == 0 {
                            keep(record, *count, waiting);
                        }
                    }
                });
            }
        });
    }

    /// Runs a process to its end, or until a kernel's time limit. Returns the results of the cases
    /// that it reached.
    fn one(&self, job: &Job) -> Vec<(String, Answer)> {
        let mut command = std::process::Command::new(self.sanitizer);
        command
            .args(["--tool", job.tool])
            // The limit is the process', which has many kernels; and where the host launched
            // them is known.
            .args(["--print-limit", "1000000", "--show-backtrace", "no"])
            .arg(self.program)
            .args(["run", "--part", job.part.name()])
            .args(&job.cases);
        let mut answers = match process::run(&mut command, self.limit) {
            Ok((text, ended)) => output::read(&text, ended, &job.cases),
            Err(error) => vec![(
                job.cases[0].clone(),
                Answer::of(Outcome::Late, &error.to_string()),
            )],
        };
        if answers.is_empty() && job.tries + 1 >= TRIES {
            let never = Answer::of(Outcome::Late, "it was never launched");
            answers.push((job.cases[0].clone(), never));
        }
        answers
    }
}
