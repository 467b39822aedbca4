//! The book's table of these kernels beside nvcc is what the records say:
//! `LANEWISE_BLESS=1 cargo test -p idioms --test page` writes it.

use std::fs;
use std::path::{Path, PathBuf};

use idioms::table::{differences, table};

/// The lines before and after the table.
const MARKS: [&str; 2] = [
    "<!-- the table of `idioms --table` -->\n",
    "<!-- its end -->\n",
];

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

#[test]
fn the_books_table_is_made_from_the_records() {
    let path = here().join("../../docs/src/using/idioms.md");
    let page = fs::read_to_string(&path).expect("the page");
    let table = table(&here().join("results/h200")).expect("the records are in the repository");
    let (before, rest) = page
        .split_once(MARKS[0])
        .expect("the mark before the table");
    let (was, after) = rest.split_once(MARKS[1]).expect("the mark after the table");
    if std::env::var_os("LANEWISE_BLESS").is_some() {
        let page = format!("{before}{}{table}{}{after}", MARKS[0], MARKS[1]);
        fs::write(&path, page).expect("the book can be written");
        return;
    }
    let different = table.lines().zip(was.lines()).find(|(is, was)| is != was);
    assert!(
        table == was,
        "`{}` is not what the records say: {different:?} (LANEWISE_BLESS=1 writes it)",
        path.display()
    );
}

/// Orbits of `mandelbrot_u8` depend on each rounding.
#[test]
fn the_recorded_checksums_are_those_of_nvcc() {
    let differences = differences(&here().join("results/h200")).expect("the records");
    assert_eq!(differences.len(), 36);
    for (name, difference) in differences {
        let most = if name == "mandelbrot_u8" { 1e-4 } else { 1e-6 };
        assert!(difference <= most, "{name}: {difference:e}");
    }
}
