//! The book's tables of these kernels beside nvcc are what the records say:
//! `LANEWISE_BLESS=1 cargo test -p idioms --test page` writes them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use idioms::cases::CASES;
use idioms::table::{differences, rows, table};

/// The folders of records, one for each table: of the kernels by which the compiler was tuned, and
/// of the others.
const RECORDS: [&str; 2] = ["results/h200", "results/h200_second"];

/// The line after a table.
const END: &str = "<!-- its end -->\n";

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

#[test]
fn the_books_tables_are_made_from_the_records() {
    let path = here().join("../../docs/src/using/idioms.md");
    let page = fs::read_to_string(&path).expect("the page");
    let mut expected = page.clone();
    for folder in RECORDS {
        let begin = format!("<!-- the table of `idioms --table tests/idioms/{folder}` -->\n");
        let table = table(&here().join(folder)).expect("the records are in the repository");
        let (before, rest) = expected.split_once(&begin).expect("the mark before it");
        let (_, after) = rest.split_once(END).expect("the mark after the table");
        expected = format!("{before}{begin}{table}{END}{after}");
    }
    if std::env::var_os("LANEWISE_BLESS").is_some() {
        fs::write(&path, expected).expect("the book can be written");
        return;
    }
    let different = expected
        .lines()
        .zip(page.lines())
        .find(|(is, was)| is != was);
    assert!(
        expected == page,
        "`{}` is not what the records say: {different:?} (LANEWISE_BLESS=1 writes it)",
        path.display()
    );
}

/// With up to 32 registers, a multiprocessor is full of threads. A kernel that has more, and 15 %
/// more than by nvcc, is as fast as by nvcc all the same; medians of two runs differ by 2 %.
#[test]
fn more_registers_than_nvcc_has_cost_no_time() {
    for row in RECORDS
        .iter()
        .flat_map(|folder| rows(&here().join(folder)).expect("the records"))
    {
        let [nvcc, own] = row.registers;
        let has_many = own > 32 && f64::from(own) > 1.15 * f64::from(nvcc);
        let [ratio, _] = row.ratios();
        assert!(
            !has_many || ratio >= 0.98,
            "{}: {own}, {nvcc} by nvcc, {ratio:.3}",
            row.name
        );
    }
}

/// Orbits of `mandelbrot_u8` depend on each rounding.
#[test]
fn the_recorded_checksums_are_those_of_nvcc() {
    let differences: BTreeMap<_, _> = RECORDS
        .iter()
        .flat_map(|folder| differences(&here().join(folder)).expect("the records"))
        .collect();
    assert_eq!(differences.len(), CASES.len());
    for (name, difference) in differences {
        let most = if name == "mandelbrot_u8" { 1e-4 } else { 1e-6 };
        assert!(difference <= most, "{name}: {difference:e}");
    }
}
