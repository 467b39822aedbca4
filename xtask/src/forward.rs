//! `cargo xtask list|run|bench|device|diff-device`: passes the command on to `patterns`,
//! the program that runs kernels. `diff-sanitizer` goes to `wrong`, the program that
//! runs wrong kernels.
//!
//! The arguments are not parsed here, except `--debug`: `cargo xtask run --help` shows the help of
//! `patterns`. With `--debug` the kernels are built for a debugger first, and `LANEWISE_PTX` makes
//! `patterns` use them.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::{cargo, workspace};
use cargo_lanewise::kernels::{self, Request};

/// What is handed on.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    /// What `patterns` takes
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENTS"
    )]
    rest: Vec<String>,
}

/// Runs `patterns COMMAND REST...` and ends with its exit code.
pub(crate) fn run(command: &str, args: &Args) -> Result<ExitCode> {
    let (debug, rest): (Vec<_>, Vec<_>) = args.rest.iter().partition(|it| *it == "--debug");
    let mut patterns = Command::new(build("patterns")?);
    if !debug.is_empty() {
        patterns.env("LANEWISE_PTX", build_for_debugger()?);
    }
    finish(patterns.arg(command).args(rest))
}

/// Runs `wrong COMMAND REST...` and ends with its exit code.
pub(crate) fn run_wrong(command: &str, args: &Args) -> Result<ExitCode> {
    finish(Command::new(build("wrong")?).arg(command).args(&args.rest))
}

/// Runs a program until it ends and returns its exit code.
fn finish(program: &mut Command) -> Result<ExitCode> {
    let status = program
        .status()
        .with_context(|| format!("{:?} could not be started", program.get_program()))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(1)))
}

/// Builds one of the workspace's programs and returns its path.
///
/// The whole workspace is selected, as `cargo test` does, although only one program is built. A
/// selection decides which features dependencies get, and with another selection the simulator
/// would be built a second time.
pub(crate) fn build(program: &str) -> Result<PathBuf> {
    let artifacts = cargo::build(&["build", "--workspace", "--bin", program])?;
    let made = artifacts.into_iter().find_map(|made| made.executable);
    let path = made.with_context(|| format!("cargo built no program `{program}`"))?;
    Ok(path.into())
}

/// Builds the kernels for a debugger, for the targets that the host embeds too, and
/// returns their folder.
fn build_for_debugger() -> Result<PathBuf> {
    let archs: Vec<String> = kernels::DEFAULT_ARCHS.map(Into::into).into();
    let out = workspace::target().join("ptx-debug");
    kernels::build(Request {
        archs: &archs,
        debug: true,
        out: Some(out.clone()),
        ..Request::default()
    })?;
    Ok(out)
}
