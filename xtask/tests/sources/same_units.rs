//! After `cargo test`, `cargo xtask` and the commands that it starts need no further compilation.
//!
//! Cargo gives a dependency the features that the selected packages need. If two commands select
//! different packages, the same crate may be built twice, together with all crates that depend on
//! it. One of them is the simulator, which takes minutes. `xtask/Cargo.toml` lists the missing
//! features, and these tests report what its list lacks.

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

/// What cargo would compile for these arguments: package, target, features and profile of each
/// library and build script.
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

/// If a profile sets LTO, cargo compiles a crate in one way for programs and in another for build
/// scripts and macros. If a command needs both, it compiles in the programs' way for both. The
/// graph does not show it, and two commands would share no such crate.
#[test]
fn scripts_and_programs_share_no_crate() {
    let all = graph(&["test", "--workspace"]);
    let scripts: Vec<usize> = (0..all.len()).filter(|&it| is_for_host(&all[it])).collect();
    let of_scripts = below(&all, scripts);
    let is_a_programs = |&it: &usize| all[it]["mode"] != "build" && !is_for_host(&all[it]);
    let programs = (0..all.len()).filter(is_a_programs).collect();
    let shared = of_scripts
        .intersection(&below(&all, programs))
        .next()
        .copied();
    if let Some(shared) = shared {
        panic!("{} is both's", all[shared]["pkg_id"]);
    }
}

fn is_for_host(unit: &Value) -> bool {
    let kind = &unit["target"]["kind"];
    [["custom-build"], ["proc-macro"]]
        .map(|it| serde_json::json!(it))
        .contains(kind)
}

/// Returns the libraries below these, without build scripts, macros, and the libraries below them.
fn below(all: &[Value], mut open: Vec<usize>) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    while let Some(unit) = open.pop() {
        let dependencies = all[unit]["dependencies"].as_array().into_iter().flatten();
        for index in dependencies.filter_map(|it| usize::try_from(it["index"].as_u64()?).ok()) {
            if !is_for_host(&all[index]) && found.insert(index) {
                open.push(index);
            }
        }
    }
    found
}
