//! Comments: lines that fit beside the code, and documentation that adds information.
//!
//! rustfmt on the stable channel leaves comments as they are, and no lint counts the words of one.

use std::fs;
use std::path::Path;

use crate::text::files;

/// The maximum number of columns of a comment line, which is also rustfmt's limit for code.
const COLUMNS: usize = 100;

/// The minimum number of words in documentation that adds something to the name.
const WORDS: usize = 3;

/// The text of a line that is a comment, without its slashes.
fn comment(line: &str) -> Option<&str> {
    let text = line.trim_start().strip_prefix("//")?;
    Some(text.trim_start_matches(['/', '!']).trim())
}

/// Returns the numbers of the comment lines that are too long. Rows of tables, examples, and single
/// words such as addresses cannot be broken.
fn long_lines(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut in_example = false;
    for (number, line) in (1..).zip(text.lines()) {
        let Some(words) = comment(line) else {
            in_example = false;
            continue;
        };
        in_example ^= words.starts_with("```");
        let can_be_broken = !in_example && !words.starts_with('|') && words.contains(' ');
        if line.chars().count() > COLUMNS && can_be_broken {
            found.push(number);
        }
    }
    found
}

/// Returns the numbers of the lines at which documentation of an item begins that is too short.
fn short_docs(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut words = 0;
    let mut start = None;
    for (number, line) in (1..).zip(text.lines().chain([""])) {
        match line.trim_start().strip_prefix("/// ") {
            // A macro writes what follows such a heading.
            Some(heading) if heading.starts_with('#') => words += WORDS,
            Some(line) => words += line.split_whitespace().count(),
            None if line.trim_start() == "///" => {}
            None => {
                found.extend(start.take().filter(|_| words < WORDS));
                words = 0;
                continue;
            }
        }
        start.get_or_insert(number);
    }
    found
}

/// Fails with the places that `find` returns for the workspace.
fn expect_none(what: &str, find: fn(&str) -> Vec<usize>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut places = String::new();
    for folder in ["gpu", "host", "tests", "xtask"] {
        for file in files(&root.join(folder), "rs") {
            let text = fs::read_to_string(&file).expect("a text");
            let name = file.strip_prefix(&root).unwrap_or(&file);
            for line in find(&text) {
                places += &format!("{}:{line}\n", name.display());
            }
        }
    }
    assert!(places.is_empty(), "{what}:\n{places}");
}

#[test]
fn lines_of_comments_fit() {
    expect_none("these lines have over 100 columns", long_lines);
}

#[test]
fn documentation_has_at_least_three_words() {
    expect_none("these say too little", short_docs);
}

#[test]
fn a_long_line_is_told_from_one_that_cannot_be_broken() {
    let long = "word ".repeat(30);
    let row = format!("//! | {long} |");
    let address = format!("// {}", "x".repeat(200));
    let example = format!("/// ```\n/// {long}\n/// ```");
    for text in [row, address, example, format!("let a = {long};")] {
        assert_eq!(long_lines(&text), [0; 0], "{text}");
    }
    assert_eq!(long_lines(&format!("fn f() {{}}\n    // {long}")), [2]);
    assert_eq!(long_lines(&format!("/// ```\n/// ```\n/// {long}")), [3]);
}

#[test]
fn a_short_doc_is_told_from_one_that_goes_on() {
    assert_eq!(short_docs("/// A number.\nlet a = 1;"), [1]);
    assert_eq!(
        short_docs("/// A number.\n///\n/// Of bytes.\nlet a = 1;"),
        [0; 0]
    );
    assert_eq!(short_docs("/// # Safety\n#[doc = \"As above.\"]"), [0; 0]);
    assert_eq!(
        short_docs("    /// The number of bytes.\n    a: u32,\n    /// Other.\n"),
        [3]
    );
}
