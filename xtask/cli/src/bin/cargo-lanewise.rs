//! `cargo lanewise COMMAND ...`: cargo starts this program with the subcommand's name as
//! the first argument.

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

fn main() -> ExitCode {
    let mut arguments: Vec<_> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|first| first == "lanewise") {
        arguments.remove(1);
    }
    let command = cargo_lanewise::Cli::command().bin_name("cargo lanewise");
    let matches = command.get_matches_from(arguments);
    cargo_lanewise::Cli::from_arg_matches(&matches)
        .unwrap_or_else(|error| error.exit())
        .run()
}
