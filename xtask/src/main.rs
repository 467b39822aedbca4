//! The project's commands: `cargo xtask <command>`.
//!
//! One module a command. xtask knows `ptx-builder` and nothing of the host side, so that it is quick to build and a kernel
//! that does not compile is shown by rustc's own messages; what runs kernels is the `lanewise` program, to which
//! `list`, `run`, `bench`, `device` and `diff-device` are handed on.

mod binaries;
mod build_ptx;
mod bundle;
mod cargo;
mod check_ptx;
mod compare_backends;
mod docs;
mod doctor;
mod driver;
mod floats;
mod forward;
mod inspect;
mod kernels;
mod new;
mod output;
mod progress;
mod readme;
mod toolkit;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Lanewise's commands: build the kernels, look at them, run them, carry them to a GPU.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    BuildPtx(build_ptx::Args),
    CheckPtx(check_ptx::Args),
    CompareBackends(compare_backends::Args),
    /// List the patterns and their kernels
    #[command(after_help = "Example:\n  cargo xtask list --json")]
    List(forward::Args),
    /// Run a pattern: every variant, compared with the CPU and timed
    #[command(
        after_help = "Examples:\n  cargo xtask run transpose\n  cargo xtask run vector_add --size 1000003 --device sim\n  cargo xtask run vector_add --debug   # kernels built as by `build-ptx --debug`, for cuda-gdb"
    )]
    Run(forward::Args),
    /// Time patterns and print their effective bandwidth
    #[command(after_help = "Example:\n  cargo xtask bench --json")]
    Bench(forward::Args),
    /// Show the device that kernels would run on
    #[command(after_help = "Example:\n  cargo xtask device --json")]
    Device(forward::Args),
    /// Hold the simulator against the GPU of this machine, instruction by instruction
    #[command(
        after_help = "Examples:\n  cargo xtask diff-device\n  cargo xtask diff-device --json cvt."
    )]
    DiffDevice(forward::Args),
    Bundle(bundle::Args),
    Inspect(inspect::Args),
    New(new::Args),
    Driver(driver::Args),
    Doctor(doctor::Args),
    CheckDocs(docs::Args),
    CheckReadme(readme::Args),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::BuildPtx(args) => build_ptx::run(&args),
        Command::CheckPtx(args) => check_ptx::run(&args),
        Command::CompareBackends(args) => compare_backends::run(&args),
        Command::List(args) => forward::run("list", &args),
        Command::Run(args) => forward::run("run", &args),
        Command::Bench(args) => forward::run("bench", &args),
        Command::Device(args) => forward::run("device", &args),
        Command::DiffDevice(args) => forward::run("diff", &args),
        Command::Bundle(args) => bundle::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::New(args) => new::run(&args),
        Command::Driver(args) => driver::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::CheckDocs(args) => docs::run(&args),
        Command::CheckReadme(args) => readme::run(&args),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        super::Cli::command().debug_assert();
    }
}
