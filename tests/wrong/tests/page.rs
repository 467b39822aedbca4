//! The book's page about compute-sanitizer is what the cases and the records say:
//! `LANEWISE_BLESS=1 cargo test --test page` writes it.

use std::path::Path;

use lanewise_diff::results::recorded::recorded;
use wrong::page;

#[test]
fn the_books_page_is_made_from_the_cases_and_the_records() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = here.join("../../docs/src/simulator/compute_sanitizer.md");
    let records = recorded(&here.join("results")).expect("the records are in the repository");
    let page = page::page(&records).expect("every case has a report");
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
