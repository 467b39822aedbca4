//! `patterns run` on the simulator: counters where a GPU has times, and what checks
//! find; `patterns check`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use lanewise_records::Record;
use serde_json::Value;

/// Runs `patterns run ARGUMENTS --device sim`.
fn run(arguments: &[&str]) -> Output {
    patterns("run", &[arguments, &["--device", "sim"]].concat())
}

/// Runs `patterns COMMAND ARGUMENTS`.
fn patterns(name: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(program());
    command.arg(name).args(arguments);
    for variable in ["LANEWISE_CHECKS", "LANEWISE_MODEL", "LANEWISE_SEED"] {
        command.env_remove(variable);
    }
    command.output().expect("the program starts")
}

/// The program as it was built; in a bundle, which runs elsewhere, it lies beside the
/// folder of tests.
fn program() -> PathBuf {
    let built = Path::new(env!("CARGO_BIN_EXE_patterns"));
    let test = std::env::current_exe().expect("a test knows its program");
    let carried = test
        .ancestors()
        .nth(2)
        .map(|bundle| bundle.join("patterns"));
    match carried {
        Some(carried) if !built.exists() => carried,
        _ => built.to_owned(),
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_book_shows_the_counters_of_transpose_as_they_are() {
    let shown = text(&run(&["transpose"]).stdout);
    let lines: Vec<&str> = shown.lines().map(str::trim_end).collect();
    let shown = lines.join("\n") + "\n";
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/src/simulator/transpose.txt"
    );
    if std::env::var_os("LANEWISE_BLESS").is_some() {
        return std::fs::write(path, shown).expect("the book can be written");
    }
    let written = include_str!("../../../docs/src/simulator/transpose.txt");
    assert_eq!(shown, written, "LANEWISE_BLESS=1 cargo test accepts it");
}

/// A page and a terminal have room for 120 columns, and what is said twice is read twice.
#[test]
fn the_table_of_every_pattern_fits_a_page_and_says_each_thing_once() {
    for pattern in [
        "gemm",
        "reduce_neighbored",
        "transpose_shared",
        "errors",
        "increment",
    ] {
        let shown = text(&run(&[pattern, "--size", "64"]).stdout);
        let wide = shown.lines().find(|line| line.chars().count() > 120);
        assert_eq!(wide, None, "{shown}");
        // Two columns of one name would be of the same words.
        let counts = |word: &str| shown.matches(word).count();
        assert!(counts("barriers") <= 1 && counts("branch") <= 1, "{shown}");
    }
}

/// The cells of the first table of a page that has this word in its first line.
fn table(page: &str, word: &str) -> Vec<Vec<String>> {
    let is_row = |line: &&str| line.starts_with('|');
    let rows = page
        .lines()
        .skip_while(|line| !(is_row(line) && line.contains(word)));
    let cells = |row: &str| row.split('|').map(|cell| cell.trim().to_owned()).collect();
    rows.take_while(is_row).map(cells).collect()
}

/// A number as pages have it: `1,048,576`, and `75 %` for a fraction.
fn shown(value: f64, is_fraction: bool) -> String {
    if is_fraction {
        return format!("{} %", (100.0 * value).round());
    }
    let digits = format!("{value:.0}");
    let mut shown = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[test]
fn the_page_on_profiling_shows_the_metrics_of_matmul_as_they_are() {
    let output = patterns("profile", &["matmul", "--size", "256", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let page = include_str!("../../../docs/src/hardware/profiling.md");
    let rows = table(page, "`matmul_naive`");
    let (head, rows) = (&rows[0], &rows[2..]);
    assert!(rows.len() >= 6, "{rows:?}");
    let variants = report["variants"].as_array().expect("a list");
    for row in rows {
        for (cell, column) in row.iter().zip(head).skip(2).take(variants.len()) {
            let (metric, variant) = (row[1].trim_matches('`'), column.trim_matches('`'));
            let of = |list: &Value, key: &str, name: &str| {
                let list = list.as_array().expect("a list");
                let found = list.iter().find(|entry| entry[key] == *name);
                found.unwrap_or_else(|| panic!("no {key} {name}")).clone()
            };
            let metrics = &of(&report["variants"], "variant", variant)["metrics"];
            let value = of(metrics, "nvprof", metric)["value"].as_f64();
            let is_fraction = metric.ends_with("efficiency");
            let value = shown(value.expect("a number"), is_fraction);
            assert_eq!(*cell, value, "{metric} of {variant}");
        }
    }
}

#[test]
fn the_variants_of_transpose_differ_in_what_is_counted() {
    let output = run(&["transpose", "--size", "128", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let variants = report["variants"].as_array().expect("a list");
    let different: HashSet<String> = variants
        .iter()
        .map(|variant| &variant["counters"])
        .map(|counters| format!("{} {}", counters["global_loads"], counters["global_stores"]))
        .collect();
    // Loads along rows or columns, and stores along rows or columns: of that, the kernels differ.
    assert!(variants.len() >= 8);
    assert_eq!(different.len(), 4, "{report:#}");
    for variant in variants {
        assert!(
            variant["counters"]["global_loads"]["requests"].is_u64(),
            "{variant:#}"
        );
    }
}

#[test]
fn without_a_reference_nothing_is_compared_and_nothing_is_wrong() {
    let output = run(&["matmul", "--size", "64", "--no-reference"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("not compared"));
    // Every pattern that the benchmark has can do without: an answer that was not made is looked
    // at by none.
    for pattern in ["reduce_unroll_warps", "spmv", "fft", "philox", "stencil"] {
        let output = run(&[pattern, "--size", "600", "--no-reference", "--json"]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        for variant in report["variants"].as_array().expect("a list") {
            assert!(variant["agrees"].is_null(), "{variant:#}");
        }
        assert!(output.status.success(), "{report:#}");
    }
}

#[test]
fn a_race_is_found_in_the_variant_that_has_one_and_in_no_other() {
    let output = run(&["increment", "--checks", "race", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let found = |name: &str| -> usize {
        let variants = report["variants"].as_array().expect("a list");
        let variant = variants.iter().find(|variant| variant["variant"] == name);
        let findings = variant.and_then(|variant| variant["findings"].as_array());
        findings
            .unwrap_or_else(|| panic!("{name}: {report:#}"))
            .len()
    };
    assert!(found("incr_racy") > 0);
    assert_eq!(found("incr_atomic"), 0);
    assert!(
        output.status.success(),
        "the racy variant is there to show it"
    );
    let table = run(&["increment", "--checks", "all"]);
    assert!(
        text(&table.stdout).contains("found"),
        "{}",
        text(&table.stdout)
    );
    assert!(
        text(&table.stderr).contains("lanewise: race: "),
        "{}",
        text(&table.stderr)
    );

    let wrong = run(&["increment", "--checks", "bounds"]);
    assert!(!wrong.status.success());
    assert!(
        text(&wrong.stderr).contains("no check is called `bounds`"),
        "{}",
        text(&wrong.stderr)
    );
}

#[test]
fn what_is_right_is_silent_under_all_checks_and_what_shows_a_trap_is_left_out() {
    let output = patterns("check", &["increment", "vec_add", "--seeds", "3", "--json"]);
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(output.status.success(), "{answer:#}");
    let variants = answer["variants"].as_array().expect("a list");
    let names: Vec<_> = variants.iter().map(|it| it["variant"].as_str()).collect();
    assert!(names.contains(&Some("incr_atomic")) && names.contains(&Some("vec_add")));
    assert!(!names.contains(&Some("incr_racy")), "{names:?}");
    let silent = |it: &Value| it["reports"].as_array().is_some_and(Vec::is_empty);
    assert!(variants.iter().all(silent), "{answer:#}");
    let last = ["vec_add", "--first", "18446744073709551615", "--seeds", "2"];
    let round = patterns("check", &last);
    assert!(round.status.success(), "{}", text(&round.stderr)); // behind the last seed is 0
    let unknown = patterns("check", &["no_such_pattern"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("there is no pattern `no_such_pattern`"));
}

#[test]
fn a_benchmark_is_kept_and_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("record.json").display().to_string();
    let bench = |more: [&str; 2]| {
        patterns(
            "bench",
            &[&["copy_row", "--device", "sim"], &more[..]].concat(),
        )
    };
    let output = bench(["--record", &record]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let kept = Record::read(record.as_ref()).expect("a record");
    let rows: Vec<_> = kept.rows().collect();
    let [(place, row)] = rows[..] else {
        panic!("{kept:?}")
    };
    assert_eq!(
        (row.name.as_str(), row.of.as_deref()),
        ("copy_row", Some("transpose"))
    );
    assert_eq!(place.device, "NVIDIA H200 (simulated)");
    let output = bench(["--compare", &record]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).ends_with("1 of 1 the same within noise\n"));
}
