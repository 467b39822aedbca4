//! `cargo xtask check-steps`: types what the README and the quick start tell a reader to type,
//! and compares what is printed with what the page shows.
//!
//! | a page's block | what is done with it |
//! | --- | --- |
//! | `sh` | its commands are run; a `cd` holds until `<!-- in the repository -->` |
//! | `text` right after it | must be what the commands printed; `...` stands for any text |
//! | `rust` below `<!-- in FILE -->` | must be in the file |
//! | `rust` below `<!-- write FILE -->`, `<!-- add to FILE -->` | is written, or added |
//! | `diff` below `<!-- change FILE -->` | its lines with `-` are replaced |
//!
//! The commands run as a reader's do, in a home directory of their own, where `~/demo` is outside
//! of the workspace. What projects there depend on is built in this repository's target folder.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::docs::markdown::{self, Block};
use crate::workspace;
use cargo_lanewise::output::say;

/// The pages that are followed step by step, by the name of their story. Pages of one story
/// continue one another.
const STORIES: [(&str, &[&str]); 2] = [
    ("readme", &["README.md"]),
    (
        "quick-start",
        &[
            "docs/src/start/kernel.md",
            "docs/src/start/race.md",
            "docs/src/start/counters.md",
        ],
    ),
];

/// What stands for output that a page leaves out.
const LEFT_OUT: &str = "...";

/// Run the commands of the README and of the quick start, and compare what they print
///
/// `LANEWISE_BLESS=1` writes what they print into the pages.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask check-steps\n  cargo xtask check-steps quick-start"
)]
pub(crate) struct Args {
    /// What to follow [default: both]
    #[arg(value_parser = STORIES.map(|(name, _)| name))]
    story: Option<String>,
}

/// Follows the pages, and fails at the first step that is not as the page says.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let asked = |name: &str| args.story.as_deref().is_none_or(|story| story == name);
    for (_, pages) in STORIES.iter().filter(|(name, _)| asked(name)) {
        let mut session = Session::new("reader")?;
        for page in *pages {
            let path = workspace::root().join(page);
            let text =
                fs::read_to_string(&path).with_context(|| format!("cannot read `{page}`"))?;
            let followed = follow(&mut session, page, &text)?;
            if followed != text {
                fs::write(&path, followed)?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Follows a page, and returns it with what its commands printed, if that is to be written.
fn follow(session: &mut Session, page: &str, text: &str) -> Result<String> {
    let blesses = std::env::var_os("LANEWISE_BLESS").is_some();
    let blocks = markdown::blocks(text);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    // Backwards, a change does not move the lines of the blocks that are still to change.
    let mut changes: Vec<(&Block, String)> = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        let shown = blocks
            .get(at + 1)
            .filter(|next| next.language.starts_with("text"));
        let place = || format!("{page}:{}", block.line);
        if block.language == "sh" {
            if block.comment.as_deref() == Some("in the repository") {
                session.folder = workspace::root().to_owned();
            }
            let printed = session
                .type_in(&block.text, shown.is_some())
                .with_context(place)?;
            let Some(shown) = shown else { continue };
            if !shows(&shown.text, &printed) {
                ensure!(
                    blesses && !shown.text.contains(LEFT_OUT),
                    "{page}:{}: the page shows\n{}but this is printed (LANEWISE_BLESS=1 writes it into the page, unless something is left out there):\n{printed}",
                    shown.line,
                    shown.text
                );
                changes.push((shown, printed));
            }
        } else if let Some(comment) = &block.comment {
            session.edit(comment, &block.text).with_context(place)?;
        }
    }
    for (block, printed) in changes.into_iter().rev() {
        let first = block.line - 1;
        let last = first + block.text.lines().count();
        lines.splice(first..last, printed.lines().map(str::to_owned));
    }
    Ok(lines.join("\n") + "\n")
}

/// Returns whether a block shows what was printed. Dots stand for any text.
fn shows(shown: &str, printed: &str) -> bool {
    let parts: Vec<&str> = shown.split(LEFT_OUT).collect();
    let [first, between @ .., last] = &parts[..] else {
        return shown == printed;
    };
    let Some(mut rest) = printed.strip_prefix(first) else {
        return false;
    };
    for part in between {
        match rest.split_once(part) {
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    rest.ends_with(last.trim_start_matches('\n'))
}

/// A reader's terminal: where they are, and their home directory.
struct Session {
    home: PathBuf,
    folder: PathBuf,
}

impl Session {
    /// Begins in the repository's root, with nothing in the home directory. That directory has
    /// the same path in every run: for cargo, a project at another path is another one, and is
    /// built anew.
    fn new(name: &str) -> Result<Self> {
        let target = workspace::target();
        fs::create_dir_all(target.join("tmp"))?;
        let name = format!("lanewise-{name}-{:x}", fs::metadata(&target)?.ino());
        let home = std::env::temp_dir().join(name);
        if home.exists() {
            fs::remove_dir_all(&home)?;
        }
        fs::create_dir_all(&home)?;
        workspace::share_builds(&home)?;
        Ok(Self {
            home,
            folder: workspace::root().to_owned(),
        })
    }

    /// Runs the commands of a block with bash, and returns what they print. They have to succeed,
    /// unless the page shows what they print.
    fn type_in(&mut self, commands: &str, is_shown: bool) -> Result<String> {
        let ends_in = self.home.join(".folder");
        let script = format!("exec 2>&1\n{commands}\npwd >\"$HOME/.folder\"\n");
        say(format_args!(
            "$ {}",
            commands.trim_end().replace('\n', "\n$ ")
        ));
        let mut bash = Command::new("bash");
        bash.args(["-euo", "pipefail", "-c", &script])
            .current_dir(&self.folder)
            .stdout(Stdio::piped());
        for (name, below) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            if std::env::var_os(name).is_none() {
                let home = std::env::home_dir().context("there is no home directory")?;
                bash.env(name, home.join(below));
            }
        }
        bash.env("HOME", &self.home).env("LANEWISE_DEVICE", "sim");
        if is_shown {
            bash.env("CARGO_TERM_QUIET", "true")
                .env("CARGO_TERM_COLOR", "never");
        }
        let mut bash = bash.spawn().context("bash could not be started")?;
        let mut printed = String::new();
        for line in BufReader::new(bash.stdout.take().context("it is piped")?).lines() {
            let line = line?;
            say(format_args!("{line}"));
            printed += line.trim_end();
            printed.push('\n');
        }
        let status = bash.wait()?;
        ensure!(
            status.success() || is_shown,
            "the commands failed: {status}"
        );
        if let Ok(folder) = fs::read_to_string(&ends_in) {
            self.folder = folder.trim_end().into();
        }
        Ok(printed)
    }

    /// Does what the comment before a block says.
    fn edit(&self, comment: &str, text: &str) -> Result<()> {
        // The README's excerpts of this repository are looked at by `check-docs`.
        let steps = ["in ", "write ", "add to ", "change "];
        let step = steps.into_iter().find(|step| comment.starts_with(step));
        let Some(step) = step else { return Ok(()) };
        let file = self.folder.join(&comment[step.len()..]);
        let old = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let new = match step {
            "write " => text.to_owned(),
            "add to " => format!("{old}\n{text}"),
            "change " => changed(&old, text)?,
            _ => {
                let is_there = old.contains(text);
                ensure!(is_there, "this is not in `{}`:\n{text}", file.display());
                old
            }
        };
        fs::write(&file, new).with_context(|| file.display().to_string())
    }
}

/// Returns `old` with the change that the lines of a diff describe. Lines without a sign stay as
/// they are, and say where the change is.
fn changed(old: &str, diff: &str) -> Result<String> {
    let side = |other: char| -> String {
        let lines = diff.lines().filter(|line| !line.starts_with(other));
        lines
            .map(|line| format!("{}\n", line.get(1..).unwrap_or_default()))
            .collect()
    };
    let (before, after) = (side('+'), side('-'));
    match old.matches(&before).count() {
        1 => Ok(old.replace(&before, &after)),
        found => bail!("these lines are in the file {found} times, expected once:\n{before}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_followed_and_a_difference_is_an_error() {
        let mut session = Session::new("test").expect("a home");
        let folder = session.home.join("steps");
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("a.rs"), "fn a() {}\n").expect("a file");
        let page = |shown: &str| {
            format!(
                "```sh\ncd ~/steps\n```\n\n<!-- change a.rs -->\n```diff\n-fn a() {{}}\n+fn b() {{}}\n```\n\n<!-- in a.rs -->\n```rust\nfn b() {{}}\n```\n\n```sh\ncat a.rs; echo two; echo three; false\n```\n\n```text\n{shown}```\n"
            )
        };
        let right = page("fn b() {}\n...\nthree\n");
        assert_eq!(
            follow(&mut session, "page", &right).expect("it is so"),
            right
        );
        let error = follow(&mut session, "page", &page("")).expect_err("the file has changed");
        assert!(format!("{error:#}").contains("0 times"), "{error:#}");
        fs::write(folder.join("a.rs"), "fn a() {}\n").expect("a file");
        let error = follow(&mut session, "page", &page("other\n")).expect_err("other output");
        assert!(
            error
                .to_string()
                .contains("page:21: the page shows\nother\n"),
            "{error:#}"
        );
        assert!(session.type_in("false", false).is_err());
        assert_eq!(
            session.type_in("pwd", false).expect("it runs"),
            format!("{}\n", folder.display())
        );
    }

    #[test]
    fn the_readme_makes_a_project_and_builds_the_kernels_and_then_tests_them() {
        let readme = fs::read_to_string(workspace::root().join("README.md")).expect("a README");
        let commands = markdown::shell_commands(&readme);
        let at = |command: &str| {
            commands
                .iter()
                .position(|line| line.text == command)
                .expect(command)
        };
        assert!(at("cargo xtask new ~/demo") < at("cargo run"));
        assert!(at("cargo xtask build-ptx") < at("cargo test"));
    }

    #[test]
    fn the_readme_is_short() {
        let readme = fs::read_to_string(workspace::root().join("README.md")).expect("a README");
        assert!(readme.lines().count() <= 120);
    }

    #[test]
    fn the_readme_shows_the_report_of_the_quick_start() {
        let text = |page: &str| fs::read_to_string(workspace::root().join(page)).expect(page);
        let readme = text("README.md");
        let blocks = markdown::blocks(&readme);
        let report = blocks
            .iter()
            .find(|block| block.text.starts_with("race: "))
            .expect("a report");
        assert!(
            text("docs/src/start/race.md").contains(&report.text),
            "{}",
            report.text
        );
    }
}
