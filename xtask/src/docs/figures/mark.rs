//! What a page writes where a figure is to be.
//!
//! | mark | picture |
//! | --- | --- |
//! | `{{#figure KIND KERNEL OPTIONS -- PATTERN OPTIONS}}` | what `lanewise figure` draws, of a run of the pattern |
//! | `{{#figure timeline PATTERN OPTIONS}}` | streams and the host over time |
//! | `{{#figure order CASE}}` | two accesses that nothing orders, from the report of a wrong kernel |
//! | `{{#figure hand NAME}}` | `docs/src/figures/NAME.svg`, drawn by hand |

use std::path::Path;

use anyhow::{Context, Result};
use cargo_lanewise::figure::{Choice, Kind};
use clap::Parser;

/// The text in a page before a figure's words.
pub(in crate::docs) const MARK: &str = "{{#figure ";

/// A figure that a page asks for.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::docs) enum Mark {
    Recorded(Recorded),
    Timeline(Vec<String>),
    Order(String),
    Hand(String),
}

/// A figure of what warps execute.
#[derive(Debug, PartialEq, Eq, Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
pub(in crate::docs) struct Recorded {
    pub(super) kind: Kind,
    pub(super) kernel: String,
    #[command(flatten)]
    pub(super) choice: Choice,
    /// The pattern and options of `patterns run`.
    #[arg(last = true, required = true)]
    pub(super) pattern: Vec<String>,
}

impl Mark {
    /// Reads the words of a mark.
    pub(in crate::docs) fn parse(text: &str) -> Result<Self> {
        let mut words = text.split_whitespace().map(str::to_owned);
        let kind = words.next().context("it names no kind of figure")?;
        let rest: Vec<String> = words.collect();
        let one = || rest.first().cloned().context("it names nothing to draw");
        Ok(match kind.as_str() {
            "timeline" => {
                one()?;
                Self::Timeline(rest)
            }
            "order" => Self::Order(one()?),
            "hand" => Self::Hand(one()?),
            _ => Self::Recorded(Recorded::try_parse_from(std::iter::once(kind).chain(rest))?),
        })
    }

    /// Returns what the mark names and the repository does not have. Only building the book tells
    /// whether the kernel has such an access.
    pub(in crate::docs) fn missing(&self, root: &Path) -> Option<String> {
        let is_file = |folder: &str, name: String| root.join(folder).join(name).is_file();
        match self {
            Self::Recorded(Recorded { pattern, .. }) | Self::Timeline(pattern) => {
                missing_pattern(root, pattern.first()?)
            }
            Self::Order(case) => (!is_file("tests/wrong/reports", format!("{case}.txt")))
                .then(|| format!("there is no report `{case}` of a wrong kernel")),
            Self::Hand(name) => (!is_file("docs/src/figures", format!("{name}.svg")))
                .then(|| format!("there is no figure `docs/src/figures/{name}.svg`")),
        }
    }
}

/// Returns what is wrong with the name of a pattern that the catalog does not have.
pub(in crate::docs) fn missing_pattern(root: &Path, name: &str) -> Option<String> {
    let chapters = std::fs::read_dir(root.join("host/patterns/src")).ok()?;
    let is_there = chapters.flatten().any(|chapter| {
        let of = chapter.path().join(name);
        of.is_dir() || of.with_extension("rs").is_file()
    });
    (!is_there).then(|| format!("there is no pattern `{name}` to run"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_the_command_is() {
        let mark = Mark::parse("access vec_add --load 2 --warp 1 -- vector_add --size 64");
        let Ok(Mark::Recorded(recorded)) = mark else {
            panic!("{mark:?}");
        };
        assert_eq!(
            (recorded.kind, recorded.kernel.as_str()),
            (Kind::Access, "vec_add")
        );
        assert_eq!(recorded.pattern, ["vector_add", "--size", "64"]);
        let timeline = Mark::parse("timeline overlap --size 5").ok();
        let words = ["overlap", "--size", "5"].map(str::to_owned);
        assert_eq!(timeline, Some(Mark::Timeline(words.into())));
    }

    #[test]
    fn a_mark_that_says_nothing_to_draw_is_refused() {
        for mark in [
            "",
            "timeline",
            "picture k -- p",
            "access k",
            "access -- p",
            "access k --lane 1 -- p",
        ] {
            assert!(Mark::parse(mark).is_err(), "{mark}");
        }
    }
}
