//! `cargo xtask check-readme`: runs the commands of the README's "Getting started" in
//! order, as written.
//!
//! CI runs the commands that a new user would type, so the README cannot show a command that
//! does not work.

use std::fs;
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::docs::markdown;
use crate::workspace;
use cargo_lanewise::output::say;

const HEADING: &str = "Getting started";

/// Run the commands of the README's "Getting started", in order and as written
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cargo xtask check-readme --list\n  cargo xtask check-readme")]
pub(crate) struct Args {
    /// Print the commands and run none
    #[arg(long)]
    list: bool,
}

/// Runs each command with bash in the repository's root. Ends with the exit code of the first
/// command that fails.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let commands =
        commands(&fs::read_to_string(workspace::root().join("README.md")).context("README.md")?);
    ensure!(
        !commands.is_empty(),
        "README.md has no `sh` block under \"{HEADING}\""
    );
    for command in commands {
        say(format_args!("$ {command}"));
        if args.list {
            continue;
        }
        let start = Instant::now();
        let mut bash = Command::new("bash");
        let status = bash
            .args(["-euo", "pipefail", "-c", &command])
            .current_dir(workspace::root())
            .status();
        let status = status.context("bash could not be started")?;
        if !status.success() {
            eprintln!("error: `{command}`, from README.md, failed");
            return Ok(ExitCode::from(
                status
                    .code()
                    .and_then(|code| u8::try_from(code).ok())
                    .unwrap_or(1),
            ));
        }
        say(format_args!("# {:.1} s\n", start.elapsed().as_secs_f64()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the commands of the `sh` blocks under the heading, one per line, without comments
/// and blank lines.
fn commands(readme: &str) -> Vec<String> {
    let section = markdown::section(readme, HEADING);
    markdown::shell_commands(&section)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_section_counts_and_only_its_shell_blocks() {
        let readme = "# T\n```sh\nno\n```\n## Getting started\n```sh\none # why\n# note\n\ntwo \\\n  three\n```\n```text\nno\n```\n### More\n```sh\nfour\n```\n## End\n```sh\nno\n```\n";
        assert_eq!(commands(readme), ["one", "two three", "four"]);
    }

    #[test]
    fn the_readme_builds_the_kernels_and_then_tests_them() {
        let readme =
            fs::read_to_string(workspace::root().join("README.md")).expect("there is a README");
        let commands = commands(&readme);
        let at = |command: &str| {
            commands
                .iter()
                .position(|line| line == command)
                .expect(command)
        };
        assert!(at("cargo xtask build-ptx") < at("cargo test"));
    }
}
