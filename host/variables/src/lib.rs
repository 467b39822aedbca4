//! The environment variables of Lanewise, once: name, values, default, what each one does.
//!
//! Whoever reads a variable reads it through its row here ([`MODEL`]`.get()`), so a variable that
//! is not in the table cannot be read. From the table come the book's page ([`page`]), what
//! `lanewise doctor` lists, and the warning about a name that begins with `LANEWISE_` and is none
//! ([`unknown`]).
//!
//! The crate has no dependencies: the driver, the builder and the commands all need it.

pub mod note;
mod page;
mod table;

pub use page::page;
pub use table::*;

use std::cmp::Reverse;
use std::ffi::OsString;
use std::path::PathBuf;

/// An environment variable that Lanewise reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// Its name, such as `LANEWISE_SEED`.
    pub name: &'static str,
    /// The part of Lanewise that reads it.
    pub group: Group,
    /// What may be written, in Markdown.
    pub values: &'static str,
    /// What holds without it, in Markdown.
    pub default: &'static str,
    /// What it does, in Markdown: a sentence or two.
    pub what: &'static str,
}

/// Who reads a variable. The book has a table for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// The driver, when a program starts: who runs the kernels, and on which device.
    Device,
    /// The simulated driver, at each launch.
    Launch,
    /// What the driver says and writes.
    Output,
    /// The host library reads it.
    Host,
    /// The builder, when kernels are compiled.
    Build,
    /// The repository's own tests.
    Tests,
    /// Variables that other programs define and that are looked at too.
    Foreign,
}

impl Group {
    /// The heading in the book.
    pub fn title(self) -> &'static str {
        match self {
            Self::Device => "Which device",
            Self::Launch => "How the simulator runs a kernel",
            Self::Output => "What is said and written",
            Self::Host => "What a program loads",
            Self::Build => "Building kernels",
            Self::Tests => "Tests of the repository",
            Self::Foreign => "Variables of others",
        }
    }
}

impl Variable {
    /// Its value as text, without blanks around it; none where it is not set or empty. Bytes that
    /// are not UTF-8 are replaced, so that a message can show them.
    pub fn get(&self) -> Option<String> {
        let value = std::env::var_os(self.name)?;
        let text = value.to_string_lossy().trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// Its value as a path, as it is; none where it is not set or empty.
    pub fn path(&self) -> Option<PathBuf> {
        let value = std::env::var_os(self.name).filter(|value| !value.is_empty())?;
        Some(value.into())
    }

    /// What to say to a value that it does not take, in one line however long the value is;
    /// `instead` says what it does take.
    pub fn refusal(&self, value: &str, instead: &str) -> String {
        let value: Vec<&str> = value.split_whitespace().collect();
        // It may name the value, or words of it.
        let words = instead.split_whitespace().map(|word| short(word, LONGEST));
        let instead = short(&words.collect::<Vec<_>>().join(" "), 4 * LONGEST);
        format!(
            "{} is `{}`; {instead}",
            self.name,
            short(&value.join(" "), LONGEST)
        )
    }

    /// The same, with what the table says that it takes.
    pub fn refusal_by_table(&self, value: &str) -> String {
        self.refusal(value, &format!("it takes {}", self.values))
    }
}

/// Characters of a value that a message shows: nobody reads a file that somebody has put in a
/// variable.
const LONGEST: usize = 100;

/// This many characters of a text at most.
fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

/// A variable of the environment that begins with `LANEWISE_` and that nothing reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// Its name, as it is written in its source.
    pub name: String,
    /// The variable whose name begins like it, where there is one.
    pub near: Option<&'static str>,
}

impl std::fmt::Display for Unknown {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "`{}` is no variable of Lanewise", self.name)?;
        match self.near {
            Some(near) => write!(out, "; did you mean `{near}`?"),
            None => write!(out, "; `lanewise doctor` lists them"),
        }
    }
}

/// The variables of this process that nothing reads, sorted by name.
pub fn unknown() -> Vec<Unknown> {
    unknown_among(std::env::vars_os().map(|(name, _)| name))
}

fn unknown_among(names: impl Iterator<Item = OsString>) -> Vec<Unknown> {
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let mut unknown: Vec<Unknown> = names
        .filter(|name| name.starts_with(PREFIX) && ALL.iter().all(|known| known.name != name))
        .map(|name| Unknown {
            near: nearest(&name),
            name,
        })
        .collect();
    unknown.sort_by(|a, b| a.name.cmp(&b.name));
    unknown
}

/// What every name of ours begins with.
const PREFIX: &str = "LANEWISE_";

/// The variable that shares the longest beginning with `name`, if that is more than the prefix and
/// a letter.
fn nearest(name: &str) -> Option<&'static str> {
    let shared = |known: &str| {
        let pairs = known.bytes().zip(name.bytes());
        pairs.take_while(|(a, b)| a == b).count()
    };
    // Of two that share as much, the shorter one is nearer.
    let best = ALL
        .iter()
        .max_by_key(|known| (shared(known.name), Reverse(known.name.len())))?;
    (shared(best.name) > PREFIX.len() + 1).then_some(best.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_nothing_reads_is_found_with_the_one_that_was_meant() {
        let names = ["LANEWISE_SEEDS", "LANEWISE_SEED", "LANEWISE_XYZ", "PATH"];
        let found = unknown_among(names.into_iter().map(OsString::from));
        let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "`LANEWISE_SEEDS` is no variable of Lanewise; did you mean `LANEWISE_SEED`?",
                "`LANEWISE_XYZ` is no variable of Lanewise; `lanewise doctor` lists them",
            ]
        );
    }

    #[test]
    fn a_refusal_is_short_however_long_the_value_is() {
        assert_eq!(
            SUMMARY.refusal_by_table("yes"),
            "LANEWISE_SUMMARY is `yes`; it takes `1`, `0`"
        );
        let long = "ü \n".repeat(100_000);
        let told = SEED.refusal(
            &long,
            &format!("no number is called `{}`", long.replace(' ', "")),
        );
        assert!(
            told.chars().count() < 600 && told.lines().count() == 1,
            "{told}"
        );
    }

    #[test]
    fn every_name_is_in_the_table_once_and_says_all_it_has_to() {
        for (i, variable) in ALL.iter().enumerate() {
            assert!(
                ALL[..i].iter().all(|other| other.name != variable.name),
                "{} is there twice",
                variable.name
            );
            assert_eq!(
                variable.group != Group::Foreign,
                variable.name.starts_with(PREFIX)
            );
            for text in [variable.values, variable.default, variable.what] {
                assert!(!text.is_empty(), "{variable:?}");
            }
        }
    }
}
