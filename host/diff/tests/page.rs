//! The coverage page of the book is what the table says:
//! `LANEWISE_BLESS=1 cargo test -p lanewise-diff` writes it.

use std::path::Path;

use lanewise_diff::Report;
use lanewise_diff::results::page;
use lanewise_diff::results::recorded::recorded;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

#[test]
fn the_books_page_is_made_from_the_table() {
    let path = root().join("docs/src/reference/instructions.md");
    let reports =
        recorded(&root().join("host/diff/results")).expect("the results are in the repository");
    let page = page::page(&reports);
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
        page.contains("## Compared with a NVIDIA X1\n\nOn 2026-11-21"),
        "{page}"
    );
    assert!(
        page.contains("| 9.7.3 Floating-Point Instructions | 17 |"),
        "{page}"
    );
}
