//! The book's page of driver calls is the table's.

use std::path::Path;

#[test]
fn the_book_lists_the_calls_as_the_table_has_them() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/driver_calls.md");
    let page = driver::support::page();
    if std::env::var_os("LANEWISE_BLESS").is_some() {
        std::fs::write(&path, &page).expect("the book can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = page
        .lines()
        .zip(written.lines())
        .find(|(is, was)| is != was);
    assert!(
        page == written,
        "{} is not what the table says, first in {differs:?} (LANEWISE_BLESS=1 cargo test accepts it)",
        path.display()
    );
}
