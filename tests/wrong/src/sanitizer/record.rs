//! What compute-sanitizer said of all cases, as JSON: for the book's page, and for who looks closer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Answer;

/// What was said of a case. A tool that said nothing is not there.
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

/// What was said on one GPU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The device's name.
    pub device: String,
    /// The driver, as it names itself.
    pub driver: String,
    /// compute-sanitizer's version, as it says it.
    pub sanitizer: String,
    /// The day, `2026-11-22`.
    pub date: String,
    /// Seconds that a kernel had.
    pub limit: u64,
    /// Each case by its name: `ptx/race/plain_flag`.
    pub cases: BTreeMap<String, Answers>,
}
