//! Parses the output of a run of compute-sanitizer.
//!
//! Lines of the tool begin with `=========`. A finding's first line follows after one space, and
//! its details are indented further. Between them are the lines of the program, which report when
//! it launches a kernel and how each launch ended.

use serde::{Deserialize, Serialize};

/// What the program writes before it launches a kernel.
pub(crate) const LAUNCHED: &str = "wrong: launched ";
/// What it writes when a kernel has ended, and how.
pub(crate) const ENDED: &str = "wrong: ended ";
/// What it writes when the driver's compiler does not take one.
pub(crate) const REFUSED: &str = "wrong: refused ";
/// What it writes when a call failed, and which error that is.
pub(crate) const FAILED: &str = "wrong: failed ";

/// Before each line of the tool.
const TOOL: &str = "========= ";

/// First lines of the tool that are no finding: about the tool itself, about calls that failed
/// because of a kernel, and totals.
const ABOUT: &[&str] = &[
    "COMPUTE-SANITIZER",
    "Program hit ",
    "Target application ",
    "ERROR SUMMARY",
    "RACECHECK SUMMARY",
    "LEAK SUMMARY",
    "process didn't terminate",
    "No attachable process",
    "Attempted ",
    "Detected overflow of ",
];

/// The result of a part of a case under a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The kernel completed, and the tool reported nothing.
    Silent,
    /// The tool reported something about it.
    Found,
    /// A call failed, and the tool reported no more than that.
    Failed,
    /// It was still running when its time was over.
    Hangs,
    /// The driver's compiler does not take it.
    Refused,
    /// It was not launched in time, or the tool itself failed. The result is unknown.
    Late,
}

/// What was said of a part of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// What became of it.
    pub outcome: Outcome,
    /// The first line of each finding, without repetition and no more than three; or the error, or
    /// the compiler's message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<String>,
}

impl Answer {
    pub(super) fn of(outcome: Outcome, said: &str) -> Self {
        let lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
        Self {
            outcome,
            said: lines.take(3).map(str::to_owned).collect(),
        }
    }
}

/// Returns how many kernels were launched and how many of those have ended, in the output so far.
pub(super) fn progress(text: &str) -> (usize, usize) {
    let count = |mark| text.matches(mark).count();
    (count(LAUNCHED), count(ENDED) + count(FAILED))
}

/// What was said of a process' cases, as far as it came to them, and whether that ended by itself.
pub(super) fn read(text: &str, ended: bool, cases: &[String]) -> Vec<(String, Answer)> {
    let mut answers: Vec<(String, Answer)> = Vec::new();
    // Of the case that was launched last.
    let mut current: Option<usize> = None;
    for line in text.lines() {
        let after = |mark: &str| {
            let rest = line.strip_prefix(mark)?;
            Some(rest.split_once(' ').unwrap_or((rest, "")))
        };
        if let Some((name, _)) = after(LAUNCHED) {
            // Until something else is known of it.
            let outcome = if ended { Outcome::Late } else { Outcome::Hangs };
            answers.push((name.to_owned(), Answer::of(outcome, "")));
            current = Some(answers.len() - 1);
        } else if let Some((name, why)) = after(REFUSED) {
            answers.push((name.to_owned(), Answer::of(Outcome::Refused, why)));
            current = None;
        } else if let Some((_, answer)) = current.and_then(|at| answers.get_mut(at)) {
            let found = answer.outcome == Outcome::Found;
            if after(ENDED).is_some() && !found {
                *answer = Answer::of(Outcome::Silent, "");
            } else if let Some((_, error)) = after(FAILED) {
                if !found {
                    *answer = Answer::of(Outcome::Failed, error);
                }
            } else if let Some(finding) = finding(line) {
                if !found {
                    *answer = Answer::of(Outcome::Found, "");
                }
                if answer.said.len() < 3 && !answer.said.iter().any(|it| it == finding) {
                    answer.said.push(finding.to_owned());
                }
            }
        }
    }
    answers.retain(|(name, _)| cases.contains(name));
    answers
}

/// The first line of a finding.
fn finding(line: &str) -> Option<&str> {
    let line = line.strip_prefix(TOOL)?;
    if line.starts_with(' ') || line.trim().is_empty() {
        return None;
    }
    let bare = line.trim_start_matches("Error: ");
    let bare = bare.trim_start_matches("Warning: ").trim_end();
    let about = ABOUT.iter().any(|about| bare.starts_with(about));
    (!about).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As compute-sanitizer 2025.3 writes on an H200.
    const MEMCHECK: &str = "\
========= COMPUTE-SANITIZER
wrong: launched ptx/memory/write_past_the_end
========= Invalid __global__ write of size 4 bytes
=========     at k0(int *)+0x60 in b.cu:2
=========     by thread (64,0,0) in block (0,0,0)
=========     Access to 0x7f9e92800100 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f9e92800000 of size 256 bytes
========= 
========= Program hit CUDA_ERROR_LAUNCH_FAILED (error 719) due to \"unspecified launch failure\" on CUDA API call to cuStreamSynchronize.
=========     Saved host backtrace up to driver entry point at error
wrong: failed ptx/memory/write_past_the_end CUDA_ERROR_LAUNCH_FAILED
========= Target application returned an error
========= ERROR SUMMARY: 2 errors
";
    const RACECHECK: &str = "\
========= COMPUTE-SANITIZER
wrong: launched x
wrong: ended x
========= Error: Race reported between Write access at k1(int *)+0xb0 in b.cu:3
=========     and Read access at k1(int *)+0xc0 in b.cu:3 [256 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
";
    const SILENT: &str = "\
========= COMPUTE-SANITIZER
wrong: launched x
wrong: ended x
========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)
";

    /// What is said of one case.
    fn one(text: &str, ended: bool, name: &str) -> Answer {
        let mut answers = read(text, ended, &[name.to_owned()]);
        assert_eq!(answers.len(), 1, "{text}");
        answers.remove(0).1
    }

    #[test]
    fn a_finding_is_its_first_line() {
        let answer = one(MEMCHECK, true, "ptx/memory/write_past_the_end");
        assert_eq!(answer.outcome, Outcome::Found);
        assert_eq!(answer.said, ["Invalid __global__ write of size 4 bytes"]);
        assert_eq!(one(SILENT, true, "x").outcome, Outcome::Silent);
        let answer = one(RACECHECK, true, "x");
        assert_eq!(answer.outcome, Outcome::Found);
        assert_eq!(
            answer.said,
            ["Race reported between Write access at k1(int *)+0xb0 in b.cu:3"]
        );
        for (line, found) in [
            ("Uninitialized __global__ memory read of size 4 bytes", true),
            ("Barrier error detected. Divergent thread(s) in warp.", true),
            ("Error: process didn't terminate successfully", false),
            ("LEAK SUMMARY: 0 bytes leaked in 0 allocations", false),
            ("ERROR SUMMARY: 0 errors", false),
        ] {
            let text = format!("{LAUNCHED}x\n{TOOL}{line}\n{ENDED}x\n");
            let answer = one(&text, true, "x");
            assert_eq!(answer.outcome == Outcome::Found, found, "{line}");
        }
    }

    #[test]
    fn a_failed_call_alone_is_no_finding() {
        let without: String = MEMCHECK
            .lines()
            .filter(|line| !line.contains("Invalid"))
            .flat_map(|line| [line, "\n"])
            .collect();
        let answer = one(&without, true, "ptx/memory/write_past_the_end");
        assert_eq!(answer.outcome, Outcome::Failed);
        assert_eq!(answer.said, ["CUDA_ERROR_LAUNCH_FAILED"]);
    }

    #[test]
    fn what_is_said_is_of_the_case_that_was_launched_last() {
        let cases = ["a", "b", "c", "d", "e"].map(str::to_owned);
        let text = format!(
            "{TOOL}COMPUTE-SANITIZER\n{LAUNCHED}a\n{ENDED}a\n{LAUNCHED}b\n{TOOL}Invalid read\n{TOOL}    at k\n{ENDED}b\n{REFUSED}c ptxas: no\n{LAUNCHED}d\n"
        );
        let outcomes = |ended| -> Vec<(String, Outcome)> {
            let answers = read(&text, ended, &cases).into_iter();
            answers
                .map(|(name, answer)| (name, answer.outcome))
                .collect()
        };
        let expected = |last| {
            let known = [
                ("a", Outcome::Silent),
                ("b", Outcome::Found),
                ("c", Outcome::Refused),
                ("d", last),
            ];
            known.map(|(name, outcome)| (name.to_owned(), outcome))
        };
        assert_eq!(outcomes(false), expected(Outcome::Hangs));
        // The process died for an unknown reason.
        assert_eq!(outcomes(true), expected(Outcome::Late));
        assert_eq!(progress(&text), (3, 2));
        assert!(read("", false, &cases).is_empty());
    }
}
