//! `lanewise completions`: what a shell needs to complete the commands and their options.

use std::io;
use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::Cli;

/// Print what a shell needs to complete these commands
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lanewise completions bash >~/.local/share/bash-completion/completions/lanewise\n  lanewise completions zsh >~/.zfunc/_lanewise"
)]
pub(crate) struct Args {
    /// The shell that reads it
    shell: Shell,
}

/// Prints the script.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "lanewise", &mut script);
    // The reader may have closed the pipe.
    let _ = io::Write::write_all(&mut io::stdout(), &script);
    Ok(ExitCode::SUCCESS)
}
