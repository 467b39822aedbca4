//! The book's page of driver calls agrees with the table.

/// The page at the time of compilation. The test also runs on a GPU's machine without the book.
const WRITTEN: &str = include_str!("../../../../docs/src/reference/driver_calls.md");

#[test]
fn the_book_lists_the_calls_as_the_table_has_them() {
    let page = lanewise_driver::support::page();
    if std::env::var_os("LANEWISE_BLESS").is_some() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../../docs/src/reference/driver_calls.md"
        );
        return std::fs::write(path, &page).expect("the book can be written");
    }
    let differs = page
        .lines()
        .zip(WRITTEN.lines())
        .find(|(is, was)| is != was);
    assert!(
        page == WRITTEN,
        "docs/src/reference/driver_calls.md is not what the table says, first in {differs:?} (LANEWISE_BLESS=1 cargo test accepts it)"
    );
}
