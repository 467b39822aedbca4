//! The executables of a bundle, as cargo reports them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cargo_metadata::Artifact;

use crate::{cargo, workspace};

/// The packages whose tests use a device. The tests of the builder, the macros and xtask need a
/// checkout and rustc. The tests of the simulator do not use a GPU.
const TESTED: [&str; 10] = [
    "tests",
    "device",
    "hopper",
    "linking",
    "language",
    "compat",
    "arithmetic",
    "lanewise-patterns",
    "lanewise",
    "driver-tests",
];

/// A program in the bundle.
pub(super) struct Executable {
    /// Its name in the bundle: package folder and target, `host-driver-tests-streams`.
    pub(super) name: String,
    pub(super) path: PathBuf,
}

/// How the programs are compiled.
#[derive(Clone, Copy, Debug)]
pub(super) enum Profile {
    /// Optimised. The programs are half the size, and the times of CPU references are meaningful.
    Release,
    /// As `cargo test` built them. After `cargo test`, nothing has to be compiled.
    Dev,
}

impl Profile {
    fn flag(self) -> Option<&'static str> {
        matches!(self, Profile::Release).then_some("--release")
    }
}

/// Returns a program of the workspace: the one that runs patterns, or the one that
/// runs wrong kernels.
pub(super) fn program(name: &str, profile: Profile) -> Result<Executable> {
    let mut arguments = vec!["build", "--workspace", "--bin", name];
    arguments.extend(profile.flag());
    let artifacts = cargo::build(&arguments)?;
    let path = artifacts
        .into_iter()
        .find_map(|artifact| artifact.executable);
    let path = path
        .with_context(|| format!("cargo built no program `{name}`"))?
        .into();
    Ok(Executable {
        name: name.into(),
        path,
    })
}

/// Returns every test program of the packages above.
pub(super) fn tests(profile: Profile) -> Result<Vec<Executable>> {
    let mut arguments = vec!["test", "--no-run"];
    arguments.extend(profile.flag());
    match profile {
        Profile::Release => {
            arguments.extend(TESTED.iter().flat_map(|name| ["--package", name]));
        }
        // This is the selection of `cargo test`, so dependencies have the same features.
        Profile::Dev => arguments.push("--workspace"),
    }
    let artifacts = cargo::build(&arguments)?
        .into_iter()
        .filter(|artifact| artifact.profile.test && is_tested(artifact));
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

/// Returns whether the program belongs to one of the packages above.
fn is_tested(artifact: &Artifact) -> bool {
    let id = &artifact.package_id.repr;
    // The form is `path+file:///folder#name@version`, or `...folder#version` if the folder has
    // the package's name.
    let (folder, end) = id.rsplit_once('#').unwrap_or(("", id));
    let name = match end.split_once('@') {
        Some((name, _)) => name,
        None => folder.rsplit('/').next().unwrap_or(end),
    };
    TESTED.contains(&name)
}

/// Returns the folder of the program's package and the target. A package's unit tests and a test
/// program may have the same name.
fn name(artifact: &Artifact) -> String {
    let folder = artifact
        .manifest_path
        .parent()
        .map(|dir| dir.as_std_path())
        .unwrap_or(Path::new(""));
    let package = workspace::shown(folder).replace('/', "-");
    let unit = if artifact.target.is_test() {
        ""
    } else {
        "-unit"
    };
    format!("{package}-{}{unit}", artifact.target.name)
}
