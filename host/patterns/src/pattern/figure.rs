//! Figures of a run besides its time: the numbers that make a pattern's point.

use std::fmt;

use serde_json::Value;

/// A figure with its name: a column of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The name of the figure, and its unit if it has one: `occupancy, %`.
    pub name: &'static str,
    /// The value of the figure.
    pub value: Value,
}

impl Figure {
    /// Makes a figure from its name and value.
    pub fn new(name: &'static str, value: impl Into<Value>) -> Self {
        Self {
            name,
            value: value.into(),
        }
    }

    /// Makes a figure from a number, rounded to one decimal place.
    pub fn tenths(name: &'static str, value: f64) -> Self {
        Self::new(name, (value * 10.0).round() / 10.0)
    }

    /// Makes a figure from a share of 1, in percent, rounded to one decimal place.
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
