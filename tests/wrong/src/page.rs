//! The book's page: which tool finds which case, from the records of GPUs and from the reports
//! beside the cases.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::case::{Case, Language};
use crate::sanitizer::{Answer, Answers, Outcome, Record, TOOLS};

const HEAD: &str = "\
# Compared with compute-sanitizer

The [library of wrong kernels](checks.md#the-library-of-wrong-kernels), case by case: what the simulator's checks report, and which of
compute-sanitizer's tools find the mistake on a GPU. Both run the same PTX. `cargo xtask diff-sanitizer --out FILE` runs the cases on a machine
with a GPU and compute-sanitizer, each kernel once under each tool, with the tools' defaults. `LANEWISE_BLESS=1 cargo test --test page` makes
this page from the recorded results (`tests/wrong/results`) and from the reports beside the cases.
";

const LEGEND: &str = "\
*found*: the tool reports something in the kernel. *error*: a driver call fails, which a program sees without any tool, and the tool names nothing in the kernel.
*hangs*: the kernel was still running when its time was over. *not compiled*: ptxas or the driver's compiler refuses it. A dash: nothing was reported. *?*: the case was not run, or not launched in time.
";

/// The checks in the page's order.
const CHECKS: [&str; 6] = ["memory", "race", "init", "sync", "progress", "leak"];

/// The page, with what was recorded on GPUs.
///
/// If a case has no report beside it.
/// When a case has no report beside it.
pub fn page(records: &[Record]) -> std::io::Result<String> {
    let mut page = HEAD.to_owned();
    for record in records {
        summary(&mut page, record);
        twins(&mut page, record);
    }
    if !records.is_empty() {
        let _ = write!(page, "\n{LEGEND}");
    }
    for check in CHECKS {
        table(&mut page, check, records)?;
    }
    Ok(page)
}

/// The number of cases of each check that each tool finds.
fn summary(page: &mut String, record: &Record) {
    let _ = write!(
        page,
        "\n## {}, {}\n\nDriver: {}. compute-sanitizer: {}. Each kernel had {} s.\n\n| wrong kernels | number |",
        record.device,
        record.date,
        record.driver.trim(),
        record.sanitizer.trim(),
        record.limit
    );
    for tool in &TOOLS {
        let _ = write!(page, " {tool} |");
    }
    page.push_str(" any of the four | none, but an error or a hang | simulator |\n| --- |");
    page.push_str(&" ---: |".repeat(TOOLS.len() + 4));
    page.push('\n');
    let mut row = |title: &str, of: &[&Answers]| {
        let count = |has: &dyn Fn(&Answers) -> bool| of.iter().filter(|it| has(it)).count();
        let found = |answers: &Answers, tool: &str| outcome(answers, tool) == Outcome::Found;
        let any = |answers: &Answers| TOOLS.iter().any(|tool| found(answers, tool));
        let loud = |answers: &Answers| {
            let outcomes = answers.wrong.values().map(|answer| answer.outcome);
            !any(answers)
                && outcomes
                    .into_iter()
                    .any(|it| !matches!(it, Outcome::Late | Outcome::Silent))
        };
        let _ = write!(page, "| {title} | {} |", of.len());
        for tool in &TOOLS {
            let _ = write!(page, " {} |", count(&|answers| found(answers, tool)));
        }
        // Each case has a report beside it, and the tests check that the simulator finds every one.
        let _ = writeln!(page, " {} | {} | {} |", count(&any), count(&loud), of.len());
    };
    let cases = |check: Option<&str>| -> Vec<&Answers> {
        let of = Case::all().filter(|case| check.is_none_or(|check| case.check == check));
        of.filter_map(|case| record.cases.get(&case.id())).collect()
    };
    for check in CHECKS {
        row(check, &cases(Some(check)));
    }
    row("all", &cases(None));
}

/// What the tools reported for right twins.
fn twins(page: &mut String, record: &Record) {
    let mut said: BTreeMap<&str, Vec<(String, &Answer)>> = BTreeMap::new();
    for (name, answers) in &record.cases {
        let loud = answers.right.iter();
        for (tool, answer) in loud.filter(|(_, answer)| answer.outcome != Outcome::Silent) {
            let about = format!("`{name}`");
            said.entry(tool).or_default().push((about, answer));
        }
    }
    let _ = writeln!(
        page,
        "\nFor {} right twins compute-sanitizer reports something; the simulator reports nothing for all {}.\n",
        said.iter()
            .filter(|(tool, _)| **tool != "none")
            .map(|(_, of)| of.len())
            .sum::<usize>(),
        record.cases.len()
    );
    for (tool, of) in said {
        for (name, answer) in of {
            let text = answer.said.first().map(String::as_str).unwrap_or_default();
            let _ = writeln!(
                page,
                "- {name}, {tool}: {} {}",
                word(answer.outcome),
                cell(text)
            );
        }
    }
}

/// The cases of a check.
fn table(page: &mut String, check: &str, records: &[Record]) -> std::io::Result<()> {
    let _ = write!(page, "\n## {check}\n\n| case | what is wrong | simulator |");
    for _ in records {
        for tool in &TOOLS {
            let _ = write!(page, " {tool} |");
        }
    }
    page.push_str("\n| --- | --- | --- |");
    page.push_str(&" --- |".repeat(records.len() * TOOLS.len()));
    page.push('\n');
    for case in Case::all().filter(|case| case.check == check) {
        let name = case.name.replace('_', " ");
        let name = match case.language {
            Language::Ptx => name,
            Language::Rust => format!("{name} (Rust)"),
            Language::Host => format!("{name} (host)"),
        };
        let _ = write!(
            page,
            "| {name} | {} | {} |",
            cell(case.says()),
            cell(&case.finding()?)
        );
        for record in records {
            for tool in TOOLS {
                let answers = record.cases.get(&case.id());
                let outcome = answers.map_or(Outcome::Late, |answers| outcome(answers, tool));
                let _ = write!(page, " {} |", word(outcome));
            }
        }
        page.push('\n');
    }
    Ok(())
}

/// Returns the result of a tool for the wrong kernel.
fn outcome(answers: &Answers, tool: &str) -> Outcome {
    let answer = answers.wrong.get(tool);
    answer.map_or(Outcome::Late, |answer| answer.outcome)
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Silent => "-",
        Outcome::Found => "found",
        Outcome::Failed => "error",
        Outcome::Hangs => "hangs",
        Outcome::Refused => "not compiled",
        Outcome::Late => "?",
    }
}

/// A text as a table's cell: a bar would end it, and brackets would be a link.
fn cell(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    text.replace('|', "\\|")
        .replace('<', "&lt;")
        .replace('[', "\\[")
}
