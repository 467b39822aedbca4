//! Tables of counters in the book.
//!
//! A page contains `{{#counters PATTERN OPTIONS -- NAMES}}`. The names of metrics, as
//! `cargo xtask run PATTERN --json` has them, become columns; the names of variants choose rows,
//! and without one there are all. An option with several values, such as `--by 1|2|4`, is run with
//! each. The numbers come from a run on the simulator while the book is built, so no page has
//! numbers that its command does not print.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::markdown;

/// The text in a page before a pattern.
const MARK: &str = "{{#counters ";

/// What a mark asks for.
#[derive(Debug, PartialEq, Eq)]
struct Mark<'a> {
    pattern: &'a str,
    options: Vec<&'a str>,
    /// The option with several values, and the values; else one value of no option.
    sweep: (&'a str, Vec<&'a str>),
    names: Vec<&'a str>,
}

impl<'a> Mark<'a> {
    /// Reads the words of a mark.
    ///
    /// # Errors
    /// If no pattern or no column is named.
    fn parse(words: &'a str) -> Result<Self> {
        let (run, names) = words
            .split_once(" -- ")
            .with_context(|| format!("`{words}` names no metrics after ` -- `"))?;
        let mut run = run.split_whitespace();
        let pattern = run.next().context("counters of no pattern")?;
        let mut options: Vec<&str> = run.collect();
        let mut sweep = ("", vec![""]);
        if let Some(at) = options.iter().position(|word| word.contains('|')) {
            ensure!(at > 0, "`{words}` has several values of no option");
            sweep = (options[at - 1], options[at].split('|').collect());
            options.drain(at - 1..=at);
        }
        Ok(Self {
            pattern,
            options,
            sweep,
            names: names.split_whitespace().collect(),
        })
    }

    /// Returns what a reader types to see the numbers.
    fn command(&self) -> String {
        let (option, values) = &self.sweep;
        let words = ["cargo xtask run", self.pattern]
            .into_iter()
            .chain(self.options.clone());
        let mut command = words.collect::<Vec<_>>().join(" ");
        if !option.is_empty() {
            command += &format!(" {option} {}", values[0]);
        }
        command
    }

    /// Returns the table of one report for each value, in Markdown.
    fn table(&self, reports: &[Value]) -> Result<String> {
        let variants = |report: &Value| report["variants"].as_array().cloned().unwrap_or_default();
        let all: Vec<Value> = reports.iter().flat_map(variants).collect();
        let is_variant = |name: &&&str| all.iter().any(|variant| variant["variant"] == **name);
        let (chosen, columns): (Vec<&str>, Vec<&str>) =
            self.names.iter().partition(|name| is_variant(name));
        ensure!(!columns.is_empty(), "no metric is named");
        let (option, values) = &self.sweep;
        let has_option = !option.is_empty();
        let mut out = String::from("| |");
        if has_option {
            out += &format!(" `{option}` |");
        }
        columns
            .iter()
            .for_each(|key| out += &format!(" {} |", heading(key)));
        out += "\n| --- |";
        out += &" ---: |".repeat(columns.len() + usize::from(has_option));
        for (report, value) in reports.iter().zip(values) {
            for variant in variants(report) {
                let name = variant["variant"].as_str().unwrap_or_default();
                if !chosen.is_empty() && !chosen.contains(&name) {
                    continue;
                }
                out += &format!("\n| `{name}` |");
                if has_option {
                    out += &format!(" {value} |");
                }
                for key in &columns {
                    let metric = variant["metrics"].get(*key);
                    let metric = metric.with_context(|| format!("no metric or variant `{key}`"))?;
                    out += &format!(" {} |", cell(key, metric));
                }
            }
        }
        let among = if has_option { ", and so on," } else { "" };
        out += &format!(
            "\n\n`{}`{among} on the simulator prints these counters.\n",
            self.command()
        );
        Ok(out)
    }
}

/// Returns a page with its tables. `patterns` is the program that runs them.
pub(super) fn inserted(page: &str, patterns: &Path) -> Result<String> {
    replaced(page, &mut |mark| {
        let reports = mark
            .sweep
            .1
            .iter()
            .map(|value| report(patterns, mark, value));
        mark.table(&reports.collect::<Result<Vec<_>>>()?)
    })
}

/// Returns what is wrong with the marks of a page, and the patterns that it names.
pub(super) fn patterns_of(page: &str) -> Result<Vec<String>> {
    let mut patterns = Vec::new();
    replaced(page, &mut |mark| {
        patterns.push(mark.pattern.to_owned());
        Ok(String::new())
    })?;
    Ok(patterns)
}

/// Returns a page with something in the place of each mark.
fn replaced(page: &str, table: &mut impl FnMut(&Mark<'_>) -> Result<String>) -> Result<String> {
    markdown::replaced(page, MARK, &mut |words| {
        let table = Mark::parse(words).and_then(|mark| table(&mark));
        table.with_context(|| format!("no counters for `{words}`"))
    })
}

fn report(patterns: &Path, mark: &Mark<'_>, value: &str) -> Result<Value> {
    let mut command = Command::new(patterns);
    command.args(["run", mark.pattern]).args(&mark.options);
    if !value.is_empty() {
        command.args([mark.sweep.0, value]);
    }
    command.args(["--device", "sim", "--json"]);
    let output = command
        .output()
        .context("`patterns` could not be started")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`patterns run` failed: {said}");
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Returns the name of a metric in tables: `sectors/load` for `sectors_per_load`.
fn heading(key: &str) -> String {
    let name = key.strip_prefix("ptx_").unwrap_or(key);
    name.replace("_per_", "/").replace('_', " ")
}

fn cell(key: &str, value: &Value) -> String {
    match value.as_f64() {
        None => "-".to_owned(),
        Some(value) if key.contains("_per_") => format!("{value:.2}"),
        Some(value) if key.ends_with("efficiency") => format!("{:.1} %", 100.0 * value),
        Some(value) => grouped(value),
    }
}

/// Returns a whole number with commas between groups of three digits.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn metrics_are_columns_and_variants_are_rows() -> Result<()> {
        let variant = |name: &str, sectors: Option<f64>| json!({ "variant": name, "metrics": { "sectors_per_load": sectors, "ptx_instructions": 12345.0, "load_efficiency": 0.125 } });
        let report = json!({ "variants": [variant("a", Some(4.0)), variant("b", None)] });
        let mark = Mark::parse("p --size 64 -- sectors_per_load ptx_instructions load_efficiency")?;
        assert_eq!(
            mark.table(std::slice::from_ref(&report))?,
            "| | sectors/load | instructions | load efficiency |\n| --- | ---: | ---: | ---: |\n\
             | `a` | 4.00 | 12,345 | 12.5 % |\n| `b` | - | 12,345 | 12.5 % |\n\n\
             `cargo xtask run p --size 64` on the simulator prints these counters.\n"
        );
        let mark = Mark::parse("p --by 1|8 -- b sectors_per_load")?;
        assert_eq!(
            mark.table(&[report.clone(), report.clone()])?,
            "| | `--by` | sectors/load |\n| --- | ---: | ---: |\n| `b` | 1 | - |\n| `b` | 8 | - |\n\n\
             `cargo xtask run p --by 1`, and so on, on the simulator prints these counters.\n"
        );
        let error = Mark::parse("p -- wavefronts")?
            .table(&[report])
            .expect_err("it is refused");
        assert_eq!(error.to_string(), "no metric or variant `wavefronts`");
        Ok(())
    }

    #[test]
    fn marks_that_ask_for_nothing_are_refused() {
        for page in [
            "{{#counters p}}",
            "{{#counters p -- a",
            "{{#counters p 1|2 -- a}}",
        ] {
            assert!(patterns_of(page).is_err(), "{page}");
        }
        let page = "T\n{{#counters p --size 2 -- a}}\n";
        assert_eq!(patterns_of(page).ok(), Some(vec!["p".to_owned()]));
    }
}
