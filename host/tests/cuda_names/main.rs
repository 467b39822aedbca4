//! The book's table of CUDA's names and their Rust forms is made from [`rows`]. With
//! `LANEWISE_BLESS=1` the test writes the page. The compiler checks that the Rust forms exist.

mod rows;

use std::collections::BTreeSet;
use std::fmt::Write;

use rows::{Row, SECTIONS};

/// The names of CUDA that the study notes use, one a line.
const NAMES: &str = include_str!("names.txt");
/// The page. `cargo xtask check-docs` checks its links.
const PAGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../docs/src/reference/cuda_names.md"
);

const HEAD: &str = "\
# CUDA's functions, types and tools, by name

Look up a name of CUDA C++ here: the host's functions and types, and what else a program or a command line contains. The second column is the driver API, which
both sides call in the end. [Names](names.md) has what is used in kernels. Where there is no Rust form, the table says so.

<!-- Written by `LANEWISE_BLESS=1 cargo test -p lanewise --test cuda_names`. -->
";

/// The page, with a table for each section.
fn page() -> String {
    let mut page = HEAD.to_owned();
    for (title, rows) in SECTIONS {
        let _ = write!(
            page,
            "\n## {title}\n\n| CUDA C++ | driver API | in Rust | page |\n| --- | --- | --- | --- |\n"
        );
        for row in *rows {
            let rust = [row.forms(), row.remark.to_owned()]
                .into_iter()
                .filter(|part| !part.is_empty());
            let _ = writeln!(
                page,
                "| {} | {} | {} | {} |",
                in_code(row.cuda),
                in_code(row.driver),
                rust.collect::<Vec<_>>().join("; "),
                link(row.page)
            );
        }
    }
    page
}

/// The words of a list as code: `a, b` becomes `` `a`, `b` ``.
fn in_code(list: &str) -> String {
    let words = list.split(", ").filter(|word| !word.is_empty());
    words
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A link to a page of the book. Titles change, so the path is its text.
fn link(page: &str) -> String {
    match page.strip_suffix(".md") {
        Some(name) => format!("[{name}](../{page})"),
        None => String::new(),
    }
}

impl Row {
    /// The forms as code, without the types that only the compiler needs.
    fn forms(&self) -> String {
        let forms = self.rust.iter().map(|form| {
            let words = form
                .replace("::<f32>", "")
                .replace("::<u32>", "")
                .replace("|p: &DeviceProperties| p.", "device.properties().");
            match words.strip_prefix("size_of::<") {
                Some(of) => format!("`{}`", of.trim_end_matches('>')),
                None => format!("`{words}`"),
            }
        });
        forms.collect::<Vec<_>>().join(", ")
    }
}

#[test]
fn the_books_page_is_that_of_the_rows() {
    let page = page();
    if std::env::var_os("LANEWISE_BLESS").is_some() {
        std::fs::write(PAGE, page).expect("the page can be written");
    } else {
        let old = std::fs::read_to_string(PAGE).expect("the page can be read");
        assert!(old == page, "LANEWISE_BLESS=1 writes the page");
    }
}

#[test]
fn every_name_has_a_row() {
    let rows = SECTIONS.iter().flat_map(|(_, rows)| *rows);
    let found: BTreeSet<&str> = rows.flat_map(|row| row.cuda.split(", ")).collect();
    let missing: Vec<&str> = NAMES.lines().filter(|name| !found.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn no_name_has_two_rows() {
    let mut seen = BTreeSet::new();
    let rows = SECTIONS.iter().flat_map(|(_, rows)| *rows);
    for name in rows.flat_map(|row| row.cuda.split(", ")) {
        assert!(seen.insert(name), "{name}");
    }
}
