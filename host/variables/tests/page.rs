//! The book's page of variables is the table's, and no source of the repository names a variable
//! that the table lacks.

use std::fs;
use std::path::{Path, PathBuf};

/// As this test was built: it also runs where the book is not, on a GPU's machine.
const WRITTEN: &str = include_str!("../../../docs/src/reference/variables.md");

#[test]
fn the_book_lists_the_variables_as_the_table_has_them() {
    let page = lanewise_variables::page();
    if lanewise_variables::BLESS.get().is_some() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../docs/src/reference/variables.md"
        );
        return fs::write(path, &page).expect("the book can be written");
    }
    assert!(
        page == WRITTEN,
        "docs/src/reference/variables.md is not what the table says (LANEWISE_BLESS=1 cargo test accepts it)"
    );
}

/// Files of these kinds are read.
const KINDS: [&str; 5] = ["rs", "md", "toml", "py", "sh"];

#[test]
fn every_variable_that_is_named_anywhere_is_in_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in ["gpu", "host", "xtask", "tests", "docs"] {
        collect(&root.join(folder), &mut files);
    }
    let mut wrong = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).unwrap_or_default();
        for name in names_in(&text) {
            let is_there = lanewise_variables::ALL
                .iter()
                .any(|known| known.name == name);
            if !is_there && !file.starts_with(root.join("host/variables")) {
                wrong.push(format!("{}: {name}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "not in the table:\n{}", wrong.join("\n"));
}

/// Source files below a folder, build output left out.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "target") {
                collect(&path, files);
            }
        } else if path
            .extension()
            .is_some_and(|kind| KINDS.iter().any(|known| kind == *known))
        {
            files.push(path);
        }
    }
}

/// The words of a text that begin with `LANEWISE_` and go on in capitals.
fn names_in(text: &str) -> impl Iterator<Item = String> {
    text.match_indices("LANEWISE_").filter_map(|(at, prefix)| {
        let rest: String = text[at + prefix.len()..]
            .chars()
            .take_while(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || *c == '_')
            .collect();
        let rest = rest.trim_end_matches('_');
        (!rest.is_empty()).then(|| format!("{prefix}{rest}"))
    })
}
