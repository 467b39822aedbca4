//! How outcomes are printed: a table for people, JSON for programs.
//!
//! The table of a GPU contains times. The table of the simulator contains counters instead, because
//! its times are bounds, which many variants of a pattern share. On the simulator only a pattern
//! without kernels, which copies, has modelled times in the table.

use std::time::Duration;

use anyhow::Result;
use indicatif::ProgressBar;
use lanewise::checks::{Checking, Finding};
use lanewise::counters::{Counters, Metric, table};
use lanewise::testing::Agreement;
use lanewise::{Backend, Device};
use lanewise_patterns::run::{Library, Outcome, Rate};
use lanewise_patterns::{Expectation, Figure, Pattern, Setup, Variant, Work};
use lanewise_records::{Beside, Row, Unit};
use serde_json::{Value, json};

use super::output;

/// One line of the report.
pub(crate) struct Line {
    pub(crate) variant: &'static Variant,
    pub(crate) setup: Setup,
    pub(crate) outcome: Result<Outcome>,
    /// The findings of the checks; `None` if nothing was checked.
    found: Option<Vec<Finding>>,
}

impl Line {
    /// Runs the variant, with these checks if any, while a spinner shows its name. The spinner is
    /// on stderr, and only if that is a terminal. A variant that is limited to a smaller size is
    /// run at that size.
    pub(crate) fn run(
        device: &Device,
        variant: &'static Variant,
        setup: Setup,
        checking: Option<Checking>,
    ) -> Self {
        let size = variant.most.map_or(setup.size, |most| setup.size.min(most));
        let setup = Setup { size, ..setup };
        let spinner = ProgressBar::new_spinner()
            .with_message(format!("{} at size {}", variant.name, setup.size));
        spinner.enable_steady_tick(Duration::from_millis(100));
        // Findings are printed where they are found, and the other variants still run.
        let guard = checking.map(|checking| checking.report().start());
        let outcome = lanewise_patterns::run::run(device, variant, setup);
        let found = guard.map(|guard| guard.findings());
        spinner.finish_and_clear();
        Self {
            variant,
            setup,
            outcome,
            found: found.filter(|_| device.backend() == Backend::Sim),
        }
    }

    /// Returns whether the variant behaved as expected. A variant that shows a mistake need not
    /// agree with the CPU, and checks may report findings, but it has to run.
    pub(crate) fn is_good(&self) -> bool {
        let clean = self.found.as_ref().is_none_or(Vec::is_empty);
        match &self.outcome {
            Ok(outcome) => {
                let agrees = outcome.check.as_ref().is_none_or(Result::is_ok);
                agrees && clean || self.variant.expectation != Expectation::Agrees
            }
            Err(_) => false,
        }
    }

    /// What was counted, where kernels ran on the simulator.
    fn counters(&self) -> Option<&Counters> {
        let counters = self.outcome.as_ref().ok()?.counters.as_ref()?;
        (counters.ptx_instructions > 0).then_some(counters)
    }

    /// What the checks found, in a few words.
    fn found(&self) -> String {
        match self.found.as_deref() {
            None => "-".to_owned(),
            Some([]) => "nothing".to_owned(),
            Some([one]) => one.kind.to_string(),
            Some([first, rest @ ..]) => format!("{} and {} more", first.kind, rest.len()),
        }
    }

    /// Whether its throughput is one of memory.
    pub(crate) fn has_bandwidth(&self) -> bool {
        let rate = self.outcome.as_ref().ok().and_then(Outcome::rate);
        matches!(rate, Some(Rate::Bandwidth(_)))
    }

    /// Its times as a row of a record; `None` if it did not run or is not right.
    pub(crate) fn row(&self, pattern: &Pattern) -> Option<Row> {
        let outcome = self.outcome.as_ref().ok().filter(|_| self.is_good())?;
        let milliseconds = |rounds: &[Duration]| {
            let rounds = rounds.iter().map(|time| time.as_secs_f64() * 1e3);
            rounds.collect()
        };
        let library = outcome.library.as_ref().and_then(|it| it.as_ref().ok());
        Some(Row {
            name: self.variant.name.to_owned(),
            of: Some(pattern.name.to_owned()),
            size: self.setup.size,
            milliseconds: milliseconds(&outcome.rounds),
            work: match outcome.work {
                Work::Bytes(bytes) => Some((bytes as f64, Unit::Bytes)),
                Work::Flops(flops) => Some((flops as f64, Unit::Flops)),
                Work::Keys(keys) => Some((keys as f64, Unit::Keys)),
                Work::Nothing => None,
            },
            beside: library.map(|library| Beside {
                name: library.name.clone(),
                milliseconds: milliseconds(&library.rounds),
            }),
        })
    }

    /// A few words for a table's cell.
    fn verdict(&self) -> String {
        let check = match &self.outcome {
            Ok(Outcome {
                check: Some(check), ..
            }) => check,
            Ok(_) => return "not compared".to_owned(),
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
                    check: Some(Err(mismatch)),
                    ..
                }),
                false,
            ) => Some(format!("{name}: {mismatch}")),
            (Ok(_), false) => Some(format!("{name}: the checks found {}", self.found())),
            (Ok(_), true) => None,
        }
    }

    /// Its figures; none when it did not run.
    fn figures(&self) -> &[Figure] {
        self.outcome
            .as_ref()
            .map_or(&[], |outcome| &outcome.figures)
    }

    /// Its name and whether it is right.
    fn name_and_verdict(&self) -> [String; 2] {
        let name = match self.variant.most {
            Some(most) if self.setup.size == most => format!("{} (at {most})", self.variant.name),
            _ => self.variant.name.to_owned(),
        };
        [name, self.verdict()]
    }

    /// Its time and throughput.
    fn times(&self) -> [String; 2] {
        match &self.outcome {
            Ok(outcome) => [
                time_text(outcome.time()),
                outcome
                    .rate()
                    .map_or("-".to_owned(), |rate| rate.to_string()),
            ],
            Err(_) => ["-".to_owned(), "-".to_owned()],
        }
    }

    fn json(&self) -> Value {
        // Null where nothing was compared.
        let agrees = match &self.outcome {
            Ok(outcome) => outcome.check.as_ref().map(Result::is_ok),
            Err(_) => Some(false),
        };
        let mut line = json!({
            "variant": self.variant.name, "size": self.setup.size,
            "agrees": agrees,
            "must_agree": self.variant.expectation == Expectation::Agrees,
            "detail": self.explanation().unwrap_or_else(|| self.verdict()),
        });
        if let Ok(outcome) = &self.outcome {
            line["time_ms"] = json!(outcome.time().as_secs_f64() * 1e3);
            rate_json(&mut line, outcome.rate());
            match &outcome.library {
                Some(Ok(library)) => {
                    let mut beside = json!({
                        "name": library.name,
                        "time_ms": library.time().as_secs_f64() * 1e3,
                        "percent": percent(outcome, library),
                    });
                    rate_json(&mut beside, outcome.rate_in(library.time()));
                    line["library"] = beside;
                }
                Some(Err(why)) => line["library"] = json!({ "missing": why }),
                None => {}
            }
        }
        if let Some(counters) = self.counters() {
            for metric in counters.metrics() {
                line["metrics"][metric.key] = json!(metric.value);
            }
            line["counters"] = json!(counters);
        }
        if let Some(found) = &self.found {
            let reports = found.iter().map(ToString::to_string);
            line["findings"] = reports.collect();
        }
        for figure in self.figures() {
            line["figures"][figure.name] = figure.value.clone();
        }
        line
    }
}

/// A rate under the name of its unit.
fn rate_json(line: &mut Value, rate: Option<Rate>) {
    match rate {
        Some(Rate::Bandwidth(rate)) => line["gb_per_s"] = json!(rate),
        Some(Rate::Arithmetic(rate)) => line["gflop_per_s"] = json!(rate),
        Some(Rate::Sorted(rate)) => line["gkeys_per_s"] = json!(rate),
        None => {}
    }
}

/// How fast the variant is, in percent of the library's speed, to one place.
fn percent(outcome: &Outcome, library: &Library) -> f64 {
    let share = library.time().as_secs_f64() / outcome.time().as_secs_f64();
    (share * 1000.0).round() / 10.0
}

/// Returns a time in the unit that suits it.
fn time_text(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s >= 1.0 => format!("{s:.3} s"),
        s if s >= 1e-3 => format!("{:.3} ms", s * 1e3),
        s => format!("{:.2} us", s * 1e6),
    }
}

/// The columns of NVIDIA's libraries, where one ran beside a line.
fn libraries(lines: &[Line]) -> Vec<Column> {
    let beside = |line: &Line| -> Option<[String; 3]> {
        let outcome = line.outcome.as_ref().ok()?;
        let library = outcome.library.as_ref()?.as_ref().ok()?;
        let rate = outcome.rate_in(library.time()).map(|rate| rate.to_string());
        Some([
            library.name.clone(),
            rate.unwrap_or_else(|| time_text(library.time())),
            format!("{:.1}", percent(outcome, library)),
        ])
    };
    let cells: Vec<Option<[String; 3]>> = lines.iter().map(beside).collect();
    if cells.iter().all(Option::is_none) {
        return Vec::new();
    }
    let column = |(at, head): (usize, &str)| {
        let cell = |cells: &Option<[String; 3]>| match cells {
            Some(cells) => cells[at].clone(),
            None => "-".to_owned(),
        };
        (head.to_owned(), cells.iter().map(cell).collect())
    };
    let heads = ["beside", "its throughput", "% of it"];
    heads.into_iter().enumerate().map(column).collect()
}

/// The table of the lines; under it, what went wrong, and which libraries are not there.
pub(crate) fn say(lines: &[Line], backend: Backend) {
    output::say(shown(lines, backend).trim_end());
    lines
        .iter()
        .filter_map(Line::explanation)
        .for_each(output::say);
    let mut missing: Vec<&String> = Vec::new();
    let libraries = lines
        .iter()
        .filter_map(|line| line.outcome.as_ref().ok()?.library.as_ref());
    for why in libraries.filter_map(|library| library.as_ref().err()) {
        if !missing.contains(&why) {
            output::say(format_args!("No library beside: {why}"));
            missing.push(why);
        }
    }
}

/// Whether the lines show times: those of a GPU, and the simulator's where no kernel ran.
pub(crate) fn shows_times(lines: &[Line]) -> bool {
    lines.iter().all(|line| line.counters().is_none())
}

/// A column: its head, and each line's cell.
type Column = (String, Vec<String>);

/// The lines as a table: times, headed by how they were come by, or counters; the figures of
/// a pattern follow.
fn shown(lines: &[Line], backend: Backend) -> String {
    let mut columns: Vec<Column> = ["variant", "agrees"]
        .iter()
        .enumerate()
        .map(|(at, head)| {
            let cells = lines.iter().map(|line| line.name_and_verdict()[at].clone());
            ((*head).to_owned(), cells.collect())
        })
        .collect();
    if lines.iter().any(|line| line.found.is_some()) {
        columns.push(("found".into(), lines.iter().map(Line::found).collect()));
    }
    let texts = columns.len();
    if shows_times(lines) {
        let heads = [format!("time ({})", backend.times()), "throughput".into()];
        for (at, head) in heads.into_iter().enumerate() {
            let cells = lines.iter().map(|line| line.times()[at].clone()).collect();
            columns.push((head, cells));
        }
        columns.extend(libraries(lines));
    } else {
        columns.extend(counted(lines));
    }
    let mut figures: Vec<&str> = Vec::new();
    for figure in lines.iter().flat_map(Line::figures) {
        if !figures.contains(&figure.name) {
            figures.push(figure.name);
        }
    }
    for name in figures {
        let cell = |line: &Line| {
            let figure = line.figures().iter().find(|figure| figure.name == name);
            figure.map_or("-".to_owned(), ToString::to_string)
        };
        columns.push((name.to_owned(), lines.iter().map(cell).collect()));
    }
    let row = |at: usize| columns.iter().map(|(_, cells)| cells[at].clone()).collect();
    let heads = columns.iter().map(|(head, _)| head.clone()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(heads)
        .chain((0..lines.len()).map(row))
        .collect();
    table(&rows, texts)
}

/// The counters as columns.
fn counted(lines: &[Line]) -> Vec<Column> {
    let metrics: Vec<Option<[Metric; _]>> = lines
        .iter()
        .map(|line| Some(line.counters()?.metrics()))
        .collect();
    let column = |(at, head): (usize, Metric)| {
        let cell = |all: &Option<[Metric; _]>| match all {
            Some(all) => all[at].to_string(),
            None => "-".to_owned(),
        };
        (head.name.to_owned(), metrics.iter().map(cell).collect())
    };
    Counters::default()
        .metrics()
        .into_iter()
        .enumerate()
        .map(column)
        .collect()
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
