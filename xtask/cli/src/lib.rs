//! The commands that work on any kernel crate: build it to PTX, inspect it, check it,
//! start a project.
//!
//! They are one program with two names. Cargo finds `cargo-lanewise`
//! (`cargo lanewise inspect my_kernel`), and `lanewise` is the same program without cargo. In
//! Lanewise's own repository, `cargo lanewise` shows these commands beside the repository's own.
//!
//! Each command has a module. The program depends on `lanewise-builder` and on nothing of the host
//! side. So it is quick to build, and if a kernel does not compile, rustc's own messages are shown.

mod binaries;
mod build_ptx;
mod check_ptx;
mod compare_backends;
mod completions;
mod doctor;
mod driver;
mod exec;
pub mod figure;
mod floats;
mod inspect;
pub mod kernels;
pub mod learn;
mod link;
mod new;
pub mod output;
mod program;
pub mod progress;
pub mod project;
mod sanitize;
mod simulation;
mod toolkit;
mod try_driver;
mod verbs;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// The program's command line, under either name.
#[derive(Debug, Parser)]
#[command(
    name = "lanewise",
    version,
    max_term_width = 110,
    about = "CUDA kernels in Rust: build them, look at them, check them, start a project"
)]
pub struct Cli {
    #[command(flatten)]
    place: KernelCrate,
    #[command(subcommand)]
    command: Commands,
}

/// What this program does, and Lanewise's own repository does in another way, with its patterns.
#[derive(Debug, Subcommand)]
enum Commands {
    #[command(flatten)]
    Kernels(Command),
    #[command(flatten)]
    Project(verbs::Verb),
    Completions(completions::Args),
}

/// Which kernels a command works on.
#[derive(Debug, clap::Args)]
pub struct KernelCrate {
    /// The folder of the package that has the kernels [default: that of the
    /// current folder's project]
    #[arg(id = "crate", long, value_name = "PATH", global = true)]
    folder: Option<PathBuf>,
}

impl KernelCrate {
    /// Makes the named folder's project the one that all commands work on. If no folder was named,
    /// `default` is used.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn enter(self, default: Option<PathBuf>) -> Result<()> {
        project::enter(self.folder.or(default))
    }
}

/// A command that works on any kernel crate.
#[derive(Debug, Subcommand)]
#[expect(
    missing_docs,
    reason = "clap shows the documentation of each command's arguments"
)]
pub enum Command {
    BuildPtx(build_ptx::Args),
    Inspect(inspect::Args),
    Link(link::Args),
    CheckPtx(check_ptx::Args),
    CompareBackends(compare_backends::Args),
    Doctor(doctor::Args),
    Driver(driver::Args),
    Exec(exec::Args),
    Figure(figure::Args),
    Learn(learn::Args),
    New(new::Args),
    Sanitize(sanitize::Args),
    #[command(hide = true)]
    TryDriver(try_driver::Args),
}

impl Command {
    /// Runs the command, in the project that was entered before.
    ///
    /// # Errors
    /// The message of the command for the user.
    pub fn run(self) -> Result<ExitCode> {
        match self {
            Self::BuildPtx(args) => build_ptx::run(&args),
            Self::Inspect(args) => inspect::run(&args),
            Self::Link(args) => link::run(&args),
            Self::CheckPtx(args) => check_ptx::run(&args),
            Self::CompareBackends(args) => compare_backends::run(&args),
            Self::Doctor(args) => doctor::run(&args),
            Self::Driver(args) => driver::run(&args),
            Self::Exec(args) => exec::run(&args),
            Self::Figure(args) => figure::run(&args),
            Self::Learn(args) => learn::run(&args),
            Self::New(args) => new::run(&args),
            Self::Sanitize(args) => sanitize::run(&args),
            Self::TryDriver(args) => try_driver::run(&args),
        }
    }
}

impl Cli {
    /// Runs the command in the current folder.
    pub fn run(self) -> ExitCode {
        let run = || match self.command {
            Commands::Kernels(command) => command.run(),
            Commands::Project(verb) => verb.run(),
            Commands::Completions(args) => completions::run(&args),
        };
        finish(self.place.enter(None).and_then(|()| run()))
    }
}

/// Prints the error, if there is one.
pub fn finish(outcome: Result<ExitCode>) -> ExitCode {
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        super::Cli::command().debug_assert();
    }

    /// What runs a program has all options of the simulated GPU, the other commands those that
    /// mean something there. An option of one name has one form everywhere.
    #[test]
    fn one_set_of_options_is_that_of_every_command() {
        const RUNS: [&str; 6] = ["exec", "sanitize", "run", "test", "bench", "debug"];
        const COMMON: [(&str, bool); 6] = [
            ("checks", true),
            ("seeds", true),
            ("arch", true),
            ("json", false),
            ("error-exitcode", true),
            ("model", true),
        ];
        let command = super::Cli::command();
        for (name, takes_value) in COMMON {
            let mut helps = BTreeSet::new();
            for command in command.get_subcommands() {
                let runs = RUNS.contains(&command.get_name());
                let mut options = command.get_arguments();
                let option = options.find(|it| it.get_long() == Some(name));
                assert!(option.is_some() || !runs, "{} --{name}", command.get_name());
                let Some(option) = option else { continue };
                assert_eq!(option.get_action().takes_values(), takes_value, "--{name}");
                if runs {
                    helps.insert(option.get_help().map(ToString::to_string));
                }
            }
            assert_eq!(helps.len(), 1, "--{name}: {helps:?}");
        }
    }

    /// A heading applies to all options below it.
    #[test]
    fn only_what_is_about_floats_stands_under_their_heading() {
        let mut command = super::Cli::command();
        let build = command.find_subcommand_mut("build-ptx").expect("a command");
        let help = build.render_long_help().to_string();
        let (others, floats) = help.split_once("Floats:").expect("the heading");
        let floats = floats.split("Examples:").next().unwrap_or_default();
        for option in ["--debug", "--out", "--json"] {
            assert!(others.contains(option) && !floats.contains(option));
        }
        assert!(floats.contains("--fmad"), "{floats}");
    }
}
