//! The formats of the list of findings: for people, for programs, and for code hosts.

use serde_json::{Value, json};

use super::findings::{Finding, Findings};
use crate::output::number;

/// Returns the text for people: each finding's report with the runs that found it, and a line
/// with the count.
pub(super) fn text(all: &Findings) -> String {
    let mut text = String::new();
    for finding in &all.findings {
        let seeds: Vec<String> = finding.seeds.iter().map(u64::to_string).collect();
        text += &format!(
            "{}\n   = found {} with {} {}\n\n",
            finding.found.report,
            number(finding.found.count, "time", "times"),
            if seeds.len() == 1 { "seed" } else { "seeds" },
            seeds.join(", ")
        );
    }
    let runs = format!(
        "{} of {}",
        number(all.launches, "launch", "launches"),
        number(all.seeds.len() as u64, "run", "runs")
    );
    match all.findings.len() as u64 {
        0 => text += &format!("lanewise: nothing found in {runs}"),
        count => {
            text += &format!(
                "lanewise: {} in {runs}",
                number(count, "finding", "findings")
            )
        }
    }
    text
}

/// Returns the list in the Static Analysis Results Interchange Format, version 2.1.0, with the
/// fields that code hosts read.
pub(super) fn sarif(all: &Findings) -> Value {
    let results: Vec<Value> = all.findings.iter().map(result).collect();
    let mut kinds: Vec<&str> = all.findings.iter().map(|it| &*it.found.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let rules: Vec<Value> = kinds.iter().map(|kind| json!({ "id": kind })).collect();
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "lanewise", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "results": results,
        }],
    })
}

fn result(finding: &Finding) -> Value {
    let found = &finding.found;
    let kernel = finding.kernel.as_ref();
    let kernel = kernel.map_or(String::new(), |kernel| format!("\nkernel `{kernel}`"));
    let mut result = json!({
        "ruleId": found.kind,
        "level": "error",
        "message": { "text": format!("{}{kernel}", found.report) },
    });
    // A finding without a source line has no place that a code host could show.
    if let (Some(file), Some(line)) = (&found.file, found.line) {
        result["locations"] = json!([{
            "physicalLocation": { "artifactLocation": { "uri": file }, "region": { "startLine": line.max(1) } }
        }]);
    }
    result
}

/// Returns annotations for GitHub's workflows: one command per line, with its properties and
/// its text escaped.
pub(super) fn github(all: &Findings) -> Vec<String> {
    all.findings
        .iter()
        .map(|finding| {
            let found = &finding.found;
            let title = match &finding.kernel {
                Some(kernel) => format!("{} in {kernel}", found.kind),
                None => found.kind.clone(),
            };
            let mut properties = format!("title={}", property(&title));
            if let (Some(file), Some(line)) = (&found.file, found.line) {
                properties = format!("file={},line={line},{properties}", property(file));
            }
            format!("::error {properties}::{}", data(&found.report))
        })
        .collect()
}

/// Escapes the text of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes the value of a command's property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::findings::HostFinding;
    use super::*;

    fn one(file: Option<&str>) -> Findings {
        Findings {
            drivers: 1,
            launches: 4,
            seeds: vec![0, 1],
            findings: vec![Finding {
                kernel: Some("count".into()),
                seeds: vec![1],
                found: HostFinding {
                    kind: "race".into(),
                    count: 2,
                    ptx_line: 9,
                    file: file.map(Into::into),
                    line: file.map(|_| 12),
                    what: "race".into(),
                    report: "race: 100%\n  --> a,b:12".into(),
                },
            }],
        }
    }

    #[test]
    fn people_see_the_report_and_its_seeds() {
        assert_eq!(
            text(&one(None)),
            "race: 100%\n  --> a,b:12\n   = found 2 times with seed 1\n\nlanewise: 1 finding in 4 launches of 2 runs"
        );
        let mut both = one(None);
        both.findings[0].seeds = vec![0, 1];
        assert!(text(&both).contains("found 2 times with seeds 0, 1\n"));
        let nothing = Findings {
            launches: 1,
            seeds: vec![0],
            ..Findings::default()
        };
        assert_eq!(
            text(&nothing),
            "lanewise: nothing found in 1 launch of 1 run"
        );
    }

    #[test]
    fn an_annotation_is_one_line_and_its_commas_are_no_separators() {
        assert_eq!(
            github(&one(Some("a,b"))),
            ["::error file=a%2Cb,line=12,title=race in count::race: 100%25%0A  --> a,b:12"]
        );
    }

    #[test]
    fn a_result_without_a_line_has_no_location() {
        let with = sarif(&one(Some("src/kernels.rs")));
        let result = &with["runs"][0]["results"][0];
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "src/kernels.rs");
        assert_eq!(place["region"]["startLine"], 12);
        assert_eq!(with["runs"][0]["tool"]["driver"]["rules"][0]["id"], "race");
        let without = sarif(&one(None));
        assert!(without["runs"][0]["results"][0].get("locations").is_none());
    }
}
