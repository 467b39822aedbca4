//! The coverage page of the book: every row of the table, whether the simulator runs it, and the
//! results of GPUs.

use std::collections::BTreeMap;
use std::fmt::Write;

use lanewise_sim::isa::{Section, pattern};
use sim_figures::coverage::{Coverage, coverage};

use crate::results::report::{OUTCOMES, Outcome, Report};

const HEAD: &str = "\
# Instructions

The instructions that the simulated GPU knows, row by row of its table, which follows chapter 9.7 of the PTX ISA. Modifiers may stand in any
order that ptxas takes. A kernel that reaches an instruction which is not run is refused when it is asked for or launched, with the
instruction's name and line; the other kernels of its module run. PTX of a version after the newest that is known loads with a warning. Made
from the table by `LANEWISE_BLESS=1 cargo test -p lanewise-diff`.
";

const NOTATION: &str = "\
## Notation

Modifiers are written in order and without their dots: `add FRND? ftz? f32` is `add.f32`, `add.rn.ftz.f32` and so on. `?` may be left out, `|`
separates alternatives, `a.b` is two modifiers in a row, `*` is anything. Names in capitals are sets:
";

/// Returns the page, with the results that were recorded on GPUs.
pub fn page(recorded: &[Report]) -> String {
    let rows = coverage();
    let mut page = HEAD.to_owned();
    summary(&mut page, &rows);
    assembled(&mut page);
    for report in recorded {
        judged(&mut page, report);
    }
    for (section, rows) in by_section(&rows) {
        let _ = write!(
            page,
            "\n## {}\n\n| instruction | PTX | GPU | simulated |\n| --- | --- | --- | --- |\n",
            section.title()
        );
        for coverage in rows {
            line(&mut page, coverage);
        }
    }
    let _ = write!(page, "\n{NOTATION}\n");
    for (name, words) in pattern::SETS {
        let _ = writeln!(page, "- `{name}`: `{}`", words.replace('|', "`, `"));
    }
    page
}

/// The number of instances that NVIDIA's assembler and the loader accept, and the differences
/// between them. The sim's test `ptxas` writes this file.
const ASSEMBLED: &str = include_str!("../../../sim/tests/ptxas/differences.txt");

fn assembled(page: &mut String) {
    let mut lines = ASSEMBLED.lines().filter(|line| !line.is_empty());
    let title = lines.next().unwrap_or_default().trim_start_matches("# ");
    let _ = write!(
        page,
        "\n## {title}\n\nptxas was asked about every combination of modifiers of every row, and about instances that differ from a right one by a \
         word moved, left out or added. `LANEWISE_PTXAS=.../ptxas cargo test -p sim-tests --test ptxas` asks again; it takes some minutes, and asks also \
         which targets have what.\n"
    );
    for line in lines {
        let text = line.trim_start_matches("### ");
        let _ = match line.split_once(' ') {
            Some(("##", counts)) => writeln!(page, "\nOf {counts}."),
            Some(("###", _)) => writeln!(page, "\nWhat {text} takes:\n"),
            Some(("-", _)) => writeln!(page, "{line}"),
            _ => writeln!(page, "- `{line}`"),
        };
    }
}

/// Returns the sections in the order of the ISA, with their rows.
fn by_section(rows: &[Coverage]) -> Vec<(Section, Vec<&Coverage>)> {
    let mut sections: Vec<Section> = rows.iter().map(|coverage| coverage.row.section).collect();
    sections.sort();
    sections.dedup();
    sections
        .into_iter()
        .map(|section| {
            let of = rows
                .iter()
                .filter(|coverage| coverage.row.section == section);
            (section, of.collect())
        })
        .collect()
}

/// Writes the summary. Instances are counted: a row has one for each alternative of each
/// of its modifiers.
fn summary(page: &mut String, rows: &[Coverage]) {
    page.push_str(
        "\n| section | instances | simulated | refused by name |\n| --- | ---: | ---: | ---: |\n",
    );
    let mut line = |title: &str, rows: &[&Coverage]| {
        let sum = |of: fn(&Coverage) -> usize| rows.iter().map(|c| of(c)).sum::<usize>();
        let _ = writeln!(
            page,
            "| {title} | {} | {} | {} |",
            sum(|c| c.samples),
            sum(|c| c.modelled),
            sum(|c| if c.row.refused.is_some() {
                c.samples
            } else {
                0
            }),
        );
    };
    for (section, rows) in by_section(rows) {
        line(section.title(), &rows);
    }
    line("all", &rows.iter().collect::<Vec<_>>());
}

/// Writes the results of one device.
fn judged(page: &mut String, report: &Report) {
    let _ = write!(
        page,
        "\n## Compared with a {}\n\nOn {}, by `patterns diff --seed {}`: {} sets of random and edge operands for each \
         instance, on the GPU and on the simulator. Driver: {}.\n\n| section |",
        report.device, report.date, report.seed, report.threads, report.driver
    );
    let seen: Vec<&str> = OUTCOMES
        .into_iter()
        .filter(|outcome| report.count(outcome) > 0)
        .collect();
    for outcome in &seen {
        let _ = write!(page, " {} |", outcome.replace('-', " "));
    }
    let _ = writeln!(page, "\n| --- |{}", " ---: |".repeat(seen.len()));
    let mut sections: Vec<_> = report.sections.iter().collect();
    // "9.7.10" comes after "9.7.9".
    sections.sort_by_key(|(title, _)| {
        let number = title.split_whitespace().next().unwrap_or_default();
        let parts = number.split('.');
        parts
            .map(|part| part.parse().unwrap_or(0))
            .collect::<Vec<u32>>()
    });
    for (title, counts) in sections {
        let _ = write!(page, "| {title} |");
        for outcome in &seen {
            let _ = write!(
                page,
                " {} |",
                counts.get(*outcome).copied().unwrap_or_default()
            );
        }
        page.push('\n');
    }
    let _ = write!(page, "| all |");
    for outcome in &seen {
        let _ = write!(page, " {} |", report.count(outcome));
    }
    page.push('\n');
    page.push_str(
        "\n*Within bound*: as near as the ISA asks of an approximation. *NaN payload*: a NaN on both, with other bits. *Not judged*: no kernel \
         of a single instruction can show it, or the GPU is too old for it.\n",
    );
    if seen.contains(&"departure") {
        page.push_str(
            "\n*Departure*: scalar video instructions, which GPUs since sm_70 do not have and ptxas replaces. In some of their forms its code does not do \
             what the ISA says; the simulator does. `departs` in `host/diff/src/results/allowance.rs` lists them.\n",
        );
    }
    if seen.contains(&"equal-by-use") {
        page.push_str(
            "\n*Equal by use*: the result is the machine's own business (an address, a stack pointer, a clock); what a program can do with it is the \
             same. *Same fault*: it is to end the kernel, and does so with the same error.\n",
        );
    }
    if !report.reasons.is_empty() {
        page.push_str("\nNot judged, and why:\n\n");
        for (why, count) in &report.reasons {
            let _ = writeln!(page, "- {count}: {why}");
        }
    }
    let refused = refused(report);
    if !refused.is_empty() {
        page.push_str("\nRefused by the GPU's driver:\n\n");
        for (why, instructions) in refused {
            let _ = writeln!(
                page,
                "- {}: {why}, as `{}`",
                instructions.len(),
                instructions[0]
            );
        }
    }
    let wrong: Vec<_> = report
        .cases
        .iter()
        .filter(|line| line.outcome.is_wrong())
        .collect();
    if !wrong.is_empty() {
        page.push_str("\nThese differ:\n\n");
        for line in wrong {
            let _ = write!(
                page,
                "- `{}`: {}",
                line.instruction,
                line.outcome.name().replace('-', " ")
            );
            let known = KNOWN
                .iter()
                .find(|(start, _)| line.instruction.starts_with(start));
            let _ = match known {
                Some((_, why)) => writeln!(page, ". {why}"),
                None => writeln!(page),
            };
        }
    }
}

/// Known reasons for differences, by the beginning of the instruction.
const KNOWN: [(&str, &str); 7] = [
    (
        "ld.param::func.b128",
        "The caller stores 16 bytes by one `st.param.b128`; the upper eight are zeros on the GPU, for a reason that is not known.",
    ),
    ("tex.acube", EDGE),
    ("tex.cube.v2.f16x2", EDGE),
    ("tex.base.cube.v2.f16x2", EDGE),
    ("tex.level.cube.v2.f16x2", EDGE),
    ("tex.grad.cube", GRADIENTS),
    ("tex.grad.acube", GRADIENTS),
];

const EDGE: &str = "The GPU multiplies a direction by an approximate reciprocal; where that is not the nearest number, a place may be by a 256th of a texel elsewhere.";
const GRADIENTS: &str = "Levels by gradients are as the GPU's to within three 256ths (by differences on the unfolded cube); next to where it changes levels another one may be read.";

/// Returns the instructions that the device's driver refused, by the last line of its message,
/// which contains the reason.
fn refused(report: &Report) -> BTreeMap<&str, Vec<&str>> {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in &report.cases {
        if let Outcome::Refused { why } = &line.outcome {
            let why = why.lines().next_back().unwrap_or(why).trim();
            reasons.entry(why).or_default().push(&line.instruction);
        }
    }
    reasons
}

/// Writes a row. A bar would end the cell even inside code.
fn line(page: &mut String, coverage: &Coverage) {
    let row = coverage.row;
    let modifiers = row.modifiers.replace('|', "\\|");
    let simulated = match (&coverage.missing, row.refused) {
        (_, Some(why)) => format!("refused: {why}"),
        (None, None) => "yes".to_owned(),
        (Some((instruction, _)), None) if coverage.modelled == 0 => {
            format!(
                "*no*, as `{}`",
                instruction.split(' ').next().unwrap_or_default()
            )
        }
        (Some((instruction, _)), None) => format!(
            "{} of {}, not `{}`",
            coverage.modelled,
            coverage.samples,
            instruction.split(' ').next().unwrap_or_default()
        ),
    };
    let mut target = if row.target.sm == 0 {
        String::new()
    } else {
        row.target.to_string()
    };
    if let Some((_, sm)) = row.gone {
        let _ = write!(target, " up to before sm_{sm}");
    }
    let _ = writeln!(
        page,
        "| `{}` | {}.{} | {} | {simulated} |",
        format!("{} {modifiers}", row.opcode.name()).trim_end(),
        row.since.0,
        row.since.1,
        target.trim_start()
    );
}
