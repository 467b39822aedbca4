//! The one table of Lanewise's environment variables: name, values, default and effect of each.
//!
//! All code reads a variable through its row here ([`MODEL`]`.get()`), so a variable that is
//! not in the table cannot be read. The table is the source of the book's page ([`page`]),
//! of the list of `lanewise doctor`, and of the warning about an unknown name that begins
//! with `LANEWISE_` ([`unknown`]).
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
    /// The allowed values, in Markdown.
    pub values: &'static str,
    /// The default, in Markdown.
    pub default: &'static str,
    /// The effect of the variable, in Markdown: one or two sentences.
    pub what: &'static str,
}

/// The part of Lanewise that reads a variable. The book has a table for each part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// The driver reads it when a program starts. It selects what runs the kernels, and the device.
    Device,
    /// The simulated driver reads it at each launch.
    Launch,
    /// The driver reads it. It controls the driver's messages and files.
    Output,
    /// The host library reads it.
    Host,
    /// The builder reads it when kernels are compiled.
    Build,
    /// The repository's own tests read it.
    Tests,
    /// Other programs define it, and Lanewise reads it too.
    Foreign,
}

impl Group {
    /// Returns the heading in the book.
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
    /// Returns its value as text, without leading and trailing blanks, or `None` if it is not set
    /// or empty. Bytes that are not UTF-8 are replaced, so that a message can show them.
    pub fn get(&self) -> Option<String> {
        let value = std::env::var_os(self.name)?;
        let text = value.to_string_lossy().trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// Returns its value unchanged, as a path, or `None` if it is not set or empty.
    pub fn path(&self) -> Option<PathBuf> {
        let value = std::env::var_os(self.name).filter(|value| !value.is_empty())?;
        Some(value.into())
    }

    /// Returns the message for a value that is not allowed. It is one line, however long the value
    /// is. `instead` describes the allowed values.
    pub fn refusal(&self, value: &str, instead: &str) -> String {
        let value: Vec<&str> = value.split_whitespace().collect();
        // `instead` may contain the value, or words of it.
        let words = instead.split_whitespace().map(|word| short(word, LONGEST));
        let instead = short(&words.collect::<Vec<_>>().join(" "), 4 * LONGEST);
        format!(
            "{} is `{}`; {instead}",
            self.name,
            short(&value.join(" "), LONGEST)
        )
    }

    /// As [`Self::refusal`], with the allowed values of the table.
    pub fn refusal_by_table(&self, value: &str) -> String {
        self.refusal(value, &format!("it takes {}", self.values))
    }
}

/// Returns the user's folder for what Lanewise can make again: `lanewise` in `XDG_CACHE_HOME`, or
/// in `.cache` of the home folder. `None` if neither is known. As the XDG base directory
/// specification says, a path that is not absolute does not count.
pub fn cache_home() -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = std::env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    Some(base?.join("lanewise"))
}

/// The maximum number of characters of a value in a message. A user may have put a whole file into
/// a variable by mistake.
const LONGEST: usize = 100;

/// Shortens a text to at most this many characters.
fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

/// An environment variable whose name begins with `LANEWISE_` and which nothing reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// Its name, as it is written in the environment.
    pub name: String,
    /// The known variable with the most similar beginning of the name, if there is one.
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

/// Returns the unknown `LANEWISE_` variables of this process, sorted by name.
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

/// The prefix of every name that Lanewise defines.
const PREFIX: &str = "LANEWISE_";

/// Returns the variable that shares the longest beginning with `name`, if that is longer than the
/// prefix and one letter.
fn nearest(name: &str) -> Option<&'static str> {
    let shared = |known: &str| {
        let pairs = known.bytes().zip(name.bytes());
        pairs.take_while(|(a, b)| a == b).count()
    };
    // If two share a beginning of the same length, the shorter name is nearer.
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
