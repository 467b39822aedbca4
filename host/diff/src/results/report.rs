//! The result of a session, as JSON: for people, and for the coverage page of the book.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::results::verdict::{Comparison, Verdict};

/// The outcome of a case.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum Outcome {
    /// Both machines ran it.
    Compared(Comparison),
    /// The simulator refuses the instruction by name.
    NotModelled {
        /// The simulator's message.
        why: String,
    },
    /// There is no kernel for it, or the device is too old.
    NotJudged {
        /// The reason why it cannot be judged.
        why: String,
    },
    /// The device's compiler does not accept the kernel.
    Refused {
        /// The compiler's message.
        why: String,
    },
    /// The kernel was expected to end with a fault, and did on both machines with this error.
    SameFault {
        /// The error's name.
        error: String,
    },
    /// The kernel ended with a fault on the simulator.
    SimulatorFaulted {
        /// The report, as a user reads it.
        why: String,
    },
    /// The kernel ended with a fault on the device, or ended the process.
    DeviceFaulted {
        /// The driver's message.
        why: String,
    },
}

impl Outcome {
    /// Returns the name under which it is counted.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Compared(comparison) => match comparison.verdict {
                Verdict::Equal => "equal",
                Verdict::EqualByUse => "equal-by-use",
                Verdict::WithinBound => "within-bound",
                Verdict::NanPayload => "nan-payload",
                Verdict::Departure => "departure",
                Verdict::Differs => "differs",
            },
            Outcome::NotModelled { .. } => "not-modelled",
            Outcome::NotJudged { .. } => "not-judged",
            Outcome::Refused { .. } => "refused",
            Outcome::SameFault { .. } => "same-fault",
            Outcome::SimulatorFaulted { .. } => "simulator-faulted",
            Outcome::DeviceFaulted { .. } => "device-faulted",
        }
    }

    /// Returns whether the machines disagree.
    pub fn is_wrong(&self) -> bool {
        matches!(
            self.name(),
            "differs" | "simulator-faulted" | "device-faulted"
        )
    }
}

/// A case that is listed in the report.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Line {
    /// The instruction as it is written.
    pub instruction: String,
    /// The outcome of the case.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// The outcomes of a whole session on one device.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// The name of the device, as its driver gives it.
    pub device: String,
    /// Its compute capability, such as `9.0`.
    pub compute_capability: String,
    /// The name and version of the driver, as it reports them.
    pub driver: String,
    /// The day, such as `2026-11-21`.
    pub date: String,
    /// The seed of the values.
    pub seed: u64,
    /// The number of threads of each case, and so of its sets of operands.
    pub threads: usize,
    /// The number of cases of each outcome, by section of the ISA.
    pub sections: BTreeMap<String, BTreeMap<String, usize>>,
    /// The reasons why cases were not judged or modelled, and the number of cases for each.
    pub reasons: BTreeMap<String, usize>,
    /// The cases whose bits are not the same.
    pub cases: Vec<Line>,
}

impl Report {
    /// Counts an outcome, and keeps the case if it is to be listed.
    pub fn add(&mut self, case: &Case, outcome: Outcome) {
        let section = self.sections.entry(case.section().to_owned()).or_default();
        *section.entry(outcome.name().to_owned()).or_default() += 1;
        match &outcome {
            Outcome::Compared(Comparison {
                verdict: Verdict::Equal | Verdict::EqualByUse,
                ..
            }) => {}
            Outcome::NotJudged { why } => *self.reasons.entry(why.clone()).or_default() += 1,
            Outcome::NotModelled { .. } | Outcome::SameFault { .. } => {}
            _ => self.cases.push(Line {
                instruction: case.sample.instruction.clone(),
                outcome,
            }),
        }
    }

    /// Returns the number of cases with an outcome.
    pub fn count(&self, outcome: &str) -> usize {
        let sections = self.sections.values();
        sections.filter_map(|section| section.get(outcome)).sum()
    }

    /// Returns whether something was compared and nothing was found wrong.
    pub fn is_good(&self) -> bool {
        self.count("equal") > 0 && !self.cases.iter().any(|line| line.outcome.is_wrong())
    }
}

/// The outcomes in the order of a table.
pub const OUTCOMES: [&str; 12] = [
    "equal",
    "equal-by-use",
    "same-fault",
    "within-bound",
    "nan-payload",
    "departure",
    "differs",
    "simulator-faulted",
    "device-faulted",
    "refused",
    "not-modelled",
    "not-judged",
];
