//! The book's page about compute-sanitizer is what the cases and the records say: `LANEWISE_BLESS=1 cargo test --test page` writes it.

use std::path::Path;

use wrong::page;
use wrong::sanitizer::Record;

/// Every record, in the order of the files' names.
fn recorded() -> Vec<Record> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
    let entries = std::fs::read_dir(folder).expect("the folder is in the repository");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    let mut paths: Vec<_> = paths
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("a record is text");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    paths.iter().map(read).collect()
}

#[test]
fn the_books_page_is_made_from_the_cases_and_the_records() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/compute_sanitizer.md");
    let page = page::page(&recorded()).expect("every case has a report");
    if std::env::var_os("LANEWISE_BLESS").is_some() {
        std::fs::write(&path, &page).expect("the book can be written");
    }
    let book = std::fs::read_to_string(&path).unwrap_or_default();
    let different = page.lines().zip(book.lines()).find(|(is, was)| is != was);
    assert!(
        page == book,
        "`{}` is not what the records say: {different:?} (LANEWISE_BLESS=1 writes it)",
        path.display()
    );
}
