//! After `cargo test`, `cargo xtask` and what it starts find everything built.
//!
//! Cargo gives a dependency the features that the selected packages ask for. Where two commands select different packages, the
//! same crate may be built twice, and with it all that stands on it: the simulator, for one, which takes minutes.
//! `xtask/Cargo.toml` asks for what is missing; these tests say when its list is short of something.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The units of cargo's graph for these arguments.
fn graph(arguments: &[&str]) -> Vec<Value> {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(arguments)
        .args(["--unit-graph", "-Zunstable-options"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .env("RUSTC_BOOTSTRAP", "1")
        .output()
        .expect("cargo can be started");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let graph: Value = serde_json::from_slice(&output.stdout).expect("a graph in JSON");
    let units = graph["units"].as_array().expect("a list of units");
    assert!(!units.is_empty());
    units.clone()
}

/// What cargo would compile for these arguments: package, target, features and profile of each library and build script.
fn units(arguments: &[&str]) -> BTreeSet<String> {
    graph(arguments)
        .iter()
        .filter(|unit| {
            unit["mode"] == "build" && unit["target"]["kind"] != serde_json::json!(["bin"])
        })
        .map(|unit| {
            let profile = &unit["profile"];
            format!(
                "{} {} {} opt-level {} debuginfo {}",
                unit["pkg_id"],
                unit["target"]["name"],
                unit["features"],
                profile["opt_level"],
                profile["debuginfo"]
            )
        })
        .collect()
}

#[test]
fn what_xtask_builds_is_what_the_tests_built() {
    let tests = units(&["test", "--workspace"]);
    for arguments in [
        &["build", "--package", "xtask"][..],
        &["build", "--workspace", "--bin", "patterns"],
        &["build", "--workspace", "--example", "drop_in"],
        // As the README and the book have it.
        &["build", "--example", "vector_add"],
    ] {
        let again: Vec<String> = units(arguments).difference(&tests).cloned().collect();
        let list = again.join("\n");
        assert!(
            again.is_empty(),
            "`cargo {}` builds again:\n{list}",
            arguments.join(" ")
        );
    }
}

/// A build script and a program that stand on the same crate get one copy of it, if they ask for the same features.
#[test]
fn no_crate_is_built_twice_for_scripts_and_for_programs() {
    /// Those that the kernels of one crate want otherwise than all the rest; both are small.
    const TWICE: [&str; 2] = ["#cust_core@", "/gpu/std#"];
    let all = units(&["test", "--workspace"]);
    let name = |unit: &str| unit.split(" [").next().unwrap_or_default().to_owned();
    let mut last = String::new();
    for unit in &all {
        let twice = name(unit) == last;
        last = name(unit);
        let meant = TWICE.iter().any(|part| unit.contains(part));
        assert!(!twice || meant, "built with other features too: {unit}");
    }
}
