//! The program `algorithms`, as a user runs it.

use std::fs;
use std::process::{Command, Output};

use lanewise_records::Record;
use serde_json::Value;

fn algorithms(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_algorithms"));
    command.args(arguments).output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn json_has_the_time_and_the_rate_of_each_algorithm() {
    let output = algorithms(&["--json", "--log2", "12", "sum", "scan_i3"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let lines = lines.as_array().expect("an array");
    let names: Vec<_> = lines.iter().map(|line| &line["name"]).collect();
    assert_eq!(names, ["sum_i32", "sum_f32", "scan_i32"]);
    for line in lines {
        assert_eq!(line["size"], 4096);
        let rounds = line["milliseconds"].as_array().expect("rounds");
        assert!(
            rounds.len() == 3 && rounds.iter().all(|time| time.as_f64() > Some(0.0)),
            "{line}"
        );
        assert!(
            line["rate"]
                .as_str()
                .is_some_and(|rate| rate.ends_with(" GB/s")),
            "{line}"
        );
        assert_eq!(line["error"], Value::Null);
    }
}

#[test]
fn a_line_fits_a_terminal() {
    let output = algorithms(&["--log2", "12", "histogram_i32", "softmax_4096"]);
    let lines = text(&output.stdout);
    assert_eq!(lines.lines().count(), 2, "{lines}{}", text(&output.stderr));
    assert!(
        lines
            .lines()
            .all(|line| line.len() <= 80 && line.contains(" GB/s")),
        "{lines}"
    );
    let help = text(&algorithms(&["--help"]).stdout);
    assert!(
        help.contains("Examples:") && help.contains("--json"),
        "{help}"
    );
    assert!(help.lines().all(|line| line.len() <= 100), "{help}");
}

#[test]
fn a_name_that_none_begins_with_is_an_error() {
    let output = algorithms(&["shuffle"]);
    assert!(!output.status.success());
    assert_eq!(
        text(&output.stderr).lines().next(),
        Some(
            "Error: no algorithm's name begins with `shuffle` (`algorithms --list` has the names)"
        )
    );
    assert!(text(&algorithms(&["--list"]).stdout).contains("scan_i32\n"));
}

#[test]
fn each_value_of_a_choice_is_measured_and_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("record.json").display().to_string();
    let output = algorithms(&["--log2", "12", "--tune", "sum", "--record", &record]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines = text(&output.stdout);
    let names = lines
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let names: Vec<_> = names.filter(|name| name.starts_with("sum")).collect();
    let values = [2, 4, 8, 16, 32, 64];
    assert_eq!(
        names,
        values.map(|value| format!("sum_f32.blocks({value})"))
    );
    let kept = Record::read(record.as_ref()).expect("a record");
    let kept = kept.sessions[0].rows.iter().map(|row| row.name.as_str());
    assert_eq!(kept.collect::<Vec<_>>(), names);
    let none = algorithms(&["--tune", "scan"]);
    assert!(text(&none.stderr).contains("no algorithm's name begins with `scan`"));
}

#[test]
fn times_are_kept_in_a_record_and_compared_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (record, libraries) = (path("record.json"), path("libraries.txt"));
    let run = |arguments: &[&str]| algorithms(&[&["--log2", "12"], arguments].concat());
    fs::write(&libraries, "sum_i32 0.0036 CUB 3.0\n").expect("it is written");
    let output = run(&[
        "sum",
        "transpose",
        "--record",
        &record,
        "--beside",
        &libraries,
    ]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines = text(&output.stdout);
    let beside: Vec<_> = lines
        .lines()
        .map(|line| line.split(" % of ").nth(1))
        .collect();
    assert!(
        beside[0].is_some_and(|it| it.starts_with("CUB 3.0 ")),
        "{lines}"
    );
    assert!(beside[1].is_none(), "{lines}");
    assert!(
        beside[2].is_some_and(|it| it.starts_with("copy ")),
        "{lines}"
    );
    // The model's times are the same each time.
    let output = run(&["sum", "--compare", &record]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).ends_with("\n2 of 2 the same within noise\n"));
    // What was quicker once is found.
    let mut quicker = Record::read(record.as_ref()).expect("a record");
    quicker.sessions[0].rows[0].milliseconds = vec![0.001];
    quicker.write(record.as_ref()).expect("it is written");
    let output = run(&["sum", "--compare", &record]);
    assert!(!output.status.success());
    let lines = text(&output.stdout);
    assert!(
        lines.contains("\nsum_i32 at size 4096: 0.0036 ms, before 0.0010"),
        "{lines}"
    );
    let output = run(&["scan", "--compare", &record]);
    let expected = format!("Error: `{record}` has nothing of what was measured");
    assert_eq!(text(&output.stderr).lines().next(), Some(expected.as_str()));
    fs::write(&libraries, "sum 0.1 CUB\n").expect("it is written");
    let output = run(&["sum", "--beside", &libraries]);
    let expected = format!(
        "Error: `{libraries}`: expected an algorithm's name, milliseconds and a library, found `sum 0.1 CUB`"
    );
    assert_eq!(text(&output.stderr).lines().next(), Some(expected.as_str()));
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_algorithms"));
    let command = command.arg("--list").stdout(writer);
    let output = command.output().expect("the program runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
}
