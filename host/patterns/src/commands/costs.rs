//! `patterns bench --checks`: what each check of the simulator costs.
//!
//! The cost is the CPU time of the simulator's benchmark kernels with a check, divided by the time
//! of the same kernels without checks. Runs with and without the check alternate, and the least
//! time of each counts, so a busy host has little influence. A very busy host needs more rounds
//! than the default.

use std::fmt::Display;

use anyhow::{Result, ensure};
use lanewise_sim::Checks;
use serde_json::{Value, json};
use sim_figures::speed::{Bench, Watch};

use super::output::table;

/// Checks that are measured together, and what they are called.
pub(super) struct CheckSet {
    name: String,
    checks: Checks,
}

impl CheckSet {
    /// Some checks together.
    pub(super) fn only(checks: Checks) -> Self {
        let name = checks.to_string();
        Self { name, checks }
    }

    /// Each check of launches by itself, and all of them.
    pub(super) fn each() -> Result<Vec<Self>> {
        let names = ["race", "sync", "memory", "init", "all"];
        let asked = names.into_iter().map(|name| {
            let (name, checks) = (name.to_owned(), name.parse()?);
            Ok(Self { name, checks })
        });
        asked.collect()
    }
}

/// What was measured.
pub(super) struct Costs {
    asked: Vec<CheckSet>,
    /// For each kernel: its name, its seconds unchecked, and its seconds under each check.
    rows: Vec<(&'static str, f64, Vec<f64>)>,
}

impl Costs {
    /// Measures the kernels whose names hold one of these words, or all, in this many rounds.
    pub(super) fn measure(asked: Vec<CheckSet>, only: &[String], rounds: u32) -> Result<Self> {
        let bench = Bench::new()?;
        let wanted = |name: &str| only.is_empty() || only.iter().any(|word| name.contains(word));
        let watched = asked.iter().map(|it| Watch::Only(it.checks));
        let watches: Vec<Watch> = [Watch::Nothing].into_iter().chain(watched).collect();
        let mut rows = Vec::new();
        for program in bench.programs().iter().filter(|it| wanted(it.name)) {
            let seconds = bench.compare(program, &watches, rounds)?;
            rows.push((program.name, seconds[0], seconds[1..].to_vec()));
        }
        let names: Vec<&str> = bench.programs().iter().map(|it| it.name).collect();
        ensure!(
            !rows.is_empty(),
            "no benchmark kernel is called so; there are {}",
            names.join(", ")
        );
        Ok(Self { asked, rows })
    }

    /// One object for each kernel.
    pub(super) fn json(&self) -> Value {
        let rows = self.rows.iter().map(|(name, plain, checked)| {
            let ratios = self.asked.iter().zip(checked);
            let ratios = ratios.map(|(asked, s)| (asked.name.clone(), json!(s / plain)));
            let ratios: serde_json::Map<String, Value> = ratios.collect();
            json!({ "kernel": name, "unchecked_ms": plain * 1e3, "times": ratios })
        });
        rows.collect()
    }
}

impl Display for Costs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.asked.iter().map(|asked| asked.name.as_str());
        let header: Vec<&str> = ["kernel", "unchecked"].into_iter().chain(names).collect();
        let numbers: Vec<usize> = (1..header.len()).collect();
        let mut table = table(&header, &numbers);
        for (name, plain, checked) in &self.rows {
            let ratios = checked.iter().map(|s| format!("{:.1}x", s / plain));
            let first = [(*name).to_owned(), format!("{:.1} ms", plain * 1e3)];
            table.add_row(first.into_iter().chain(ratios));
        }
        write!(f, "{table}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_row_for_each_kernel_that_is_named() {
        let asked = vec![CheckSet::only("race,init".parse().expect("two checks"))];
        let costs = Costs::measure(asked, &["hash".into()], 1).expect("some memory");
        let text = costs.to_string();
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(
            text.contains("race,init") && text.contains("64-bit hash"),
            "{text}"
        );
        let ratio = costs.json()[0]["times"]["race,init"].as_f64();
        assert!(ratio.is_some_and(|ratio| ratio > 0.0), "{ratio:?}");
    }

    #[test]
    fn a_name_that_no_kernel_has_is_an_error_with_those_that_there_are() {
        let asked = CheckSet::each().expect("names of checks");
        let error = Costs::measure(asked, &["nothing".into()], 1)
            .err()
            .expect("no such kernel");
        assert!(error.to_string().contains("transpose 1024"), "{error}");
    }
}
