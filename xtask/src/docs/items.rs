//! Listings of single items: a kernel, a constant, a block of methods.
//!
//! A page contains `{{#item FILE NAME ..}}`, with the file's path from the repository's root. A
//! part of an item between `ANCHOR` comments has its anchor as name, and a macro's call has the
//! macro's name with `!`. `{{#diff FILE A B}}` shows what changes from one item to another. So a
//! page shows what it speaks of and no more, and a kernel's file needs no comments for the book.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use similar::TextDiff;

use super::markdown;

/// The text in a page before the file of a listing.
const ITEM: &str = "{{#item ";
/// The text in a page before the file of a difference.
const DIFF: &str = "{{#diff ";

/// Returns a page with its listings. `sources` is where files of the repository can be read, if
/// that is known.
///
/// # Errors
/// If a file or an item is not there.
pub(super) fn inserted(page: &str, root: &Path, sources: Option<&str>) -> Result<String> {
    let page = markdown::replaced(page, ITEM, &mut |words| {
        let (file, items) = named(ITEM, words, root, |names| names > 0)?;
        let listing = items.join("\n");
        Ok(caption(file, sources) + &format!("```rust,ignore\n{listing}```"))
    })?;
    markdown::replaced(&page, DIFF, &mut |words| {
        let (file, items) = named(DIFF, words, root, |names| names == 2)?;
        let [before, after] = [0, 1].map(|i| without_documentation(&items[i]));
        let listing = diff(&before, &after);
        Ok(caption(file, sources) + &format!("```diff\n{listing}```"))
    })
}

/// Returns the name of a listing's file, as it stands above the listing.
pub(super) fn caption(file: &str, sources: Option<&str>) -> String {
    let name = format!("<code>{file}</code>");
    let name = match sources {
        Some(sources) => format!("<a href=\"{sources}/{file}\">{name}</a>"),
        None => name,
    };
    format!("<p class=\"file\">{name}</p>\n\n")
}

/// Returns the file that a mark names, and the texts of its items.
///
/// # Errors
/// If it names no file, or not as many items as it may, or one of them is not there.
fn named<'a>(
    mark: &str,
    words: &'a str,
    root: &Path,
    may_have: impl Fn(usize) -> bool,
) -> Result<(&'a str, Vec<String>)> {
    let line = || format!("`{mark}{words}}}}}`");
    let mut names = words.split_whitespace();
    let file = names
        .next()
        .with_context(|| format!("{} names no file", line()))?;
    let names: Vec<&str> = names.collect();
    ensure!(
        may_have(names.len()),
        "{} has {} names of items",
        line(),
        names.len()
    );
    let source = fs::read_to_string(root.join(file));
    let source = source.with_context(|| format!("the listing's file `{file}` is not there"))?;
    let items = names.iter().map(|name| {
        let item = item(&source, name);
        item.with_context(|| format!("`{file}` has no item `{name}`"))
    });
    Ok((file, items.collect::<Result<_>>()?))
}

/// Returns the text of an item with its documentation and attributes, or what is between the
/// `ANCHOR` comments of this name, without the indentation that all its lines have. A method may be
/// named with its type, as `Tile::load`.
fn item(source: &str, name: &str) -> Option<String> {
    let anchored = markdown::anchored(source, name);
    if !anchored.is_empty() {
        return Some(dedented(anchored.lines().filter(|line| !is_anchor(line))));
    }
    let lines: Vec<&str> = source.lines().collect();
    let (at, end) = match name.split_once("::") {
        None => extent(&lines, 0, name)?,
        Some((of, method)) => {
            let begins = |at: &usize| {
                let words = lines[*at]
                    .starts_with("impl")
                    .then(|| lines[*at].split(' '));
                words.is_some_and(|mut words| words.any(|word| is_named(word, of)))
            };
            let mut blocks = (0..lines.len()).filter(begins);
            blocks.find_map(|start| {
                let length = lines[start..].iter().position(|line| *line == "}")?;
                extent(&lines[..start + length], start, method)
            })?
        }
    };
    let is_head = |line: &&&str| line.trim_start().starts_with(['/', '#']) && !is_anchor(line);
    let head = lines[..at].iter().rev().take_while(is_head).count();
    let part = &lines[at - head..=end];
    Some(dedented(
        part.iter().copied().filter(|line| !is_anchor(line)),
    ))
}

/// Returns the first and the last line of an item that begins at line `from` or after it. `rustfmt`
/// has put the item's end at the indentation of its start.
fn extent(lines: &[&str], from: usize, name: &str) -> Option<(usize, usize)> {
    let at = from + lines[from..].iter().position(|line| declares(line, name))?;
    let indent = indent_of(lines[at]);
    let is_end = |line: &&str| indent_of(line) == indent && line.ends_with(['}', ';']);
    let length = lines[at..].iter().position(is_end)?;
    Some((at, at + length))
}

/// Returns whether a line begins the item of this name: a function, a type, a constant, a method,
/// the methods of a type, or a macro's call.
fn declares(line: &str, name: &str) -> bool {
    if name.ends_with('!') {
        return line.strip_prefix(name) == Some(" {");
    }
    let mut before = "";
    for word in line.split_whitespace() {
        let introduces = matches!(
            before,
            "fn" | "struct" | "enum" | "trait" | "const" | "static" | "type" | "macro_rules!"
        );
        if before.starts_with("impl") || introduces {
            return is_named(word, name);
        }
        let goes_on = word.starts_with("pub")
            || matches!(
                word,
                "unsafe" | "async" | "static" | "const" | "fn" | "impl"
            );
        let introduces_next = matches!(word, "struct" | "enum" | "trait" | "type" | "macro_rules!");
        if !goes_on && !introduces_next && !word.starts_with("impl<") && !word.starts_with("in") {
            return false;
        }
        before = word;
    }
    false
}

/// Returns whether a word begins with a name and not with a longer one.
fn is_named(word: &str, name: &str) -> bool {
    let rest = word.strip_prefix(name);
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

fn is_anchor(line: &str) -> bool {
    line.trim_start().starts_with("// ANCHOR")
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn dedented<'a>(lines: impl Iterator<Item = &'a str> + Clone) -> String {
    let texts = lines.clone().filter(|line| !line.is_empty());
    let indent = texts.map(indent_of).min().unwrap_or(0);
    lines
        .map(|line| format!("{}\n", line.get(indent..).unwrap_or_default()))
        .collect()
}

fn without_documentation(item: &str) -> Vec<&str> {
    item.lines()
        .filter(|line| !line.trim_start().starts_with("///"))
        .collect()
}

/// Returns all lines of both texts, those of one alone with `-` or `+`.
fn diff(before: &[&str], after: &[&str]) -> String {
    let diff = TextDiff::from_slices(before, after);
    diff.iter_all_changes()
        .map(|line| format!("{}{}\n", line.tag(), line.value()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "//! Head.\n\n/// The side.\nconst SIDE: usize = 2;\n\n/// It.\n#[kernel]\n\
        pub fn plain(a: &[f32]) {\n    // ANCHOR: inner\n    let b = a;\n    store(b);\n    \
        // ANCHOR_END: inner\n}\n\npub fn padded(\n    a: &[f32],\n) {\n    store(a);\n}\n\n\
        impl<T> Tile<T> {\n    fn load(&self) {\n        go();\n    }\n}\n\nkernels! {\n    a = 1;\n}\n";

    fn page(mark: &str) -> Result<String> {
        let root = tempfile::tempdir()?;
        fs::write(root.path().join("a.rs"), SOURCE)?;
        let text = inserted(&format!("T\n\n{mark}\n\nEnd"), root.path(), Some("u"))?;
        let caption = "T\n\n<p class=\"file\"><a href=\"u/a.rs\"><code>a.rs</code></a></p>\n\n";
        let listing = text.strip_prefix(caption).context("there is a caption")?;
        let listing = listing.strip_suffix("```\n\nEnd");
        Ok(listing.context("the page goes on")?.to_owned())
    }

    #[test]
    fn an_item_is_shown_with_its_documentation_and_attributes() -> Result<()> {
        assert_eq!(
            page("{{#item a.rs SIDE plain}}")?,
            "```rust,ignore\n/// The side.\nconst SIDE: usize = 2;\n\n/// It.\n#[kernel]\npub fn plain(a: &[f32]) {\n    let b = a;\n    store(b);\n}\n"
        );
        assert_eq!(
            page("{{#item a.rs padded}}")?,
            "```rust,ignore\npub fn padded(\n    a: &[f32],\n) {\n    store(a);\n}\n"
        );
        Ok(())
    }

    #[test]
    fn a_part_and_a_method_begin_at_the_margin() -> Result<()> {
        assert_eq!(
            page("{{#item a.rs inner}}")?,
            "```rust,ignore\nlet b = a;\nstore(b);\n"
        );
        assert_eq!(
            page("{{#item a.rs load}}")?,
            "```rust,ignore\nfn load(&self) {\n    go();\n}\n"
        );
        assert_eq!(
            page("{{#item a.rs Tile::load}}")?,
            page("{{#item a.rs load}}")?
        );
        assert!(page("{{#item a.rs Tile::plain}}").is_err());
        assert_eq!(
            page("{{#item a.rs kernels!}}")?,
            "```rust,ignore\nkernels! {\n    a = 1;\n}\n"
        );
        assert!(page("{{#item a.rs Tile}}")?.starts_with("```rust,ignore\nimpl<T> Tile<T> {\n"));
        Ok(())
    }

    #[test]
    fn a_difference_has_the_lines_of_both() -> Result<()> {
        assert_eq!(
            page("{{#diff a.rs plain padded}}")?,
            "```diff\n-#[kernel]\n-pub fn plain(a: &[f32]) {\n-    let b = a;\n-    store(b);\n+pub fn padded(\n+    a: &[f32],\n+) {\n+    store(a);\n }\n"
        );
        Ok(())
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let error = |mark: &str| page(mark).expect_err("it is refused").to_string();
        assert_eq!(error("{{#item a.rs pad}}"), "`a.rs` has no item `pad`");
        assert_eq!(
            error("{{#item b.rs plain}}"),
            "the listing's file `b.rs` is not there"
        );
        assert_eq!(
            error("{{#diff a.rs plain}}"),
            "`{{#diff a.rs plain}}` has 1 names of items"
        );
        assert_eq!(
            error("{{#item a.rs plain"),
            "`{{#item a.rs plain` does not end"
        );
    }
}
