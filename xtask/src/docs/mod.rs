//! `cargo xtask check-docs`: checks that the book, the README and the change log still
//! match the code.
//!
//! mdBook leaves a broken include as it is and does not check links, so this command does. Every
//! page is in the summary, and the summary names no other page. Every pattern has its page. The
//! targets of links and includes exist. One page alone speaks of the study notes that the catalog
//! was made from. xtask accepts every `cargo xtask` command that a page shows. `cargo test` runs
//! the same checks.

mod bars;
mod browser;
pub(crate) mod built;
mod checks;
mod counters;
mod exercises;
mod figures;
mod items;
mod ladder;
pub(crate) mod markdown;
pub(crate) mod preprocessor;
pub(crate) mod search_index;
mod site;
mod times;
mod twins;

use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;

use crate::workspace;
use cargo_lanewise::output::say;

/// Check the book: pages, includes, links, commands
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  cargo xtask check-docs")]
pub(crate) struct Args {}

/// A problem in a page, such as a link without a target.
#[derive(Debug, PartialEq, Eq)]
struct Problem {
    page: PathBuf,
    /// The line number, counted from 1.
    line: usize,
    what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}: {}",
            workspace::shown(&self.page),
            self.line,
            self.what
        )
    }
}

/// Prints every problem, and fails if there is one.
pub(crate) fn run(_args: &Args) -> Result<ExitCode> {
    let (pages, problems) = checks::all(workspace::root())?;
    for problem in &problems {
        eprintln!("{problem}");
    }
    say(format_args!("{pages} pages, {} problems", problems.len()));
    Ok(if problems.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
