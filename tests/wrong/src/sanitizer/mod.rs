//! Every case under compute-sanitizer: which of its tools finds which.
//!
//! Each case runs in a process of its own under each tool, and once under none; right twins share processes, and those of a process that
//! says anything run again alone. What hangs is killed. Runs go side by side: a kernel of a case is small, and starting a process is what takes
//! the time.

mod output;
mod process;
mod record;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

pub use output::{Answer, Outcome};
pub use record::{Answers, Record};

use crate::case::{Case, Part};
use crate::launched::Ending;

/// The tools by the names of `--tool`, and the run without any.
pub const TOOLS: [&str; 5] = ["none", "memcheck", "racecheck", "initcheck", "synccheck"];

/// Right twins of a process.
const TOGETHER: usize = 10;

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
}

/// Says that a kernel was launched: what a run goes by.
pub fn say_launched(name: &str) {
    tell(&format!("{}{name}", output::LAUNCHED));
}

/// Says how it ended.
pub fn say_ended(name: &str, ending: &Ending) {
    tell(&match ending {
        Ending::Ended => format!("{}{name}", output::ENDED),
        Ending::Refused(why) => format!("{}{}", output::REFUSED, why.replace('\n', " ")),
        Ending::Failed(error) => format!("{}{}", output::FAILED, error.replace('\n', " ")),
    });
}

/// Writes a line at once: who reads it waits for it.
fn tell(line: &str) {
    let mut out = std::io::stdout().lock();
    // A reader that is gone wants nothing more.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// What one process is to do.
#[derive(Debug, Clone)]
struct Job {
    tool: &'static str,
    part: Part,
    cases: Vec<String>,
}

impl Session<'_> {
    /// The first line of what compute-sanitizer says of itself.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn version(&self) -> std::io::Result<String> {
        let output = std::process::Command::new(self.sanitizer)
            .arg("--version")
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        // `Version 2025.3.1.0 (build ...) (public-release)`, behind a copyright or before it.
        let line = text.lines().find(|line| line.contains("ersion "));
        Ok(line.unwrap_or("unknown").trim().to_owned())
    }

    /// Runs both parts of these cases under every tool. Tells how many processes there are and which of them have ended.
    pub fn run(
        &self,
        cases: &[Case],
        tell: &(dyn Fn(usize, usize) + Sync),
    ) -> BTreeMap<String, Answers> {
        let mut answers: BTreeMap<String, Answers> = BTreeMap::new();
        let ids: Vec<String> = cases.iter().map(Case::id).collect();
        for (id, case) in ids.iter().zip(cases) {
            answers.entry(id.clone()).or_default().says = case.says().to_owned();
        }
        let mut jobs = Vec::new();
        for tool in TOOLS {
            let job = |part, cases: &[String]| Job {
                tool,
                part,
                cases: cases.to_vec(),
            };
            jobs.extend(ids.chunks(1).map(|ids| job(Part::Wrong, ids)));
            jobs.extend(ids.chunks(TOGETHER).map(|ids| job(Part::Right, ids)));
        }
        let mut at_once = self.jobs;
        // Twins of a process that was not silent, and what never began, run again; the last round is for what began too late twice.
        for round in 0..3 {
            let done = self.all(&jobs, at_once, tell);
            let mut again = Vec::new();
            for (job, answer) in jobs.iter().zip(done) {
                let silent = answer.outcome == Outcome::Silent;
                if job.cases.len() > 1 && !silent {
                    again.extend(job.cases.iter().map(|id| Job {
                        cases: vec![id.clone()],
                        ..job.clone()
                    }));
                } else if answer.outcome == Outcome::Late && round < 2 {
                    again.push(job.clone());
                } else if !silent {
                    for id in &job.cases {
                        let answers = answers.entry(id.clone()).or_default();
                        let of = match job.part {
                            Part::Wrong => &mut answers.wrong,
                            Part::Right => &mut answers.right,
                        };
                        of.insert(job.tool.to_owned(), answer.clone());
                    }
                }
            }
            if again.is_empty() {
                break;
            }
            jobs = again;
            at_once = if round == 0 { at_once } else { 4 };
        }
        answers
    }

    /// Runs jobs, `at_once` of them side by side. Their answers in their order.
    fn all(
        &self,
        jobs: &[Job],
        at_once: usize,
        tell: &(dyn Fn(usize, usize) + Sync),
    ) -> Vec<Answer> {
        let answers: Vec<Mutex<Option<Answer>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
        let (next, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..at_once.clamp(1, jobs.len().max(1)) {
                scope.spawn(|| {
                    while let Some((job, place)) = {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        jobs.get(at).zip(answers.get(at))
                    } {
                        let answer = self.one(job);
                        if let Ok(mut place) = place.lock() {
                            *place = Some(answer);
                        }
                        tell(ended.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
                    }
                });
            }
        });
        let failed = || Answer::of(Outcome::Late, "its thread died");
        let taken = answers
            .into_iter()
            .map(|place| place.into_inner().ok().flatten());
        taken.map(|answer| answer.unwrap_or_else(failed)).collect()
    }

    /// Runs a process to its end, or to the end of its time.
    fn one(&self, job: &Job) -> Answer {
        let mut command = if job.tool == "none" {
            std::process::Command::new(self.program)
        } else {
            let mut command = std::process::Command::new(self.sanitizer);
            command.args(["--tool", job.tool]).arg(self.program);
            command
        };
        command
            .args(["run", "--part", job.part.name()])
            .args(&job.cases);
        match process::run(&mut command, self.limit, job.cases.len()) {
            Ok((text, ended)) => output::read(&text, ended, job.cases.len()),
            Err(error) => Answer::of(Outcome::Late, &error.to_string()),
        }
    }
}
