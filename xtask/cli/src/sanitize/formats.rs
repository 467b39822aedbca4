//! The formats of the list of findings: for people, for programs, and for code hosts.

use serde_json::{Value, json};

use super::findings::{Finding, Findings};
use crate::output::number;

/// Returns the text for people: each finding's report with the runs that found it, and a line
/// with the count.
pub(super) fn text(all: &Findings) -> String {
    reports(all) + &count(all)
}

/// Returns the same as Markdown, which GitHub shows on the page of a workflow's run.
pub(super) fn summary(all: &Findings) -> String {
    let reports = match reports(all) {
        none if none.is_empty() => none,
        reports => format!("\n```text\n{}\n```\n", reports.trim_end()),
    };
    format!("### {}\n{reports}", count(all))
}

fn reports(all: &Findings) -> String {
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
    text
}

fn count(all: &Findings) -> String {
    let runs = format!(
        "{} of {}",
        number(all.launches, "launch", "launches"),
        number(all.seeds.len() as u64, "run", "runs")
    );
    match all.findings.len() as u64 {
        0 => format!("lanewise: nothing found in {runs}"),
        count => format!(
            "lanewise: {} in {runs}",
            number(count, "finding", "findings")
        ),
    }
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
    let name = finding.kernel.as_deref();
    let kernel = name.map_or(String::new(), |name| format!("\nkernel `{name}`"));
    let identity = [
        &found.kind,
        name.unwrap_or_default(),
        found.file.as_deref().unwrap_or_default(),
        &found.what,
    ];
    let mut result = json!({
        "ruleId": found.kind,
        "level": "error",
        "message": { "text": format!("{}{kernel}", found.report) },
        // By these a code host knows a finding again whose lines have moved.
        "partialFingerprints": { "lanewise/v1": identity.join("/") },
    });
    // A finding without a source line has no place that a code host could show.
    let Some(place) = place(found.file.as_deref(), found.line) else {
        return result;
    };
    result["locations"] = json!([place]);
    let before = found.before.as_ref();
    if let Some((before, mut at)) =
        before.and_then(|it| Some((it, self::place(it.file.as_deref(), it.line)?)))
    {
        let mut now = place;
        at["message"] = json!({ "text": before.what });
        now["message"] = json!({ "text": found.what });
        let both = json!([{ "location": at }, { "location": now }]);
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": both }] }]);
    }
    result
}

/// Returns a location, if the file and the line are known.
fn place(file: Option<&str>, line: Option<u32>) -> Option<Value> {
    let region = json!({ "startLine": line?.max(1) });
    Some(json!({
        "physicalLocation": { "artifactLocation": { "uri": file? }, "region": region }
    }))
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
    use super::super::findings::{Before, HostFinding};
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
                    before: Some(Before {
                        ptx_line: 7,
                        file: file.map(Into::into),
                        line: file.map(|_| 10),
                        what: Some("the read was at a,b:10".into()),
                    }),
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
    fn a_summary_is_a_heading_and_the_reports() {
        assert_eq!(
            summary(&one(None)),
            "### lanewise: 1 finding in 4 launches of 2 runs\n\n```text\nrace: 100%\n  --> a,b:12\n   = found 2 times with seed 1\n```\n"
        );
        let nothing = Findings {
            launches: 2,
            seeds: vec![0],
            ..Findings::default()
        };
        assert_eq!(
            summary(&nothing),
            "### lanewise: nothing found in 2 launches of 1 run\n"
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
    fn a_race_is_a_flow_from_one_access_to_the_other() {
        let one = sarif(&one(Some("src/kernels.rs")));
        let result = &one["runs"][0]["results"][0];
        let flow = &result["codeFlows"][0]["threadFlows"][0]["locations"];
        let line = |at: usize| &flow[at]["location"]["physicalLocation"]["region"]["startLine"];
        assert_eq!((line(0), line(1)), (&json!(10), &json!(12)));
        assert_eq!(
            flow[0]["location"]["message"]["text"],
            "the read was at a,b:10"
        );
        assert_eq!(
            result["partialFingerprints"]["lanewise/v1"],
            "race/count/src/kernels.rs/race"
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
        let result = &without["runs"][0]["results"][0];
        assert!(result.get("locations").is_none() && result.get("codeFlows").is_none());
    }
}
