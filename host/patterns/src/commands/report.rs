//! How outcomes are printed: a table for people, JSON for programs.

use std::time::Duration;

use anyhow::Result;
use comfy_table::Table;
use host::compare::Agreement;
use host::{Backend, Device, TimeUnit};
use indicatif::ProgressBar;
use patterns::run::{Outcome, Rate};
use patterns::{Expectation, Figure, Setup, Variant};
use serde_json::{Value, json};

use super::output;

/// One line of the report.
pub(crate) struct Line {
    pub(crate) variant: &'static Variant,
    pub(crate) setup: Setup,
    pub(crate) outcome: Result<Outcome>,
}

impl Line {
    /// Runs the variant while a spinner names it. The spinner goes to stderr, and only where that is a terminal. A variant that stops at a smaller size is run at that.
    pub(crate) fn run(device: &Device, variant: &'static Variant, setup: Setup) -> Self {
        let size = variant.most.map_or(setup.size, |most| setup.size.min(most));
        let setup = Setup { size, ..setup };
        let spinner = ProgressBar::new_spinner()
            .with_message(format!("{} at size {}", variant.name, setup.size));
        spinner.enable_steady_tick(Duration::from_millis(100));
        let outcome = patterns::run::run(device, variant, setup);
        spinner.finish_and_clear();
        Self {
            variant,
            setup,
            outcome,
        }
    }

    /// Whether it did what is expected of it. A variant that shows a trap need not agree, but it has to run.
    pub(crate) fn is_good(&self) -> bool {
        match &self.outcome {
            Ok(outcome) => outcome.check.is_ok() || self.variant.expectation != Expectation::Agrees,
            Err(_) => false,
        }
    }

    /// Whether its throughput is one of memory.
    pub(crate) fn has_bandwidth(&self) -> bool {
        let rate = self.outcome.as_ref().ok().and_then(Outcome::rate);
        matches!(rate, Some(Rate::Bandwidth(_)))
    }

    /// A few words for a table's cell.
    fn verdict(&self) -> String {
        let check = match &self.outcome {
            Ok(outcome) => &outcome.check,
            Err(_) => return "did not run".to_owned(),
        };
        match (check, self.variant.expectation) {
            (Ok(Agreement { compared, of, .. }), _) if compared < of => {
                format!("yes ({compared} of {of} compared)")
            }
            (Ok(_), _) => "yes".to_owned(),
            (Err(_), Expectation::Agrees) => "NO".to_owned(),
            (Err(_), Expectation::ShowsTheTrap(why)) => format!("no, as it shows: {why}"),
        }
    }

    /// Why it is not good, at length: too long for a cell.
    fn explanation(&self) -> Option<String> {
        let name = self.variant.name;
        match (&self.outcome, self.is_good()) {
            (Err(error), _) => Some(format!("{name} did not run: {error:#}")),
            (
                Ok(Outcome {
                    check: Err(mismatch),
                    ..
                }),
                false,
            ) => Some(format!("{name}: {mismatch}")),
            (Ok(_), _) => None,
        }
    }

    /// Its figures; none when it did not run.
    fn figures(&self) -> &[Figure] {
        self.outcome
            .as_ref()
            .map_or(&[], |outcome| &outcome.figures)
    }

    fn row(&self) -> [String; 4] {
        let (time, rate) = match &self.outcome {
            Ok(outcome) => (
                outcome.time.to_string(),
                outcome
                    .rate()
                    .map_or("-".to_owned(), |rate| rate.to_string()),
            ),
            Err(_) => ("-".to_owned(), "-".to_owned()),
        };
        let name = match self.variant.most {
            Some(most) if self.setup.size == most => format!("{} (at {most})", self.variant.name),
            _ => self.variant.name.to_owned(),
        };
        [name, self.verdict(), time, rate]
    }

    fn json(&self) -> Value {
        let mut line = json!({
            "variant": self.variant.name, "size": self.setup.size,
            "agrees": self.outcome.as_ref().is_ok_and(|outcome| outcome.check.is_ok()),
            "must_agree": self.variant.expectation == Expectation::Agrees,
            "detail": self.explanation().unwrap_or_else(|| self.verdict()),
        });
        if let Ok(outcome) = &self.outcome {
            line["time_ms"] = json!(outcome.time.get(TimeUnit::Milliseconds));
            match outcome.rate() {
                Some(Rate::Bandwidth(rate)) => line["gb_per_s"] = json!(rate),
                Some(Rate::Arithmetic(rate)) => line["gflop_per_s"] = json!(rate),
                None => {}
            }
        }
        for figure in self.figures() {
            line["figures"][figure.name] = figure.value.clone();
        }
        line
    }
}

/// The table of the lines; under it, what went wrong.
pub(crate) fn say(lines: &[Line], backend: Backend) {
    output::say(table(lines, backend));
    lines
        .iter()
        .filter_map(Line::explanation)
        .for_each(output::say);
}

/// The lines as a table, headed by how the times were come by; the figures of a pattern follow, a column each.
fn table(lines: &[Line], backend: Backend) -> Table {
    let time = format!("time ({})", backend.times());
    let mut heads = vec!["variant", "agrees with the CPU", &time, "throughput"];
    let plain = heads.len();
    for figure in lines.iter().flat_map(Line::figures) {
        if !heads[plain..].contains(&figure.name) {
            heads.push(figure.name);
        }
    }
    let numbers: Vec<usize> = (2..heads.len()).collect();
    let mut table = output::table(&heads, &numbers);
    for line in lines {
        let of = |name: &&str| line.figures().iter().find(|figure| figure.name == *name);
        let figures = heads[plain..]
            .iter()
            .map(|name| of(name).map_or("-".to_owned(), ToString::to_string));
        table.add_row(line.row().into_iter().chain(figures));
    }
    table
}

/// The lines and where they were run, as JSON.
pub(crate) fn json(lines: &[Line], device: &Device) -> Value {
    json!({
        "device": device.properties().name,
        "compute_capability": device.properties().compute_capability.to_string(),
        "backend": device.backend(),
        "times": device.backend().times(),
        "variants": lines.iter().map(Line::json).collect::<Vec<_>>(),
    })
}
