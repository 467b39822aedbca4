//! The program `wrong` runs cases under a compute-sanitizer, here one that only passes on what the simulator says.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use wrong::sanitizer::{Outcome, Record};

const WRONG: &str = env!("CARGO_BIN_EXE_wrong");

/// Ends as compute-sanitizer does. The simulator's checks take the place of the tool's; what they say is on stderr.
const STAND_IN: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo 'Version 0.0 of a test'; exit; }
tool=$2
shift 2
echo '========= COMPUTE-SANITIZER'
LANEWISE_CHECKS=all LANEWISE_CHECKS_ACTION=report "$@" 2>"$0.$$"
[ -s "$0.$$" ] && echo "========= Reported by the simulator for $tool"
echo '========= ERROR SUMMARY: some'
"#;

fn wrong(arguments: &[&str]) -> Output {
    let mut command = Command::new(WRONG);
    command.args(arguments).env("LANEWISE_DEVICE", "sim");
    command.output().expect("the program starts")
}

#[test]
fn a_case_is_launched_on_the_drivers_device() {
    for (name, ending) in [
        ("ptx/memory/null_pointer", "wrong: failed CUDA_ERROR"),
        ("rust/memory/null_pointer", "wrong: failed CUDA_ERROR"),
        ("ptx/race/plain_flag", "wrong: ended ptx/race/plain_flag"),
        (
            "rust/race/scan_in_place",
            "wrong: ended rust/race/scan_in_place",
        ),
    ] {
        let output = wrong(&["run", name]);
        let text = String::from_utf8_lossy(&output.stdout);
        let expected = format!("wrong: launched {name}\n{ending}");
        assert!(text.starts_with(&expected), "{text}");
        assert_eq!(output.status.success(), ending.contains("ended"));
    }
    assert!(!wrong(&["run", "ptx/race/none"]).status.success());
}

#[test]
fn every_case_of_a_check_is_found_and_no_twin() {
    let folder = tempfile::tempdir().expect("a folder");
    let stand_in = folder.path().join("stand-in");
    fs::write(&stand_in, STAND_IN).expect("a script");
    fs::set_permissions(&stand_in, fs::Permissions::from_mode(0o755)).expect("it can be run");
    let out = folder.path().join("record.json");
    let paths = [&stand_in, &out].map(|path| path.to_str().expect("text"));
    let output = wrong(&[
        "sanitizer",
        "rust/memory",
        "--sanitizer",
        paths[0],
        "--out",
        paths[1],
    ]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    let record = fs::read_to_string(&out).expect("a record");
    let record: Record = serde_json::from_str(&record).expect("its form");
    assert_eq!(record.sanitizer, "Version 0.0 of a test");
    assert!(record.cases.len() >= 10, "{text}");
    for (name, answers) in &record.cases {
        assert!(answers.right.is_empty(), "{name}: {answers:?}");
        for tool in ["memcheck", "racecheck", "initcheck", "synccheck"] {
            let answer = answers.wrong.get(tool);
            let outcome = answer.map(|answer| answer.outcome);
            assert_eq!(outcome, Some(Outcome::Found), "{name}: {answers:?}");
        }
    }
}
