//! The results of compute-sanitizer for all cases, as JSON: for the book's page, and for readers
//! who want details.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Answer, Outcome};
use crate::case::Variant;

/// The results of a case. A tool under which it did not run is missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    /// What is wrong with the case, in its own words.
    pub says: String,
    /// Of the wrong kernel, by tool.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub wrong: BTreeMap<String, Answer>,
    /// Of its right twin.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub right: BTreeMap<String, Answer>,
}

impl Answers {
    /// Of one of its kernels.
    pub fn of(&self, part: Variant) -> &BTreeMap<String, Answer> {
        match part {
            Variant::Wrong => &self.wrong,
            Variant::Right => &self.right,
        }
    }
}

/// The results on one GPU.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The device's name.
    pub device: String,
    /// The driver, as it names itself.
    pub driver: String,
    /// compute-sanitizer's version, as it says it.
    pub sanitizer: String,
    /// The day, `2026-11-22`.
    pub date: String,
    /// The time limit of a kernel, in seconds.
    pub limit: u64,
    /// Each case by its name: `ptx/race/plain_flag`.
    pub cases: BTreeMap<String, Answers>,
}

impl Record {
    /// Returns whether the result of a tool for a kernel is known.
    pub(super) fn knows(&self, case: &str, part: Variant, tool: &str) -> bool {
        let answers = self.cases.get(case).map(|answers| answers.of(part));
        let answer = answers.and_then(|by| by.get(tool));
        answer.is_some_and(|answer| answer.outcome != Outcome::Late)
    }

    /// Adds what a tool made of one.
    pub(super) fn add(&mut self, case: &str, part: Variant, tool: &str, answer: Answer) {
        let answers = self.cases.entry(case.to_owned()).or_default();
        let by = match part {
            Variant::Wrong => &mut answers.wrong,
            Variant::Right => &mut answers.right,
        };
        by.insert(tool.to_owned(), answer);
    }
}
