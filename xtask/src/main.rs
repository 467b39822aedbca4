//! The project's commands: `cargo xtask <command>`.
//!
//! xtask has the commands that only this repository needs, and passes others on. Commands that work
//! on any kernel crate (`build-ptx`, `inspect`, ...) are those of `cargo-lanewise`. They use the
//! catalog's kernels unless `--crate` names others. The program `patterns` runs the catalog:
//! `list`, `run`, `bench`, `accuracy`, `profile`, `device` and `diff-device`. The program `wrong`
//! runs the wrong kernels: `diff-sanitizer`.

mod bundle;
mod cargo;
mod distribution;
mod docs;
mod exercises;
mod forward;
mod public_api;
mod steps;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use cargo_lanewise::KernelCrate;
use clap::{Parser, Subcommand};

/// Lanewise's commands: build the kernels, look at them, run them, carry them to a GPU.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 110)]
struct Cli {
    #[command(flatten)]
    place: KernelCrate,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Kernels(cargo_lanewise::Command),
    /// List the patterns and their kernels
    #[command(after_help = "Example:\n  cargo xtask list --json")]
    List(forward::Args),
    /// Run a pattern: every variant, compared with the CPU and timed
    #[command(
        after_help = "Examples:\n  cargo xtask run transpose\n  cargo xtask run vector_add --size 1000003 --device sim\n  cargo xtask run vector_add --debug   # kernels built as by `build-ptx --debug`, for cuda-gdb"
    )]
    Run(forward::Args),
    /// Run every pattern under all checks, in 32 orders of its warps
    #[command(
        after_help = "Examples:\n  cargo xtask check-patterns\n  cargo xtask check-patterns gemm --seeds 4"
    )]
    CheckPatterns(forward::Args),
    /// Time patterns and print their effective bandwidth
    #[command(
        after_help = "Examples:\n  cargo xtask bench --json\n  cargo xtask bench --checks   # what each check of the simulator costs"
    )]
    Bench(forward::Args),
    /// Measure the errors of mathematical functions
    #[command(after_help = "Example:\n  cargo xtask accuracy sin cos --sample 16")]
    Accuracy(forward::Args),
    /// Show a pattern's variants by the metrics of nvprof and Nsight Compute
    #[command(after_help = "Example:\n  cargo xtask profile heat")]
    Profile(forward::Args),
    /// Show the device that kernels would run on
    #[command(after_help = "Example:\n  cargo xtask device --json")]
    Device(forward::Args),
    /// Compare the simulator with the GPU of this machine, instruction by instruction
    #[command(
        after_help = "Examples:\n  cargo xtask diff-device\n  cargo xtask diff-device --json cvt."
    )]
    DiffDevice(forward::Args),
    /// Compare the simulator's checks with compute-sanitizer's tools on this machine's GPU, wrong
    /// kernel by wrong kernel
    #[command(
        after_help = "Examples:\n  cargo xtask diff-sanitizer race/\n  cargo xtask diff-sanitizer --out tests/wrong/results/h200.json"
    )]
    DiffSanitizer(forward::Args),
    Bundle(bundle::Args),
    CheckBook(docs::built::Args),
    CheckDocs(docs::Args),
    Book(docs::preprocessor::Args),
    SearchIndex(docs::search_index::Args),
    CheckExercises(exercises::Args),
    CheckSteps(steps::Args),
    PublicApi(public_api::Args),
    Release(distribution::release::Args),
    Wheel(distribution::wheel::Args),
}

fn main() -> ExitCode {
    cargo_lanewise::finish(run(Cli::parse()))
}

fn run(cli: Cli) -> Result<ExitCode> {
    cli.place.enter(Some(workspace::root().join("gpu")))?;
    match cli.command {
        Command::Kernels(command) => command.run(),
        Command::List(args) => forward::run("list", &args),
        Command::Run(args) => forward::run("run", &args),
        Command::CheckPatterns(args) => forward::run("check", &args),
        Command::Bench(args) => forward::run("bench", &args),
        Command::Accuracy(args) => forward::run("accuracy", &args),
        Command::Profile(args) => forward::run("profile", &args),
        Command::Device(args) => forward::run("device", &args),
        Command::DiffDevice(args) => forward::run("diff", &args),
        Command::DiffSanitizer(args) => forward::run_wrong("sanitizer", &args),
        Command::Bundle(args) => bundle::run(&args),
        Command::CheckBook(args) => docs::built::run(&args),
        Command::CheckDocs(args) => docs::run(&args),
        Command::Book(args) => docs::preprocessor::run(&args),
        Command::SearchIndex(args) => docs::search_index::run(&args),
        Command::CheckExercises(args) => exercises::run(&args),
        Command::CheckSteps(args) => steps::run(&args),
        Command::PublicApi(args) => public_api::run(&args),
        Command::Release(args) => distribution::release::run(&args),
        Command::Wheel(args) => distribution::wheel::run(&args),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        super::Cli::command().debug_assert();
    }
}
