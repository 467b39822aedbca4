//! The findings of all runs, without repetitions. They are read from the files that the driver
//! writes (its `summary.rs`).

use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// A file that the driver wrote about one process.
#[derive(Deserialize)]
struct Summary {
    kernels: Vec<Kernel>,
    /// Errors of the host, which no kernel caused.
    host: Vec<HostFinding>,
}

#[derive(Deserialize)]
struct Kernel {
    kernel: String,
    launches: u64,
    findings: Vec<HostFinding>,
}

/// The driver's report of a finding, or of a fault, whose kind is CUDA's number.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct HostFinding {
    pub(super) kind: String,
    pub(super) count: u64,
    pub(super) ptx_line: u32,
    pub(super) file: Option<String>,
    pub(super) line: Option<u32>,
    /// The access before, of a race.
    #[serde(default)]
    pub(super) before: Option<Before>,
    pub(super) what: String,
    pub(super) report: String,
}

/// The access before the one that is the finding.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Before {
    pub(super) ptx_line: u32,
    pub(super) file: Option<String>,
    pub(super) line: Option<u32>,
    pub(super) what: Option<String>,
}

/// A finding of one or more runs.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Finding {
    /// The kernel that caused it, or `None` if the host did.
    pub(super) kernel: Option<String>,
    /// The runs that found it.
    pub(super) seeds: Vec<u64>,
    #[serde(flatten)]
    pub(super) found: HostFinding,
}

/// The findings of all runs, without repetitions.
#[derive(Debug, Default, Serialize)]
pub(super) struct Findings {
    /// The number of processes that initialised a driver.
    pub(super) drivers: u64,
    pub(super) launches: u64,
    pub(super) seeds: Vec<u64>,
    pub(super) findings: Vec<Finding>,
}

impl Findings {
    /// Returns whether there are no findings.
    pub(super) fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// Adds the files that the run with this seed wrote to a folder.
    pub(super) fn read(&mut self, folder: &Path, seed: u64) -> Result<()> {
        self.seeds.push(seed);
        let files = std::fs::read_dir(folder)
            .with_context(|| format!("cannot read `{}`", folder.display()))?;
        for file in files {
            let path = file?.path();
            let text = std::fs::read_to_string(&path)
                .with_context(|| format!("cannot read `{}`", path.display()))?;
            self.drivers += 1;
            // The file of a killed process is empty.
            if !text.trim().is_empty() {
                let summary = serde_json::from_str(&text).with_context(|| {
                    format!("`{}` is no summary of the driver's", path.display())
                })?;
                self.add(summary, seed);
            }
        }
        Ok(())
    }

    fn add(&mut self, summary: Summary, seed: u64) {
        for kernel in summary.kernels {
            self.launches += kernel.launches;
            for found in kernel.findings {
                let same = |known: &Finding| {
                    known.kernel.as_ref() == Some(&kernel.kernel)
                        && known.found.kind == found.kind
                        && known.found.ptx_line == found.ptx_line
                };
                self.add_one(Some(&kernel.kernel), found.clone(), seed, same);
            }
        }
        for found in summary.host {
            // Addresses and numbers of allocations may differ between runs.
            let same = |known: &Finding| {
                let it = &known.found;
                known.kernel.is_none()
                    && (&it.kind, &it.what, &it.file, it.line)
                        == (&found.kind, &found.what, &found.file, found.line)
            };
            self.add_one(None, found.clone(), seed, same);
        }
    }

    fn add_one(
        &mut self,
        kernel: Option<&str>,
        found: HostFinding,
        seed: u64,
        same: impl Fn(&Finding) -> bool,
    ) {
        match self.findings.iter_mut().find(|known| same(known)) {
            Some(known) => {
                known.found.count += found.count;
                // A report may contain its schedule, and the shortest report is the
                // easiest to read.
                if found.report.lines().count() < known.found.report.lines().count() {
                    known.found.report = found.report;
                }
                if known.seeds.last() != Some(&seed) {
                    known.seeds.push(seed);
                }
            }
            None => self.findings.push(Finding {
                kernel: kernel.map(str::to_owned),
                seeds: vec![seed],
                found,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(line: u32) -> Summary {
        let text = format!(
            r#"{{"kernels": [{{"kernel": "k", "launches": 2, "findings": [{{"kind": "race", "count": 3, "ptx_line": {line},
                "file": null, "line": null, "what": "race", "report": "race: two threads"}}]}}],
                "host": [{{"kind": "leak", "count": 1, "ptx_line": 0, "file": "a.rs", "line": {line}, "what": "leak",
                "report": "leak"}}]}}"#
        );
        serde_json::from_str(&text).expect("a summary")
    }

    #[test]
    fn of_several_schedules_the_shortest_is_shown() {
        let mut all = Findings::default();
        for (seed, steps) in [(3, 5), (4, 2), (5, 9)] {
            let mut found = summary(7);
            let report = &mut found.kernels[0].findings[0].report;
            *report = format!("a fault with seed {seed}{}", "\n step".repeat(steps));
            all.add(found, seed);
        }
        let report = &all.findings[0].found.report;
        assert!(report.starts_with("a fault with seed 4\n"), "{report}");
        assert_eq!(all.findings[0].seeds, [3, 4, 5]);
    }

    #[test]
    fn the_same_finding_of_two_runs_is_one() {
        let mut all = Findings::default();
        all.add(summary(7), 0);
        all.add(summary(7), 1);
        all.add(summary(9), 1);
        let seeds: Vec<_> = all.findings.iter().map(|it| it.seeds.clone()).collect();
        let twice = vec![0, 1];
        let expected = vec![twice.clone(), twice, vec![1], vec![1]];
        assert_eq!((seeds, all.launches), (expected, 6));
        assert_eq!(all.findings[0].found.count, 6);
        let kernels: Vec<_> = all.findings.iter().map(|it| it.kernel.as_deref()).collect();
        assert_eq!(kernels, [Some("k"), None, Some("k"), None]);
    }
}
