//! Every public item has a use.
//!
//! The compiler finds items that are unused inside a crate, and `unreachable_pub` items that are
//! public for no reason. Neither finds a public item that no other crate, test, example or page of
//! the book uses. Here an item counts as used if its name occurs anywhere in the workspace except
//! where something of that name is defined. That misses items with a common name, and never reports
//! a used one.
//!
//! The device library has a stricter rule: a kernel or a test must call each item, and a page is
//! not enough. A name under which an item is exported again, as in `lanewise_compat`, counts
//! as used only if that name is used.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::Path;

use crate::text::{code, files};

/// Crates whose public items are for this workspace, or for users with a page or a test each.
const CRATES: &[&str] = &[
    "gpu/builder/src",
    "gpu/ptx/src",
    "host/diff/src",
    "host/driver/src",
    "host/patterns/src",
    "host/sim/src",
    "host/src",
    "host/variables/src",
    "xtask/cli/src",
];

/// Items that only users' programs use, with the reason.
const FOR_USERS: &[(&str, &str)] = &[(
    "forget_order",
    "unsafe, for overlaps that no program here wants",
)];

/// The device library.
const LIBRARY: &str = "gpu/std/src";

/// Names of the device library that no text shows to be used, with the reason.
const OF_LIBRARY: &[(&str, &str)] = &[
    ("per_warp", "a module, whose items are at the crate's root"),
    ("row_per_block", "the same"),
    ("Accumulator128", "one of three; the others are used"),
];

/// The words before the name in a definition.
const DEFINE: &[&str] = &[
    "fn", "struct", "enum", "trait", "type", "static", "const", "mod", "union",
];

/// The words of a text, each with the one before it. Names are ASCII, so the function reads bytes:
/// there are millions of them.
fn words(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_word = |byte: u8| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_');
    let (bytes, mut at, mut before) = (text.as_bytes(), 0, "");
    std::iter::from_fn(move || {
        while at < bytes.len() && !is_word(bytes[at]) {
            at += 1;
        }
        let start = at;
        while at < bytes.len() && is_word(bytes[at]) {
            at += 1;
        }
        let word = &text[start..at];
        (!word.is_empty()).then(|| (std::mem::replace(&mut before, word), word))
    })
}

/// Words that occur somewhere. Each occurs about a hundred times.
#[derive(Debug, Default)]
struct Used(HashSet<String>);

impl Used {
    fn add<'t>(&mut self, words: impl Iterator<Item = (&'t str, &'t str)>) {
        for (_, word) in words {
            if !self.has(word) {
                self.0.insert(word.to_owned());
            }
        }
    }

    fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}

/// Returns the names that a file defines as `pub`, and not with a narrower visibility.
fn offered(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let words: Vec<&str> = line
            .trim_start()
            .strip_prefix("pub ")?
            .split_whitespace()
            .collect();
        let at = words.iter().position(|word| DEFINE.contains(word))?;
        let skipped = ["const", "unsafe", "async", "extern", "\"\""];
        let (before, rest) = words.split_at(at);
        if !before.iter().all(|word| skipped.contains(word)) {
            return None;
        }
        // `const fn name`: the last of the defining words counts.
        let name = rest
            .iter()
            .find(|word| !DEFINE.contains(word) && !skipped.contains(word))?;
        // A macro's name for what it makes is none.
        let name = name
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .next();
        name.filter(|name| !name.is_empty())
    })
}

/// Returns the names that a file exports again, and the text without them.
fn offered_again(code: &str) -> (Vec<&str>, String) {
    let (mut names, mut rest) = (Vec::new(), String::new());
    let mut parts = code.split("pub use ");
    rest += parts.next().unwrap_or_default();
    for part in parts {
        let (list, after) = part.split_once(';').unwrap_or((part, ""));
        for item in list.split(['{', '}', ',']) {
            let item = item.rsplit_once(" as ").map_or(item, |(_, name)| name);
            let name = item.rsplit("::").next().unwrap_or_default().trim();
            if !["", "*", "self"].contains(&name) {
                names.push(name);
            }
        }
        rest += after;
    }
    (names, rest)
}

#[test]
fn every_name_of_the_device_library_is_used_by_a_kernel_or_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut names, mut used) = (BTreeSet::new(), Used::default());
    for path in files(&root, "rs") {
        let text = fs::read_to_string(&path).expect("a source file is text");
        let path = path.strip_prefix(&root).unwrap_or(&path).to_owned();
        // What is excused here is no use.
        if path.ends_with("sources/unused.rs") {
            continue;
        }
        let code = code(&text);
        // A crate's own tests count as uses. They are after the code.
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let mut all: String = lines.flat_map(|line| [line, "\n"]).collect();
        if path.starts_with(LIBRARY) {
            let own = offered(&code).chain(offered_again(&code).0);
            names.extend(own.map(|name| (name.to_owned(), path.clone())));
            all = offered_again(&all).1;
        }
        let taken = words(&all).filter(|(before, _)| !DEFINE.contains(before));
        used.add(taken);
    }
    // A macro's name for what it makes is none.
    names.retain(|(name, _)| !name.starts_with('$'));
    let is_known = |name: &str| OF_LIBRARY.iter().any(|(known, _)| *known == name);
    let unused: Vec<String> = names
        .iter()
        .filter(|(name, _)| !used.has(name) && !is_known(name))
        .map(|(name, path)| format!("{}: {name}", path.display()))
        .collect();
    assert!(
        unused.is_empty(),
        "no kernel and no test calls these:\n{}",
        unused.join("\n")
    );
    for (known, _) in OF_LIBRARY {
        assert!(
            names.iter().any(|(name, _)| name == known) && !used.has(known),
            "`{known}` needs no excuse"
        );
    }
}

#[test]
fn names_that_are_offered_again_are_told_from_their_own() {
    let code =
        "pub use a::{b, c as d, e::{f, self}};\nfn g() {}\npub use h::*;\npub use i::j as k;";
    let (names, rest) = offered_again(code);
    assert_eq!(names, ["b", "d", "f", "k"]);
    assert_eq!(rest.trim(), "fn g() {}");
}

#[test]
fn every_public_item_is_used() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let sources: Vec<(String, String)> = files(&root, "rs")
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a source file is text");
            let name = path.strip_prefix(&root).unwrap_or(&path);
            (name.display().to_string(), text)
        })
        .collect();
    let pages: Vec<String> = files(&root.join("docs"), "md")
        .into_iter()
        .map(|path| fs::read_to_string(&path).expect("a page is text"))
        .collect();
    let mut used = Used::default();
    for (_, text) in &sources {
        let defined = |before: &str| DEFINE.contains(&before);
        // Tests count: a test of an item is a use.
        let lines: String = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .flat_map(|line| [line, "\n"])
            .collect();
        let names = words(&lines).filter(|(before, _)| !defined(before));
        used.add(names);
    }
    for page in &pages {
        used.add(words(page));
    }
    let mut unused = Vec::new();
    for (path, text) in &sources {
        if CRATES.iter().any(|folder| path.starts_with(folder)) {
            let code = code(text);
            let for_users = |name: &str| FOR_USERS.iter().any(|(known, _)| *known == name);
            let names = offered(&code).filter(|name| !used.has(name) && !for_users(name));
            unused.extend(names.map(|name| format!("{path}: {name}")));
        }
    }
    assert!(
        unused.is_empty(),
        "nothing uses these:\n{}",
        unused.join("\n")
    );
}

#[test]
fn offers_and_uses_are_told_apart() {
    let text = "pub const fn one() {}\npub(crate) fn two() {}\n    pub struct Three;\npub const FOUR: u32 = one();";
    assert_eq!(offered(text).collect::<Vec<_>>(), ["one", "Three", "FOUR"]);
    let used: Vec<_> = words(text).filter(|(before, _)| *before == "=").collect();
    assert!(used.is_empty(), "signs are no words");
    assert!(words(text).any(|pair| pair == ("u32", "one")));
}
