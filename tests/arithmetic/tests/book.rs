//! The book's table of errors is made from the list of bounds. With `LANEWISE_BLESS=1` the test
//! writes it.

use arithmetic::bounds;

const PAGE: &str = include_str!("../../../docs/src/instruction/functions.md");
const HEAD: &str = "| method | C | `f32`: bound | error | `f64`: bound | error |\n| --- | --- | --- | --- | --- | --- |\n";

#[test]
fn the_books_table_is_that_of_the_bounds() {
    let (before, rest) = PAGE.split_once(HEAD).expect("the table's head");
    let (old, after) = rest.split_once("\n\n").expect("a line after the table");
    let table = bounds::table();
    if std::env::var_os("LANEWISE_BLESS").is_some() {
        let page = format!("{before}{HEAD}{table}\n{after}");
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../docs/src/instruction/functions.md"
        );
        std::fs::write(path, page).expect("the page can be written");
    } else {
        assert_eq!(
            format!("{old}\n"),
            table,
            "LANEWISE_BLESS=1 writes the page"
        );
    }
}
