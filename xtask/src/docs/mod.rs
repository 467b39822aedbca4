//! `cargo xtask check-docs`: whether the book, the README and the change log still fit the code.
//!
//! mdBook leaves a broken include as it stands and does not look at links, so they are checked
//! here: every page is in the summary and the other way about, every pattern has its page, links
//! and includes lead somewhere, and every `cargo xtask` command that a page shows is one that xtask
//! takes. `cargo test` runs the same checks.

mod checks;
pub(crate) mod markdown;
pub(crate) mod timelines;

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

/// Something in a page that leads nowhere.
#[derive(Debug, PartialEq, Eq)]
struct Problem {
    page: PathBuf,
    /// Counted from 1.
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

/// Prints every problem; fails when there is one.
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
