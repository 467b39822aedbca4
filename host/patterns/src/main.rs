//! `patterns`: lists, runs and measures the patterns.

mod commands;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// CUDA patterns in Rust, on a GPU or on the simulator.
#[derive(Debug, Parser)]
#[command(name = "patterns", version, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  patterns list                               every pattern and its variants
  patterns run vector_add                     each variant: right or not, time, bandwidth
  patterns run transpose --size 1000          a matrix of 1000 x 1000
  patterns run reduce_unrolled --device sim   on the simulator, even where there is a GPU
  patterns check                              the whole catalog under all checks, with 32 seeds
  patterns bench --json                       medians of 21 at the sizes of the C++ peer
  patterns bench --checks transpose           what each check of the simulator costs, by its own kernels
  patterns accuracy sin --sample 20           errors of the sine and its intrinsic, on a million inputs
  patterns profile heat                       nvprof's metrics for each stage, by the simulator's counters
  patterns device                             what the device is
  patterns diff --json                        every instruction on the GPU and on the simulator, compared";

#[derive(Debug, Subcommand)]
enum Command {
    /// Lists every pattern: chapter, what it shows, variants
    List(commands::list::Args),
    /// Runs every variant of a pattern, compares it with the CPU and times it
    Run(commands::run::Args),
    /// Runs every variant under all checks, in many orders of its warps
    Check(commands::check::Args),
    /// Measures the patterns that have a C++ peer, at the peer's sizes
    Bench(commands::bench::Args),
    /// Measures how far mathematical functions are off, over all inputs or a sample
    Accuracy(commands::accuracy::Args),
    /// Shows each variant of a pattern by the metrics of nvprof and Nsight Compute, counted
    /// on the simulator
    Profile(commands::profile::Args),
    /// Prints the device's properties
    Device(commands::device::Args),
    /// Takes part, as one process of several, in an all-reduce by NCCL
    Rank(commands::rank::Args),
    /// Compares the simulator with the GPU, instruction by instruction
    Diff(commands::diff::Args),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::List(args) => commands::list::run(args),
        Command::Run(args) => commands::run::run(args),
        Command::Check(args) => commands::check::run(args),
        Command::Bench(args) => commands::bench::run(args),
        Command::Accuracy(args) => commands::accuracy::run(args),
        Command::Profile(args) => commands::profile::run(args),
        Command::Device(args) => commands::device::run(args),
        Command::Rank(args) => commands::rank::run(args),
        Command::Diff(args) => commands::diff::run(args),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
