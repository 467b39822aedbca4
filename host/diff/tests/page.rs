//! The coverage page of the book is what the table says: `LANEWISE_BLESS=1 cargo test -p lanewise-diff` writes it.

use std::path::Path;

use lanewise_diff::{Report, page};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Every recorded result, in the order of the files' names.
fn recorded() -> Vec<Report> {
    let folder = root().join("host/diff/results");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder is in the repository")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("a result is text");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    paths.iter().map(read).collect()
}

#[test]
fn the_books_page_is_made_from_the_table() {
    let path = root().join("docs/src/instructions.md");
    let page = page::page(&recorded());
    if std::env::var_os("LANEWISE_BLESS").is_some() {
        std::fs::write(&path, &page).expect("the book can be written");
    }
    let book = std::fs::read_to_string(&path).expect("the page is in the book");
    let lines = || page.lines().zip(book.lines());
    let different = lines().find(|(is, was)| is != was);
    assert!(
        page == book,
        "`{}` is not what the table says: {different:?} (LANEWISE_BLESS=1 writes it)",
        path.display()
    );
}

#[test]
fn a_result_is_on_the_page_with_its_device_and_day() {
    let mut report = Report {
        device: "NVIDIA X1".into(),
        date: "2026-11-21".into(),
        ..Report::default()
    };
    report
        .sections
        .entry("9.7.3 Floating-Point Instructions".into())
        .or_default()
        .insert("equal".into(), 17);
    let page = page::page(&[report]);
    assert!(
        page.contains("## Held against a NVIDIA X1\n\nOn 2026-11-21"),
        "{page}"
    );
    assert!(
        page.contains("| 9.7.3 Floating-Point Instructions | 17 |"),
        "{page}"
    );
}
