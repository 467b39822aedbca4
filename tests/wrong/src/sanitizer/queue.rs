//! Decides which cases run in one process, and in which order: first each under the tool that is
//! made for its error.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::record::Record;
use super::{Answer, TOOLS};
use crate::case::{Case, Variant};

/// Cases per process, if none is expected to end it.
const QUIET: usize = 12;
/// Cases per process, if most are expected to end it.
const LOUD: usize = 4;
/// Right twins of a process.
const TWINS: usize = 20;

/// The cases of one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) tool: &'static str,
    pub(super) part: Variant,
    pub(super) cases: Vec<String>,
    /// Processes that have come to none of them.
    pub(super) tries: u32,
}

impl Job {
    /// The cases that are left to run.
    pub(super) fn rest(&self, answers: &[(String, Answer)]) -> Option<Self> {
        let known = |case: &&String| !answers.iter().any(|(name, _)| name == *case);
        let cases: Vec<String> = self.cases.iter().filter(known).cloned().collect();
        let tries = if answers.is_empty() {
            self.tries + 1
        } else {
            0
        };
        let (tool, part) = (self.tool, self.part);
        (!cases.is_empty()).then_some(Self {
            tool,
            part,
            cases,
            tries,
        })
    }
}

/// Returns the tool that is made for the errors of a check.
fn made_for(check: &str) -> &'static str {
    match check {
        "memory" | "leak" => "memcheck",
        "race" => "racecheck",
        "init" => "initcheck",
        _ => "synccheck",
    }
}

/// All that is to be run, in order: wrong kernels under the tool for what is wrong, under the
/// others, and right twins. What hangs comes last of each.
pub(super) fn jobs(cases: &[Case], record: &Record) -> Vec<Job> {
    let mut jobs = Vec::new();
    let groups = [
        (Variant::Wrong, Some(true)),
        (Variant::Wrong, Some(false)),
        (Variant::Right, None),
    ];
    for (part, own) in groups {
        for check in ["race", "init", "memory", "sync", "leak", "progress"] {
            for tool in TOOLS {
                if own.is_some_and(|own| own != (tool == made_for(check))) {
                    continue;
                }
                let of = cases.iter().filter(|case| case.check == check);
                let left = of.map(Case::id).filter(|id| !record.knows(id, part, tool));
                let left: Vec<String> = left.collect();
                let together = match (part, check) {
                    (Variant::Right, _) => TWINS,
                    (_, "race" | "init" | "leak") => QUIET,
                    (_, "progress") => 1,
                    _ => LOUD,
                };
                jobs.extend(left.chunks(together).map(|cases| Job {
                    tool,
                    part,
                    cases: cases.to_vec(),
                    tries: 0,
                }));
            }
        }
    }
    jobs
}

/// What waits, and how many run.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<(VecDeque<Job>, usize)>,
    end: Option<Instant>,
}

impl Queue {
    /// A queue whose jobs begin within so long a time.
    pub(super) fn new(jobs: Vec<Job>, within: Duration) -> Self {
        Self {
            state: Mutex::new((jobs.into(), 0)),
            end: Instant::now().checked_add(within),
        }
    }

    /// The next job. It waits while others run, of which something may be left; none when all is
    /// done, or the time is over.
    pub(super) fn next(&self) -> Option<Job> {
        loop {
            if self.end.is_some_and(|end| Instant::now() > end) {
                return None;
            }
            {
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(job) = state.0.pop_front() {
                    state.1 += 1;
                    return Some(job);
                }
                if state.1 == 0 {
                    return None;
                }
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// A job has ended, and this is left of it, which goes first: what comes first matters most.
    /// How many wait and run.
    pub(super) fn done(&self, rest: Option<Job>) -> usize {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.1 -= 1;
        if let Some(job) = rest {
            state.0.push_front(job);
        }
        state.0.len() + state.1
    }
}
