//! What a run of compute-sanitizer wrote, and what it means.
//!
//! Lines of the tool begin with `=========`; a finding's first line is one space behind that, what it says besides is further in. In
//! between stand the lines of the program, which says when it launches a kernel and how each ended.

use serde::{Deserialize, Serialize};

/// What the program writes before it waits for a kernel.
pub(crate) const LAUNCHED: &str = "wrong: launched ";
/// What it writes when a kernel has ended, and how.
pub(crate) const ENDED: &str = "wrong: ended ";
/// What it writes when the driver's compiler does not take one.
pub(crate) const REFUSED: &str = "wrong: refused ";
/// What it writes when a call failed, and which error that is.
pub(crate) const FAILED: &str = "wrong: failed ";

/// Before each line of the tool.
const TOOL: &str = "========= ";

/// First lines of the tool that are no finding: about itself, about calls that failed because of a kernel, and sums.
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

/// What became of a part of a case under a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It ran, and nothing was said.
    Silent,
    /// The tool said something of it.
    Found,
    /// A call failed, and the tool said no more than that.
    Failed,
    /// It was still running when its time was over.
    Hangs,
    /// The driver's compiler does not take it.
    Refused,
    /// It was not launched in time, or the tool itself failed: nothing is known.
    Late,
}

/// What was said of a part of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// What became of it.
    pub outcome: Outcome,
    /// The first line of each finding, without repetition and no more than three; or the error, or the compiler's message.
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

/// How many kernels were launched, by what was written so far.
pub(super) fn launches(text: &str) -> usize {
    text.matches(LAUNCHED).count()
}

/// What was said of so many kernels of one process, and whether that ended by itself.
pub(super) fn read(text: &str, ended: bool, kernels: usize) -> Answer {
    let findings = findings(text);
    if !findings.is_empty() {
        return Answer {
            outcome: Outcome::Found,
            said: findings,
        };
    }
    let after = |mark: &str| {
        let place = text.find(mark)?;
        text[place + mark.len()..].lines().next()
    };
    if let Some(why) = after(REFUSED) {
        return Answer::of(Outcome::Refused, why);
    }
    if let Some(error) = after(FAILED) {
        return Answer::of(Outcome::Failed, error);
    }
    if text.matches(ENDED).count() == kernels {
        // What hangs behind the kernels is the process that ends.
        return Answer::of(Outcome::Silent, "");
    }
    if !ended && launches(text) > 0 {
        return Answer::of(Outcome::Hangs, "");
    }
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    Answer::of(Outcome::Late, last.unwrap_or_default())
}

/// The first lines of findings, each once, the first three of them.
fn findings(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in text.lines() {
        let Some(line) = line.strip_prefix(TOOL) else {
            continue;
        };
        if line.starts_with(' ') || line.trim().is_empty() {
            continue;
        }
        let bare = line.trim_start_matches("Error: ");
        let bare = bare.trim_start_matches("Warning: ").trim_end();
        if ABOUT.iter().any(|about| bare.starts_with(about)) {
            continue;
        }
        if found.len() < 3 && !found.iter().any(|it| it == bare) {
            found.push(bare.to_owned());
        }
    }
    found
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
wrong: failed CUDA_ERROR_LAUNCH_FAILED
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

    #[test]
    fn a_finding_is_its_first_line() {
        let answer = read(MEMCHECK, true, 1);
        assert_eq!(answer.outcome, Outcome::Found);
        assert_eq!(answer.said, ["Invalid __global__ write of size 4 bytes"]);
        let answer = read(RACECHECK, true, 1);
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
            let answer = read(&format!("{TOOL}{line}\n{ENDED}x\n"), true, 1);
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
        let answer = read(&without, true, 1);
        assert_eq!(answer.outcome, Outcome::Failed);
        assert_eq!(answer.said, ["CUDA_ERROR_LAUNCH_FAILED"]);
    }

    #[test]
    fn silence_hanging_and_lateness_are_three_things() {
        assert_eq!(read(SILENT, true, 1).outcome, Outcome::Silent);
        // Of two kernels only one has ended.
        assert_eq!(read(SILENT, false, 2).outcome, Outcome::Hangs);
        assert_eq!(read(SILENT, true, 2).outcome, Outcome::Late);
        let begun = "========= COMPUTE-SANITIZER\n";
        assert_eq!(read(begun, false, 1).outcome, Outcome::Late);
        let refused = format!("{REFUSED}x: ptxas fatal: no\n");
        assert_eq!(read(&refused, true, 1).outcome, Outcome::Refused);
    }
}
