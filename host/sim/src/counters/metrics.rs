//! Metrics: named ratios and counts that are computed from the counters. All tables and programs
//! that show them use these definitions.

use std::fmt;

use super::{Access, Banked, Counters};

/// A number that is computed from the counters of a launch.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Metric {
    /// The name in tables, such as `sectors/load`.
    pub name: &'static str,
    /// The name in the output of programs, such as `sectors_per_load`.
    pub key: &'static str,
    /// The value, or `None` if the divisor is zero: there was no load, or no shared access.
    pub value: Option<f64>,
    /// The format in which the value is printed.
    pub unit: Unit,
}

/// The format in which a metric is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A whole number.
    Count,
    /// A ratio of two counts.
    Ratio,
    /// A fraction of the whole: 1 is printed as `100%`.
    Part,
}

impl fmt::Display for Metric {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.value, self.unit) {
            (None, _) => out.write_str("-"),
            (Some(value), Unit::Count) => write!(out, "{value:.0}"),
            (Some(value), Unit::Ratio) => write!(out, "{value:.2}"),
            (Some(value), Unit::Part) => write!(out, "{:.1}%", value * 100.0),
        }
    }
}

impl Counters {
    /// Returns the metrics, always the same ones in the same order.
    pub fn metrics(&self) -> [Metric; 9] {
        let count = |name, key, value: u64| Metric {
            name,
            key,
            value: Some(value as f64),
            unit: Unit::Count,
        };
        let sectors = |name, key, access: &Access| Metric {
            name,
            key,
            value: (access.requests > 0).then(|| access.sectors_per_request()),
            unit: Unit::Ratio,
        };
        let efficiency = |name, key, access: &Access| Metric {
            name,
            key,
            value: (access.requests > 0).then(|| access.efficiency()),
            unit: Unit::Part,
        };
        let wavefronts = |name, key, banked: &Banked| Metric {
            name,
            key,
            value: (banked.requests > 0).then(|| banked.wavefronts_per_request()),
            unit: Unit::Ratio,
        };
        let branches = self.ptx_branches_uniform + self.ptx_branches_divergent;
        [
            count("instructions", "ptx_instructions", self.ptx_instructions),
            sectors("sectors/load", "sectors_per_load", &self.global_loads),
            efficiency("load efficiency", "load_efficiency", &self.global_loads),
            sectors("sectors/store", "sectors_per_store", &self.global_stores),
            efficiency("store efficiency", "store_efficiency", &self.global_stores),
            wavefronts(
                "wavefronts/shared load",
                "wavefronts_per_shared_load",
                &self.shared_loads,
            ),
            wavefronts(
                "wavefronts/shared store",
                "wavefronts_per_shared_store",
                &self.shared_stores,
            ),
            Metric {
                name: "branch efficiency",
                key: "branch_efficiency",
                value: (branches > 0).then(|| self.ptx_branch_efficiency()),
                unit: Unit::Part,
            },
            count("barriers", "barriers", self.barriers),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_divided_is_a_dash_and_the_rest_a_number() {
        let mut counters = Counters {
            ptx_instructions: 1200,
            barriers: 4,
            ..Counters::default()
        };
        counters.global_loads = Access {
            requests: 2,
            sectors: 64,
            bytes: 256,
            ..Access::default()
        };
        let shown: Vec<String> = counters.metrics().iter().map(Metric::to_string).collect();
        assert_eq!(
            shown,
            ["1200", "32.00", "12.5%", "-", "-", "-", "-", "-", "4"]
        );
    }
}
