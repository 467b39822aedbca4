//! What a user's project does by cargo: `run`, `test`, `bench`, `list`, `debug`. The options are
//! those of `exec` and `sanitize`; what follows them is cargo's.

mod debug;
mod list;

use std::env;
use std::ffi::OsString;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use clap::Subcommand;
use lanewise_variables as variables;

use crate::program::code_of;
use crate::simulation::Simulation;
use crate::{exec, sanitize};

/// A command for the project in the current folder.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Run the project's program on the simulated GPU, or on this machine's
    #[command(
        after_help = "Examples:\n  cargo lanewise run\n  cargo lanewise run --checks race --csv - --release -- 1000\n  cargo lanewise run --gpu --example saxpy"
    )]
    Run(Program),
    /// Run the project's tests on the simulated GPU under all checks
    #[command(
        after_help = "The exit code is 0 if all tests pass and nothing was found.\n\nExamples:\n  cargo lanewise test\n  cargo lanewise test --seeds 16 --checks race -p kernels saxpy"
    )]
    Test(Tests),
    /// Run the project's benchmarks on the simulated GPU, with counters, or on this machine's
    #[command(
        after_help = "Examples:\n  cargo lanewise bench --gpu\n  cargo lanewise bench --csv counters.csv"
    )]
    Bench(Program),
    List(list::Args),
    Debug(debug::Args),
}

/// Options of `run` and `bench`.
#[derive(Debug, clap::Args)]
pub(crate) struct Program {
    /// Options of cargo, and of the program after `--`
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "CARGO"
    )]
    cargo: Vec<OsString>,
    /// Run on this machine's GPU, without the simulated one and its options
    #[arg(long, conflicts_with_all = ["Simulation", "Results"])]
    gpu: bool,
    #[command(flatten)]
    simulation: Simulation,
    #[command(flatten)]
    results: exec::Results,
}

/// Options of `test`.
#[derive(Debug, clap::Args)]
pub(crate) struct Tests {
    /// Options of cargo, and of the tests after `--`
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "CARGO"
    )]
    cargo: Vec<OsString>,
    #[command(flatten)]
    simulation: Simulation,
    #[command(flatten)]
    formats: sanitize::Formats,
}

impl Verb {
    /// Runs the command.
    pub(crate) fn run(self) -> Result<ExitCode> {
        match self {
            Self::Run(args) => args.run("run"),
            Self::Bench(args) => args.run("bench"),
            Self::Test(args) => sanitize::run(&sanitize::Args {
                simulation: args.simulation,
                formats: args.formats,
                program: cargo("test", args.cargo),
            }),
            Self::List(args) => list::run(&args),
            Self::Debug(args) => debug::run(args),
        }
    }
}

impl Program {
    fn run(self, verb: &str) -> Result<ExitCode> {
        let words = cargo(verb, self.cargo);
        if self.gpu {
            let mut command = Command::new(&words[0]);
            command
                .args(&words[1..])
                .env(variables::DEVICE.name, "cuda");
            return status(&mut command);
        }
        exec::run(&exec::Args {
            simulation: self.simulation,
            results: self.results,
            program: words,
        })
    }
}

/// Returns the command line of cargo.
fn cargo(verb: &str, arguments: Vec<OsString>) -> Vec<OsString> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    [cargo, verb.into()].into_iter().chain(arguments).collect()
}

/// Runs a command and returns its exit code.
fn status(command: &mut Command) -> Result<ExitCode> {
    let status = command
        .status()
        .with_context(|| format!("cannot run {:?}", command.get_program()))?;
    Ok(code_of(status))
}
