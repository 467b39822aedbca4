//! The program `lanewise`, `cargo lanewise`, and the simulated driver, built to be given away.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::tools::Tools;
use crate::{cargo, workspace};

/// The machine that this is.
pub(super) const HERE: &str = "x86_64-unknown-linux-gnu";

/// What was built.
pub(super) struct Programs {
    /// `lanewise`, which runs any program on the simulator.
    pub(super) lanewise: PathBuf,
    /// `cargo-lanewise`, if it was asked for.
    pub(super) cargo: PathBuf,
    /// The simulated driver, `libcuda.so.1`.
    pub(super) driver: PathBuf,
}

/// Leaves debug information and symbols out, whatever machine the program is for.
const STRIPPED: [&str; 2] = ["--config", "profile.release.strip='symbols'"];

/// Builds for this machine. The selection is that of the tests, which have compiled it already.
pub(super) fn build(release: bool) -> Result<Programs> {
    let mut arguments = vec!["build", "--workspace", "--bins", "--example", "drop_in"];
    if release {
        arguments.push("--release");
        arguments.extend(STRIPPED);
    }
    let artifacts = cargo::build(&arguments)?;
    let program = |name: &str| {
        let mut programs = artifacts.iter().filter(|it| it.target.name == name);
        let program = programs.find_map(|it| it.executable.clone());
        let program = program.with_context(|| format!("cargo built no program `{name}`"))?;
        anyhow::Ok(PathBuf::from(program))
    };
    let mut files = artifacts.iter().filter(|it| it.target.name == "drop_in");
    let library = files.find_map(|it| {
        it.filenames
            .iter()
            .find(|file| file.extension() == Some("so"))
    });
    Ok(Programs {
        lanewise: program("lanewise")?,
        cargo: program("cargo-lanewise")?,
        driver: library.context("cargo built no driver")?.into(),
    })
}

/// Builds for a target and a version of glibc, by zig's linker. The standard library of another
/// target is compiled, too. The places that panics name are below `/lanewise` and `/cargo`.
pub(super) fn build_for(target: &str, glibc: &str, tools: &Tools) -> Result<Programs> {
    let home = |variable: &str, folder: &str| {
        let home = env::var_os(variable).map(PathBuf::from);
        home.or_else(|| Some(env::home_dir()?.join(folder)))
    };
    let cargo_home = home("CARGO_HOME", ".cargo").context("there is no home folder")?;
    let flags = [
        (workspace::root(), "/lanewise"),
        (cargo_home.as_path(), "/cargo"),
    ]
    .map(|(path, name)| format!("--remap-path-prefix={}={name}", path.display()));
    for selection in [
        &["cargo-lanewise", "--bins"][..],
        &["lanewise-driver", "--example", "drop_in"],
    ] {
        let mut command = tools.zigbuild();
        command.args(["zigbuild", "--release"]).args(STRIPPED);
        command.arg("--package").args(selection);
        command.arg("--target").arg(format!("{target}.{glibc}"));
        if target != HERE {
            // Rust's standard library for it is not installed with the toolchain.
            command.arg("-Zbuild-std").env("RUSTC_BOOTSTRAP", "1");
        }
        command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
        command
            .current_dir(workspace::root())
            .env("PATH", tools.path()?);
        let status = command.status();
        let status = status.context("cargo-zigbuild could not be started")?;
        ensure!(
            status.success(),
            "the programs do not compile for {target} with glibc {glibc}; see above"
        );
    }
    let folder = workspace::target().join(target).join("release");
    Ok(Programs {
        lanewise: folder.join("lanewise"),
        cargo: folder.join("cargo-lanewise"),
        driver: folder.join("examples/libdrop_in.so"),
    })
}

/// Copies a file, and names it in an error.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("cannot copy `{}`", from.display()))?;
    Ok(())
}
