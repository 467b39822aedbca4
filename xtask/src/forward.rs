//! `cargo xtask list|run|bench|device|diff-device`: handed on to `lanewise`, the program that runs kernels.
//!
//! The arguments are not looked at here: `cargo xtask run --help` shows `lanewise`'s own help.

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::cargo;

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
    let status = cargo::command()
        .args([
            "run",
            "--package",
            "patterns",
            "--bin",
            "lanewise",
            "--",
            command,
        ])
        .args(&args.rest)
        .status()
        .context("cargo could not be started")?;
    Ok(ExitCode::from(
        status
            .code()
            .and_then(|code| u8::try_from(code).ok())
            .unwrap_or(1),
    ))
}
