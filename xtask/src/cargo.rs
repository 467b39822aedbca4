//! Calls of the cargo that started xtask.

use std::env;
use std::io::BufReader;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use cargo_metadata::{Artifact, Message};

use crate::workspace;

/// Returns a call of cargo in the repository's root.
///
/// The variables that `cargo run` set for xtask itself are removed. They describe xtask's package,
/// and build scripts that depend on one of them would run again for nothing.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace::root());
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text == "CARGO" || text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_")
        {
            command.env_remove(&name);
        }
    }
    command
}

/// Runs cargo and returns the files that it built. Compiler messages go to the terminal as usual.
pub(crate) fn build(arguments: &[&str]) -> Result<Vec<Artifact>> {
    let mut child = command()
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
