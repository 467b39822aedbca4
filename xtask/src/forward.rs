//! `cargo xtask list|run|bench|device|diff-device`: handed on to `lanewise`, the program that runs kernels.
//!
//! The arguments are not looked at here, but for `--debug`: `cargo xtask run --help` shows `lanewise`'s own help. With `--debug`
//! the kernels are built for a debugger first, and `lanewise` is told to take those (`LANEWISE_PTX`).

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::kernels::{self, Request};
use crate::{cargo, workspace};

/// What is handed on.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    /// What `lanewise` takes
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENTS"
    )]
    rest: Vec<String>,
}

/// Runs `lanewise COMMAND REST...` and ends with its exit code.
pub(crate) fn run(command: &str, args: &Args) -> Result<ExitCode> {
    let (debug, rest): (Vec<_>, Vec<_>) = args.rest.iter().partition(|it| *it == "--debug");
    let mut cargo = cargo::command();
    if !debug.is_empty() {
        cargo.env("LANEWISE_PTX", build_for_debugger()?);
    }
    let status = cargo
        .args([
            "run",
            "--package",
            "patterns",
            "--bin",
            "lanewise",
            "--",
            command,
        ])
        .args(rest)
        .status()
        .context("cargo could not be started")?;
    Ok(ExitCode::from(
        status
            .code()
            .and_then(|code| u8::try_from(code).ok())
            .unwrap_or(1),
    ))
}

/// The folder of the kernels built for a debugger, for the targets that the host embeds too.
fn build_for_debugger() -> Result<PathBuf> {
    let archs: Vec<String> = kernels::DEFAULT_ARCHS.split(',').map(Into::into).collect();
    let out = workspace::target().join("ptx-debug");
    kernels::build(Request {
        archs: &archs,
        debug: true,
        out: Some(out.clone()),
        ..Request::default()
    })?;
    Ok(out)
}
