//! Figures of a run beside its time: what the notes' tables print for a pattern.

use std::fmt;

use lanewise::counters::Counters;
use serde_json::Value;

/// A figure with its name: a column of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What it is, and its unit where it has one: `occupancy, %`.
    pub name: &'static str,
    /// How much it is, with its unit.
    pub value: Value,
}

impl Figure {
    /// A figure by its name and value.
    pub fn new(name: &'static str, value: impl Into<Value>) -> Self {
        Self {
            name,
            value: value.into(),
        }
    }

    /// A number, to one place.
    pub fn tenths(name: &'static str, value: f64) -> Self {
        Self::new(name, (value * 10.0).round() / 10.0)
    }

    /// A share of 1, in percent to one place.
    pub fn percent(name: &'static str, share: f64) -> Self {
        Self::new(name, (share * 1000.0).round() / 10.0)
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Value::String(text) => out.write_str(text),
            value => write!(out, "{value}"),
        }
    }
}

/// Warp instructions of the PTX and how many branches the lanes of a warp took together.
pub(crate) fn branches(counters: &Counters) -> [Figure; 2] {
    [
        Figure::new("warp instructions", counters.ptx_instructions),
        Figure::percent("branch efficiency, %", counters.ptx_branch_efficiency()),
    ]
}
