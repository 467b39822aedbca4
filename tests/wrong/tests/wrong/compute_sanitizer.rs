//! The program `wrong` runs cases under a compute-sanitizer, here one that only passes on what
//! the simulator says.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use wrong::sanitizer::{Outcome, Record, TOOLS};

const WRONG: &str = env!("CARGO_BIN_EXE_wrong");

/// Writes as compute-sanitizer does. The simulator's checks take the place of the tool's.
const STAND_IN: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo 'Version 0.0 of a test'; exit; }
# --tool TOOL --print-limit N --show-backtrace no
shift 6
echo '========= COMPUTE-SANITIZER'
LANEWISE_CHECKS=all LANEWISE_CHECKS_ACTION=report "$@" 2>&1 | sed -u 's/^lanewise: /========= /'
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
        ("ptx/memory/null_pointer", "wrong: failed "),
        ("rust/memory/null_pointer", "wrong: failed "),
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

/// Cases in both languages, of which some take the device down and others run in one process. Few
/// have a report with a stack, which takes longer to write than all else.
const SOME: &str = "_word";

#[test]
fn every_case_of_a_name_is_found_and_no_twin() {
    let folder = tempfile::tempdir().expect("a folder");
    let stand_in = folder.path().join("stand-in");
    fs::write(&stand_in, STAND_IN).expect("a script");
    fs::set_permissions(&stand_in, fs::Permissions::from_mode(0o755)).expect("it can be run");
    let out = folder.path().join("record.json");
    let paths = [&stand_in, &out].map(|path| path.to_str().expect("text"));
    let output = wrong(&[
        "sanitizer",
        SOME,
        "--sanitizer",
        paths[0],
        "--out",
        paths[1],
        // They wait for most of their time.
        "--jobs",
        "8",
    ]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    let record = fs::read_to_string(&out).expect("a record");
    let record: Record = serde_json::from_str(&record).expect("its form");
    assert_eq!(record.sanitizer, "Version 0.0 of a test");
    assert!(record.cases.len() >= 9, "{text}");
    for kind in ["ptx/race/", "ptx/memory/", "rust/memory/"] {
        assert!(
            record.cases.keys().any(|name| name.starts_with(kind)),
            "{text}"
        );
    }
    for (name, answers) in &record.cases {
        for tool in TOOLS {
            let outcomes =
                [&answers.wrong, &answers.right].map(|by| by.get(tool).map(|a| a.outcome));
            let expected = [Outcome::Found, Outcome::Silent].map(Some);
            assert_eq!(outcomes, expected, "{name}: {answers:?}");
        }
    }
    // What the file knows is not run again.
    fs::write(
        &stand_in,
        "#!/bin/sh\n[ \"$1\" = --version ] && echo 'Version 0.0 of a test'\n",
    )
    .expect("a script");
    let output = wrong(&[
        "sanitizer",
        SOME,
        "--sanitizer",
        paths[0],
        "--out",
        paths[1],
    ]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), text);
}
