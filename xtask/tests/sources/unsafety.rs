//! The book's table of the catalog's `unsafe`, which may only become shorter.
//!
//! `LANEWISE_BLESS=1 cargo test -p xtask --test sources unsafety` writes the table, if no chapter
//! has more blocks or more `unsafe fn` kernels than before.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::text::{code, files};

const PAGE: &str = "docs/src/reference/unsafety.md";
/// The line before the table, which ends the page.
const MARK: &str = "<!-- the table of `cargo test -p xtask --test sources unsafety` -->\n";

/// What one file, one chapter or the catalog has.
#[derive(Clone, Copy, Default)]
struct Count {
    kernels: usize,
    unsafe_kernels: usize,
    blocks: usize,
}

impl Count {
    /// Counts in the text of a file.
    fn of(text: &str) -> Count {
        let text = code(text);
        Count {
            kernels: text.matches("\n#[kernel").count(),
            unsafe_kernels: text.matches("pub unsafe fn").count(),
            blocks: text.matches("unsafe {").count(),
        }
    }

    fn add(&mut self, other: Count) {
        self.kernels += other.kernels;
        self.unsafe_kernels += other.unsafe_kernels;
        self.blocks += other.blocks;
    }

    fn row(self, name: &str) -> String {
        let Count {
            kernels,
            unsafe_kernels,
            blocks,
        } = self;
        format!("| {name} | {kernels} | {unsafe_kernels} | {blocks} |\n")
    }
}

/// Returns the numbers of the row whose first cell is `name`.
fn numbers_of(table: &str, name: &str) -> Option<[usize; 3]> {
    let row = table
        .lines()
        .find_map(|line| line.strip_prefix(&format!("| {name} | ")))?;
    let mut cells = row.split('|').map(|cell| cell.trim().parse());
    let mut next = || cells.next()?.ok();
    Some([next()?, next()?, next()?])
}

#[test]
fn each_block_says_which_type_is_missing() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gpu/src");
    let mut silent = String::new();
    for file in files(&source, "rs") {
        let text = fs::read_to_string(&file).expect("a text");
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        for (at, _) in lines.iter().enumerate().filter(|(_, line)| {
            let code = line.split("//").next().unwrap_or_default();
            code.contains("unsafe {")
        }) {
            // The statement's first line, and the comment above it.
            let before = lines[..at].iter().rev();
            let comment = before.skip_while(|line| !line.starts_with("//"));
            let comment: Vec<_> = comment.take_while(|line| line.starts_with("//")).collect();
            let says = comment
                .iter()
                .any(|line| line.contains("No type") || line.contains("No index"))
                || comment.windows(2).any(|two| {
                    two[1].ends_with(" No") && two[0].trim_start_matches('/').starts_with(" type")
                });
            if !says {
                let _ = writeln!(silent, "{}:{}", file.display(), at + 1);
            }
        }
    }
    assert!(
        silent.is_empty(),
        "the comments of these blocks do not say \"No type ...\", which would make them safe:\n{silent}"
    );
}

#[test]
fn the_catalogs_unsafe_only_becomes_less() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let source = root.join("gpu/src");
    let mut chapters = BTreeMap::<String, Vec<(String, Count)>>::new();
    for file in files(&source, "rs") {
        let path = file.strip_prefix(&source).expect("a file of the folder");
        let (Some(chapter), Some(name)) = (path.parent(), path.file_stem()) else {
            continue;
        };
        let count = Count::of(&fs::read_to_string(&file).expect("a text"));
        let files = chapters.entry(chapter.display().to_string()).or_default();
        files.push((name.display().to_string(), count));
    }
    let mut table = "| file | kernels | of these `unsafe fn` | `unsafe` blocks |\n".to_owned();
    table += "| --- | --- | --- | --- |\n";
    let mut all = Count::default();
    let mut names = Vec::new();
    for (chapter, files) in &chapters {
        let mut sum = Count::default();
        files.iter().for_each(|(_, count)| sum.add(*count));
        all.add(sum);
        if sum.kernels > 0 {
            names.push(format!("**{chapter}**"));
            table += &sum.row(&format!("**{chapter}**"));
        }
        for (name, count) in files {
            if count.blocks > 0 || count.unsafe_kernels > 0 {
                let _ = write!(table, "{}", count.row(&format!("`{chapter}/{name}.rs`")));
            }
        }
    }
    names.push("**all**".to_owned());
    table += &all.row("**all**");

    let path = root.join(PAGE);
    let page = fs::read_to_string(&path).expect("the page is in the book");
    let (before, was) = page.split_once(MARK).expect("the mark before the table");
    for name in &names {
        // A chapter that is new has no row yet.
        let (Some(old), Some(new)) = (numbers_of(was, name), numbers_of(&table, name)) else {
            continue;
        };
        assert!(
            new[1] <= old[1] && new[2] <= old[2],
            "{name} has more `unsafe` than {PAGE} says: {new:?} after {old:?} (kernels, `unsafe fn`, blocks)"
        );
    }
    if std::env::var_os("LANEWISE_BLESS").is_some() {
        fs::write(&path, format!("{before}{MARK}{table}")).expect("the book can be written");
        return;
    }
    assert!(
        was == table,
        "there is less `unsafe` than {PAGE} says: LANEWISE_BLESS=1 writes its table"
    );
}

#[test]
fn blocks_and_kernels_are_counted_in_code_only() {
    let count = Count::of(
        "// unsafe {\n#[kernel]\npub unsafe fn f() {\n    // SAFETY: unsafe { }\n    unsafe { g() }\n}\n",
    );
    assert_eq!(
        (count.kernels, count.unsafe_kernels, count.blocks),
        (1, 1, 1)
    );
    assert_eq!(
        numbers_of("| **a** | 1 | 2 | 3 |\n", "**a**"),
        Some([1, 2, 3])
    );
    assert_eq!(numbers_of("| **a** | 1 | 2 | 3 |\n", "**b**"), None);
}
