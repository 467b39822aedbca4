//! The program `algorithms`, as a user runs it.

use std::process::{Command, Output};

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
    let output = algorithms(&["--json", "--log2", "12", "sum", "scan"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let lines = lines.as_array().expect("an array");
    let names: Vec<_> = lines.iter().map(|line| &line["name"]).collect();
    assert_eq!(names, ["sum_i32", "sum_f32", "scan_i32"]);
    for line in lines {
        assert_eq!(line["elements"], 4096);
        assert!(line["milliseconds"].as_f64() > Some(0.0), "{line}");
        assert!(line["rate"].as_f64() > Some(0.0), "{line}");
        assert_eq!(
            (&line["unit"], &line["error"]),
            (&"GB/s".into(), &Value::Null)
        );
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
            .all(|line| line.len() <= 80 && line.ends_with(" GB/s")),
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
    let output = algorithms(&["sort"]);
    assert!(!output.status.success());
    assert_eq!(
        text(&output.stderr).lines().next(),
        Some("Error: no algorithm's name begins with `sort` (`algorithms --list` has the names)")
    );
    assert!(text(&algorithms(&["--list"]).stdout).contains("scan_i32\n"));
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
