//! The checks themselves. Each takes pages and returns the problems in them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use clap::Parser;
use clap::error::ErrorKind;

use super::Problem;
use super::bars;
use super::counters;
use super::exercises;
use super::figures::mark::{MARK, Mark, missing_pattern};
use super::items;
use super::ladder;
use super::markdown::{self, Block, Located};
use super::times::{self, Records};
use super::twins;
use crate::Cli;

/// Pages outside the book that many people read.
const OUTSIDE: [&str; 2] = ["README.md", "CHANGELOG.md"];

/// The only page that may speak of the study notes which the catalog was made from: readers of the
/// others cannot open them.
const MAP_OF_NOTES: &str = "reference/sources.md";

/// How the notes are called. Each is two words, for notes of another kind are in many pages.
const NAMES_OF_NOTES: [&str; 5] = [
    "the notes",
    "study notes",
    "optimisation notes",
    "model notes",
    "programming notes",
];

/// A Markdown file.
struct Page {
    path: PathBuf,
    text: String,
}

/// Returns the number of pages, and every problem in them.
pub(super) fn all(root: &Path) -> Result<(usize, Vec<Problem>)> {
    let book = root.join("docs/src");
    let mut paths = files_below(&book, "md")?;
    paths.extend(OUTSIDE.map(|name| root.join(name)));
    let pages = paths
        .into_iter()
        .map(Page::read)
        .collect::<Result<Vec<_>>>()?;
    let records = Records::read(root)?;
    let mut problems = summary(&book, &pages);
    problems.extend(patterns_without_a_page(root, &book)?);
    for page in &pages {
        problems.extend(links(page));
        problems.extend(includes(page));
        problems.extend(figures(page, root));
        problems.extend(commands(page));
        let wrong = times::inserted(&page.text, &records).err();
        let wrong = wrong.or_else(|| ladder::inserted(&page.text, &records).err());
        let wrong = wrong.or_else(|| bars::inserted(&page.text, &records).err());
        problems.extend(wrong.map(|what| page.problem(1, format!("{what:#}"))));
        problems.extend(counters(page, root));
        problems.extend(
            items::inserted(&page.text, root, None)
                .err()
                .map(|what| page.problem(1, format!("{what:#}"))),
        );
        if let Ok(place) = page.path.strip_prefix(&book) {
            let name = place.with_extension("");
            let wrong = exercises::problem(&name.to_string_lossy(), &page.text);
            problems.extend(wrong.map(|what| page.problem(1, what)));
            let wrong = twins::problem(&name.to_string_lossy(), &page.text, root);
            problems.extend(wrong.map(|what| page.problem(1, what)));
        }
        if page.path.starts_with(&book) && page.path != book.join(MAP_OF_NOTES) {
            problems.extend(mentions_of_notes(page, root));
        }
    }
    if let Some(readme) = pages
        .iter()
        .find(|page| page.path == root.join("README.md"))
    {
        problems.extend(excerpts(readme));
    }
    Ok((pages.len(), problems))
}

impl Page {
    fn read(path: PathBuf) -> Result<Self> {
        let text = fs::read_to_string(&path)
            .with_context(|| format!("cannot read `{}`", path.display()))?;
        Ok(Self { path, text })
    }

    fn problem(&self, line: usize, what: String) -> Problem {
        Problem {
            page: self.path.clone(),
            line,
            what,
        }
    }

    /// Returns the file that a relative path in this page refers to.
    fn resolve(&self, relative: &str) -> PathBuf {
        normal(&self.path.parent().unwrap_or(Path::new("")).join(relative))
    }
}

/// Returns pages of the book that `SUMMARY.md` does not list, which mdBook would omit without a
/// message, and pages that it lists twice, which mdBook refuses.
fn summary(book: &Path, pages: &[Page]) -> Vec<Problem> {
    let path = book.join("SUMMARY.md");
    let Some(summary) = pages.iter().find(|page| page.path == path) else {
        return vec![Problem {
            page: path,
            line: 1,
            what: "there is no summary".into(),
        }];
    };
    let mut listed: BTreeSet<PathBuf> = BTreeSet::new();
    let mut problems = Vec::new();
    for link in markdown::links(&summary.text) {
        if !listed.insert(summary.resolve(&link.text)) {
            problems.push(summary.problem(link.line, format!("`{}` is listed twice", link.text)));
        }
    }
    let in_book = pages
        .iter()
        .filter(|page| page.path.starts_with(book) && page.path != path);
    let unlisted = in_book.filter(|page| !listed.contains(&page.path));
    problems.extend(unlisted.map(|page| page.problem(1, "the page is not in SUMMARY.md".into())));
    problems
}

/// Returns patterns without a page. A pattern is a kernel file, `gpu/src/CHAPTER/PATTERN.rs`, that
/// a file of the same name in `host/patterns` runs. Its page is `docs/src/CHAPTER/PATTERN.md`. A
/// kernel that no pattern runs yet needs no page.
fn patterns_without_a_page(root: &Path, book: &Path) -> Result<Vec<Problem>> {
    let kernels = root.join("gpu/src");
    let mut problems = Vec::new();
    for file in files_below(&kernels, "rs")? {
        let name = file.strip_prefix(&kernels).unwrap_or(&file);
        let is_run = !name.ends_with("mod.rs")
            && name.components().count() > 1
            && root.join("host/patterns/src").join(name).is_file();
        let page = book.join(name).with_extension("md");
        if is_run && !page.is_file() {
            let what = format!("no page explains `gpu/src/{}`", name.display());
            problems.push(Problem {
                page,
                line: 1,
                what,
            });
        }
    }
    Ok(problems)
}

/// Returns links into the repository whose file or heading does not exist.
fn links(page: &Page) -> Vec<Problem> {
    let broken = |link: &Located| {
        let target = link.text.as_str();
        if target.contains("://") || target.starts_with("mailto:") {
            return None;
        }
        let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
        let file = if path.is_empty() {
            page.path.clone()
        } else {
            page.resolve(path)
        };
        if !file.exists() {
            return Some(page.problem(link.line, format!("the link `{target}` leads to no file")));
        }
        if anchor.is_empty() || file.extension().is_none_or(|extension| extension != "md") {
            return None;
        }
        let known = fs::read_to_string(&file)
            .is_ok_and(|text| markdown::anchors(&text).iter().any(|a| a == anchor));
        (!known).then(|| {
            page.problem(
                link.line,
                format!("the link `{target}` leads to no heading"),
            )
        })
    };
    markdown::links(&page.text)
        .iter()
        .filter_map(broken)
        .collect()
}

/// Returns includes of files, or of `ANCHOR: name` parts of files, that do not exist. A part must
/// not be given by its line numbers, because lines move without an error.
fn includes(page: &Page) -> Vec<Problem> {
    let broken = |include: &Located| {
        let (path, part) = include.text.split_once(':').unwrap_or((&include.text, ""));
        let Ok(source) = fs::read_to_string(page.resolve(path)) else {
            return Some(page.problem(include.line, format!("the include `{path}` is not there")));
        };
        let has_anchor = source
            .lines()
            .any(|line| line.trim_end().ends_with(&format!("ANCHOR: {part}")));
        (!part.is_empty() && !has_anchor)
            .then(|| page.problem(include.line, format!("`{path}` has no `ANCHOR: {part}`")))
    };
    markdown::includes(&page.text)
        .iter()
        .filter_map(broken)
        .collect()
}

/// Returns the places where a page, or a file that it includes, speaks of the study notes.
fn mentions_of_notes(page: &Page, root: &Path) -> Vec<Problem> {
    let mentioned = |text: &str| {
        let words = text
            .split_whitespace()
            .filter(|word| !matches!(*word, "//" | "///" | "//!"));
        let text = words.collect::<Vec<_>>().join(" ").to_lowercase();
        NAMES_OF_NOTES.into_iter().find(|name| text.contains(name))
    };
    // What is wrong with a listing is reported elsewhere.
    let text = items::inserted(&page.text, root, None).unwrap_or_else(|_| page.text.clone());
    let said =
        mentioned(&text).map(|name| page.problem(1, format!("the page speaks of \"{name}\"")));
    let shown = markdown::includes(&page.text)
        .into_iter()
        .filter_map(|include| {
            let (path, part) = include.text.split_once(':').unwrap_or((&include.text, ""));
            let source = fs::read_to_string(page.resolve(path)).ok()?;
            let name = mentioned(&markdown::anchored(&source, part))?;
            let what = format!("the page shows `{path}`, which speaks of \"{name}\"");
            Some(page.problem(include.line, what))
        });
    said.into_iter().chain(shown).collect()
}

/// Returns figures that cannot be drawn: words that no kind of figure takes, or what they name does
/// not exist.
fn figures(page: &Page, root: &Path) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (i, line) in page.text.lines().enumerate() {
        let Some(words) = line.trim().strip_prefix(MARK) else {
            continue;
        };
        let words = words.split("}}").next().unwrap_or(words);
        let wrong = match Mark::parse(words) {
            Ok(mark) => mark.missing(root),
            Err(error) => Some(format!("no figure is drawn for `{words}`: {error}")),
        };
        problems.extend(wrong.map(|what| page.problem(i + 1, what)));
    }
    problems
}

/// Returns tables of counters that cannot be made: their mark cannot be read, or there is no such
/// pattern.
fn counters(page: &Page, root: &Path) -> Vec<Problem> {
    match counters::patterns_of(&page.text) {
        Ok(patterns) => {
            let missing = patterns
                .iter()
                .filter_map(|name| missing_pattern(root, name));
            missing.map(|what| page.problem(1, what)).collect()
        }
        Err(error) => vec![page.problem(1, format!("{error:#}"))],
    }
}

/// Returns commands in `sh` blocks that start with `cargo xtask` and that xtask would refuse.
fn commands(page: &Page) -> Vec<Problem> {
    let refused = |command: &Located| {
        let words = command
            .text
            .strip_prefix("cargo xtask ")?
            .split_whitespace()
            .take_while(|word| !is_operator(word));
        let error = Cli::try_parse_from(["cargo xtask"].into_iter().chain(words)).err()?;
        let is_help = matches!(
            error.kind(),
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
        );
        (!is_help).then(|| page.problem(command.line, format!("xtask refuses `{}`", command.text)))
    };
    markdown::shell_commands(&page.text)
        .iter()
        .filter_map(refused)
        .collect()
}

/// Returns Rust code in the README that differs from the file that it names. Each line must be in
/// that file. (The book includes files instead.)
fn excerpts(readme: &Page) -> Vec<Problem> {
    let trimmed = |text: &str| {
        text.lines()
            .map(|line| line.trim().to_owned())
            .collect::<Vec<_>>()
    };
    let drifted = |excerpt: &Block| {
        let from = excerpt.comment.as_deref();
        let Some(from) = from.and_then(|comment| comment.strip_prefix("from ")) else {
            let what = "no `<!-- from PATH -->` says where this code is from";
            return Some(readme.problem(excerpt.line, what.into()));
        };
        let code = trimmed(&excerpt.text);
        let source = trimmed(&fs::read_to_string(readme.resolve(from)).unwrap_or_default());
        let there = source.windows(code.len().max(1)).any(|lines| lines == code);
        (!there).then(|| readme.problem(excerpt.line, format!("this code is not in `{from}`")))
    };
    let blocks = markdown::blocks(&readme.text);
    let excerpts = blocks.iter().filter(|block| block.language == "rust");
    excerpts.filter_map(drifted).collect()
}

/// Returns whether a word begins the shell's own part of a line.
fn is_operator(word: &str) -> bool {
    matches!(word, "|" | "&&" | "||" | ";" | ">" | "<")
}

/// Returns the files below `dir` with this extension, in order.
fn files_below(dir: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).with_context(|| format!("cannot read `{}`", dir.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(files_below(&path, extension)?);
        } else if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Returns `path` without `.` and `..`, so that paths can be compared.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    /// Returns the problems in a repository with these files, as text with paths from its root.
    fn problems(files: &[(&str, &str)]) -> Vec<String> {
        let root = tempfile::tempdir().expect("a temporary folder can be made");
        let sound = [
            ("README.md", ""),
            ("CHANGELOG.md", ""),
            ("docs/src/SUMMARY.md", ""),
            ("gpu/src/lib.rs", ""),
        ];
        for (file, text) in sound.iter().chain(files) {
            let file = root.path().join(file);
            fs::create_dir_all(file.parent().expect("a file is in a folder"))
                .expect("a folder can be made");
            fs::write(file, text).expect("a file can be written");
        }
        let (_, problems) = all(root.path()).expect("the pages can be read");
        let text = |problem: &Problem| {
            problem
                .to_string()
                .replace(&format!("{}/", root.path().display()), "")
        };
        problems.iter().map(text).collect()
    }

    #[test]
    fn this_repositorys_pages_are_whole() {
        let (_, problems) = all(workspace::root()).expect("the pages can be read");
        let text: Vec<String> = problems.iter().map(Problem::to_string).collect();
        assert!(text.is_empty(), "{}", text.join("\n"));
    }

    #[test]
    fn a_page_that_the_summary_forgets_is_reported() {
        assert_eq!(
            problems(&[("docs/src/a.md", "# A")]),
            ["docs/src/a.md:1: the page is not in SUMMARY.md"]
        );
    }

    #[test]
    fn a_page_that_the_summary_lists_twice_is_reported() {
        assert_eq!(
            problems(&[
                ("docs/src/a.md", "# A"),
                ("docs/src/SUMMARY.md", "- [A](a.md)\n- [B](a.md)\n"),
            ]),
            ["docs/src/SUMMARY.md:2: `a.md` is listed twice"]
        );
    }

    #[test]
    fn a_pattern_without_a_page_is_reported() {
        let files = [
            ("gpu/src/memory/mod.rs", ""),
            ("gpu/src/memory/offset.rs", ""),
            ("gpu/src/memory/transpose.rs", ""),
            ("host/patterns/src/memory/mod.rs", ""),
            ("host/patterns/src/memory/transpose.rs", ""),
        ];
        assert_eq!(
            problems(&files),
            ["docs/src/memory/transpose.md:1: no page explains `gpu/src/memory/transpose.rs`"]
        );
    }

    #[test]
    fn figures_that_name_nothing_are_reported() {
        let text = "{{#figure timeline overlap}}\n{{#figure access k -- gone}}\n{{#figure hand a}}\n{{#figure order race/x}}\n{{#figure hand b}}\n{{#figure banks}}\n";
        let found = problems(&[
            ("README.md", text),
            ("host/patterns/src/streams/overlap.rs", ""),
            ("docs/src/figures/b.svg", ""),
        ]);
        let found: Vec<_> = found.iter().map(|problem| problem.lines().next()).collect();
        assert_eq!(
            found,
            [
                Some("README.md:2: there is no pattern `gone` to run"),
                Some("README.md:3: there is no figure `docs/src/figures/a.svg`"),
                Some("README.md:4: there is no report `race/x` of a wrong kernel"),
                Some(
                    "README.md:6: no figure is drawn for `banks`: error: the following required arguments were not provided:"
                ),
            ]
        );
    }

    #[test]
    fn links_and_includes_that_lead_nowhere_are_reported() {
        let text = "# T\n\n[a](#t) [b](docs/src/SUMMARY.md) [c](https://example.org)\n\n[d](#u) [e](f.md)\n\n```rust\n{{#include g.rs}}\n{{#include gpu/src/lib.rs:part}}\n{{#include gpu/src/lib.rs:1:2}}\n```\n";
        assert_eq!(
            problems(&[("CHANGELOG.md", text)]),
            [
                "CHANGELOG.md:5: the link `#u` leads to no heading",
                "CHANGELOG.md:5: the link `f.md` leads to no file",
                "CHANGELOG.md:8: the include `g.rs` is not there",
                "CHANGELOG.md:9: `gpu/src/lib.rs` has no `ANCHOR: part`",
                "CHANGELOG.md:10: `gpu/src/lib.rs` has no `ANCHOR: 1:2`",
            ]
        );
    }

    #[test]
    fn the_study_notes_are_mentioned_in_one_page_only() {
        let included =
            "//! Source: CUDA study\n//! notes, 5.\n// ANCHOR: a\nfn a() {}\n// ANCHOR_END: a\n";
        let whole = "# T\n\nNotes of the driver.\n\n{{#include ../../gpu/src/lib.rs}}\n";
        let part = "# T\n\n{{#include ../../gpu/src/lib.rs:a}}\n";
        let files = [
            ("gpu/src/lib.rs", included),
            (
                "docs/src/SUMMARY.md",
                "[a](a.md)[b](b.md)[c](c.md)[s](reference/sources.md)",
            ),
            ("docs/src/a.md", whole),
            ("docs/src/b.md", part),
            ("docs/src/c.md", "# T\n\nAs the\nnotes say.\n"),
            ("docs/src/reference/sources.md", "The notes."),
        ];
        assert_eq!(
            problems(&files),
            [
                "docs/src/a.md:5: the page shows `../../gpu/src/lib.rs`, which speaks of \"study notes\"",
                "docs/src/c.md:1: the page speaks of \"the notes\"",
            ]
        );
    }

    #[test]
    fn code_in_the_readme_that_is_no_longer_in_its_file_is_reported() {
        let text = "<!-- from gpu/src/lib.rs -->\n```rust\nlet a = 1;\nlet b = 2;\n```\n\n```rust\nlet c;\n```\n";
        let files = |source| [("README.md", text), ("gpu/src/lib.rs", source)];
        let nowhere = "README.md:8: no `<!-- from PATH -->` says where this code is from";
        assert_eq!(
            problems(&files("{\n    let a = 1;\n    let b = 2;\n}")),
            [nowhere]
        );
        assert_eq!(
            problems(&files("let a = 1;\nlet b = 3;")),
            ["README.md:3: this code is not in `gpu/src/lib.rs`", nowhere]
        );
    }

    #[test]
    fn a_command_that_xtask_does_not_take_is_reported() {
        let text = "```sh\ncargo xtask doctor --json | jq .\ncargo xtask run transpose --size 64\ncargo xtask make-tea\n```\n";
        assert_eq!(
            problems(&[("README.md", text)]),
            ["README.md:4: xtask refuses `cargo xtask make-tea`"]
        );
    }
}
