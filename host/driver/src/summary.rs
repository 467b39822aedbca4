//! The summary at the end of the program: the kernels that ran, the findings, and the counters.
//!
//! `LANEWISE_SUMMARY=1` prints it on stderr, and `LANEWISE_COUNTERS=FILE` writes it as JSON.
//! `lanewise exec` sets both for the program that it starts. They also work for any other program
//! that uses the simulated driver.

use crate::observe::Observed;
use crate::{settings, stderr, table};
use lanewise_sim::counters::profilers::METRICS;
use lanewise_sim::report::{FaultReport, Place};
use lanewise_sim::{Counters, Fault, Finding};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a summary is requested.
static WANTED: AtomicBool = AtomicBool::new(false);

/// The name of the device's model.
static DEVICE: Mutex<&str> = Mutex::new("no device");

/// The findings in what the host did.
static HOST: Mutex<Vec<Finding>> = Mutex::new(Vec::new());

static KERNELS: Mutex<BTreeMap<String, Sum>> = Mutex::new(BTreeMap::new());

/// The results of all launches of a kernel.
#[derive(Debug, Default)]
struct Sum {
    launches: u64,
    faults: Vec<Fault>,
    counters: Counters,
    /// One finding for each kind and place, with the number of times it was found.
    findings: Vec<Finding>,
}

/// Starts the summary of what runs on a device of this name, if the environment asks for it.
pub(crate) fn begin(device: &'static str) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        *DEVICE.lock() = device;
        let file = settings::counters_file();
        // Reported now, and not after the program has run for an hour.
        if let Some(path) = &file
            && let Err(error) = std::fs::write(path, "")
        {
            stderr::print(format_args!(
                "lanewise: {}: `{}` cannot be written: {error}",
                lanewise_variables::COUNTERS.name,
                path.display()
            ));
        }
        if file.is_some() || settings::summary().unwrap_or_default() {
            WANTED.store(true, Ordering::Relaxed);
        }
    });
}

/// Adds a launch that ran to its end.
pub(crate) fn ran(observed: &Observed) {
    change(&observed.kernel, |sum| {
        sum.counters += observed.counters.unwrap_or_default();
        for finding in &observed.findings {
            let same = |known: &&mut Finding| {
                let (a, b) = (&known.report.place, &finding.report.place);
                known.kind == finding.kind && a.line == b.line
            };
            match sum.findings.iter_mut().find(same) {
                Some(known) => known.count += finding.count,
                None => sum.findings.push(finding.clone()),
            }
        }
    });
}

/// Adds a launch that a fault ended.
pub(crate) fn faulted(kernel: &str, fault: &Fault) {
    change(kernel, |sum| sum.faults.push(fault.clone()));
}

fn change(kernel: &str, add: impl FnOnce(&mut Sum)) {
    if !WANTED.load(Ordering::Relaxed) {
        return;
    }
    let mut kernels = KERNELS.lock();
    let sum = kernels.entry(kernel.to_owned()).or_default();
    sum.launches += 1;
    add(sum);
}

/// Adds a finding in what the host did.
pub(crate) fn found_on_host(finding: Finding) {
    if WANTED.load(Ordering::Relaxed) {
        HOST.lock().push(finding);
    }
}

/// Returns the summary of what has run so far, as JSON.
pub(crate) fn so_far() -> String {
    format!("{:#}\n", document(&KERNELS.lock(), &HOST.lock()))
}

/// Prints and writes the summary at the end of the process.
pub(crate) fn end() {
    if !WANTED.swap(false, Ordering::Relaxed) {
        return;
    }
    let kernels = std::mem::take(&mut *KERNELS.lock());
    let host = std::mem::take(&mut *HOST.lock());
    if settings::summary().unwrap_or_default() {
        stderr::print(format_args!("{}", text(&kernels, &host).trim_end()));
    }
    if let Some(path) = settings::counters_file()
        && let Err(error) = std::fs::write(&path, format!("{:#}\n", document(&kernels, &host)))
    {
        stderr::print(format_args!(
            "lanewise: the counters cannot be written to `{}`: {error}",
            path.display()
        ));
    }
}

/// Returns the summary for people: a line about the run, a table of kernels, a line
/// for each finding.
fn text(kernels: &BTreeMap<String, Sum>, host: &[Finding]) -> String {
    let launches = settings::launches();
    let all: u64 = kernels.values().map(|sum| sum.launches).sum();
    let checks = match launches.checks.to_string() {
        none if none.is_empty() => "none".to_owned(),
        some => some,
    };
    let mut text = format!(
        "lanewise: {} of {} on a simulated {}, seed {}, checks: {checks}\n",
        number(all, "launch", "launches"),
        number(kernels.len() as u64, "kernel", "kernels"),
        DEVICE.lock(),
        launches.seed
    );
    let mut rows = vec![heads()];
    rows.extend(kernels.iter().map(|(name, sum)| row(name, sum)));
    if !kernels.is_empty() {
        for line in table(&rows, 1).lines() {
            text += &format!("  {line}\n");
        }
    }
    let found = kernels.values().flat_map(|sum| &sum.findings).chain(host);
    let found: Vec<&Finding> = found.collect();
    if !launches.checks.to_string().is_empty() {
        text += &match found.len() as u64 {
            0 => "lanewise: the checks found nothing\n".to_owned(),
            places => format!(
                "lanewise: the checks found something at {}\n",
                number(places, "place", "places")
            ),
        };
    }
    for finding in found {
        let place = &finding.report.place;
        let at = match &place.source {
            Some(source) => format!("{}:{}", source.file, source.line),
            None if place.kernel.is_empty() => "the host".to_owned(),
            None => format!("ptx line {}", place.line),
        };
        let kernel = match &*place.kernel {
            "" => String::new(),
            kernel => format!(" in `{kernel}`"),
        };
        text += &format!(
            "  {}{kernel} at {at}, {}\n",
            finding.kind,
            number(finding.count, "time", "times")
        );
    }
    text
}

fn number(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn heads() -> Vec<String> {
    let metrics = Counters::default().metrics();
    let fixed = ["kernel", "launches", "faults", "findings"].map(str::to_owned);
    fixed
        .into_iter()
        .chain(metrics.iter().map(|metric| metric.name.to_owned()))
        .collect()
}

fn row(name: &str, sum: &Sum) -> Vec<String> {
    let numbers = [
        sum.launches,
        sum.faults.len() as u64,
        sum.findings.len() as u64,
    ]
    .map(|n| n.to_string());
    let metrics = sum.counters.metrics().map(|metric| metric.to_string());
    std::iter::once(name.to_owned())
        .chain(numbers)
        .chain(metrics)
        .collect()
}

/// Returns the summary for programs, as JSON.
fn document(kernels: &BTreeMap<String, Sum>, host: &[Finding]) -> Value {
    let launches = settings::launches();
    let kernels: Vec<Value> = kernels
        .iter()
        .map(|(name, sum)| kernel(name, sum))
        .collect();
    json!({
        "device": *DEVICE.lock(),
        "seed": launches.seed,
        "checks": launches.checks.to_string(),
        "kernels": kernels,
        "host": host.iter().map(finding).collect::<Vec<Value>>(),
    })
}

fn finding(finding: &Finding) -> Value {
    found(&finding.kind.to_string(), finding.count, &finding.report)
}

fn kernel(name: &str, sum: &Sum) -> Value {
    let metrics = sum.counters.metrics();
    let metrics: Map<String, Value> = metrics
        .iter()
        .map(|metric| (metric.key.to_owned(), json!(metric.value)))
        .collect();
    let profilers = METRICS
        .iter()
        .map(|row| (row.ncu.to_owned(), json!(row.value(&sum.counters))));
    let profilers: Map<String, Value> = profilers.collect();
    let findings: Vec<Value> = sum
        .findings
        .iter()
        .map(finding)
        .chain(sum.faults.iter().filter_map(|fault| {
            let kind = format!("error {}", fault.code());
            Some(found(&kind, 1, fault.report()?))
        }))
        .collect();
    json!({
        "kernel": name, "launches": sum.launches, "faults": sum.faults.len(),
        "metrics": metrics, "ncu": profilers, "counters": sum.counters, "findings": findings,
    })
}

/// Returns a finding of the checks as JSON, or a fault. A fault is a finding of the checks that
/// are always on.
fn found(kind: &str, count: u64, report: &FaultReport) -> Value {
    let file = |place: &Place| Some(place.source.as_ref()?.file.clone());
    let line = |place: &Place| Some(place.source.as_ref()?.line);
    // Of a race, the first note says what the access before was.
    let before = report.before.as_deref().map(|place| {
        json!({
            "ptx_line": place.line, "file": file(place), "line": line(place), "what": report.notes.first(),
        })
    });
    json!({
        "kind": kind,
        "count": count,
        "ptx_line": report.place.line,
        "file": file(&report.place),
        "line": line(&report.place),
        "before": before,
        "what": report.what,
        "report": report.to_string(),
    })
}
