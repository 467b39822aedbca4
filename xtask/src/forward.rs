//! `cargo xtask list|run|bench|device|diff-device`: handed on to `lanewise`, the program that runs kernels.
//!
//! The arguments are not looked at here: `cargo xtask run --help` shows `lanewise`'s own help.

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::cargo;

/// List the patterns and their kernels
#[derive(Debug, clap::Args)]
#[command(
    disable_help_flag = true,
    after_help = "Example:\n  cargo xtask list --json"
)]
pub(crate) struct List {
    /// What `lanewise list` takes
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENTS"
    )]
    pub(crate) rest: Vec<String>,
}

/// Run a pattern: every variant, compared with the CPU and timed
#[derive(Debug, clap::Args)]
#[command(
    disable_help_flag = true,
    after_help = "Examples:\n  cargo xtask run transpose\n  cargo xtask run vector_add --size 1000003 --device sim"
)]
pub(crate) struct Run {
    /// What `lanewise run` takes
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENTS"
    )]
    pub(crate) rest: Vec<String>,
}

/// Time patterns and print their effective bandwidth
#[derive(Debug, clap::Args)]
#[command(
    disable_help_flag = true,
    after_help = "Example:\n  cargo xtask bench --json"
)]
pub(crate) struct Bench {
    /// What `lanewise bench` takes
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENTS"
    )]
    pub(crate) rest: Vec<String>,
}

/// Show the device that kernels would run on
#[derive(Debug, clap::Args)]
#[command(
    disable_help_flag = true,
    after_help = "Example:\n  cargo xtask device --json"
)]
pub(crate) struct Device {
    /// What `lanewise device` takes
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENTS"
    )]
    pub(crate) rest: Vec<String>,
}

/// Hold the simulator against the GPU of this machine, instruction by instruction
#[derive(Debug, clap::Args)]
#[command(
    disable_help_flag = true,
    after_help = "Examples:\n  cargo xtask diff-device\n  cargo xtask diff-device --json cvt."
)]
pub(crate) struct DiffDevice {
    /// What `lanewise diff` takes
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENTS"
    )]
    pub(crate) rest: Vec<String>,
}

/// Runs `lanewise COMMAND REST...` and ends with its exit code.
pub(crate) fn run(command: &str, rest: &[String]) -> Result<ExitCode> {
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
