//! The executables of a bundle, as cargo reports them.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use cargo_metadata::{Artifact, Message};

use crate::{cargo, workspace};

/// The packages whose tests touch a device. Those of the builder, the macros and xtask need a checkout and rustc; those of
/// the simulator say nothing of a GPU.
const TESTED: [&str; 7] = [
    "tests",
    "language",
    "compat",
    "arithmetic",
    "patterns",
    "host",
    "driver",
];

/// A program to carry.
pub(super) struct Executable {
    /// Its name in the bundle: package folder and target, `host-driver-memory`.
    pub(super) name: String,
    pub(super) path: PathBuf,
}

/// The program that runs patterns, optimised: its CPU references are timed.
pub(super) fn lanewise() -> Result<Executable> {
    let artifacts = build(&[
        "build",
        "--release",
        "--package",
        "patterns",
        "--bin",
        "lanewise",
    ])?;
    let path = artifacts
        .into_iter()
        .find_map(|artifact| artifact.executable);
    let path = path
        .context("cargo built the package `patterns` but no program `lanewise`")?
        .into();
    Ok(Executable {
        name: "lanewise".into(),
        path,
    })
}

/// Every test program of the packages above, optimised: half the size, and most of it is built for `lanewise` anyway.
pub(super) fn tests() -> Result<Vec<Executable>> {
    let packages = TESTED.iter().flat_map(|name| ["--package", name]);
    let arguments: Vec<&str> = ["test", "--no-run", "--release"]
        .into_iter()
        .chain(packages)
        .collect();
    let artifacts = build(&arguments)?
        .into_iter()
        .filter(|artifact| artifact.profile.test);
    let tests = artifacts.filter_map(|artifact| {
        let path = artifact.executable.clone()?.into();
        Some(Executable {
            name: name(&artifact),
            path,
        })
    });
    let mut tests: Vec<Executable> = tests.collect();
    tests.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(tests)
}

fn name(artifact: &Artifact) -> String {
    let folder = artifact
        .manifest_path
        .parent()
        .map(|dir| dir.as_std_path())
        .unwrap_or(Path::new(""));
    let package = workspace::shown(folder).replace('/', "-");
    format!("{package}-{}", artifact.target.name)
}

/// Runs cargo and collects what it made. Compiler messages go to the terminal as always.
fn build(arguments: &[&str]) -> Result<Vec<Artifact>> {
    let mut child = cargo::command()
        .args(arguments)
        .arg("--message-format=json-render-diagnostics")
        .stdout(Stdio::piped())
        .spawn()
        .context("cargo could not be started")?;
    let output = child
        .stdout
        .take()
        .context("cargo's output is not there to read")?;
    let mut artifacts = Vec::new();
    for message in Message::parse_stream(BufReader::new(output)) {
        if let Message::CompilerArtifact(artifact) =
            message.context("cargo's messages cannot be read")?
        {
            artifacts.push(artifact);
        }
    }
    let status = child.wait()?;
    ensure!(status.success(), "`cargo {}` failed", arguments.join(" "));
    Ok(artifacts)
}
