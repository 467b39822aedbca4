//! `lanewise COMMAND ...`.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    cargo_lanewise::Cli::parse().run()
}
