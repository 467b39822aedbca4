//! `cargo xtask search-index`: makes the index of the book's search again, from prose alone.
//!
//! mdBook indexes what a page shows, so most of its index is words of listings, with their
//! punctuation, and each of them twice: in the text and in the chain of titles. Here a section's
//! text is its prose, its tables and the names in it, and a name like `cp.async` or
//! `warp::shuffle` is found by its parts too. Sections, their addresses and the search program stay
//! mdBook's.
//!
//! mdBook calls a renderer (`docs/book.toml`) after its own, with the book as JSON on its standard
//! input.

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::{fs, io};

use anyhow::{Context, Result};
use elasticlunr::{IndexBuilder, lang::English};
use serde_json::{Map, Value};

use super::{built, markdown, site};

/// Make the book's search index of prose alone, as a renderer of mdBook
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  target/tools/bin/mdbook build docs, which calls this")]
pub(crate) struct Args {}

/// What is around the index in its file.
const BEFORE: &str = "window.search = Object.assign(window.search, JSON.parse('";
const AFTER: &str = "'));";

/// Reads mdBook's context, and replaces the index beside it.
pub(crate) fn run(_args: &Args) -> Result<ExitCode> {
    let mut context = String::new();
    io::stdin().read_to_string(&mut context)?;
    let mut context: Value = serde_json::from_str(&context).context("mdBook's book is not JSON")?;
    let destination = context["destination"].as_str().unwrap_or_default();
    let html = Path::new(destination).with_file_name("html");
    let file = built::index(&html)?.context("mdBook has built no search index")?;
    let text = fs::read_to_string(&file)?;
    let quoted = text
        .strip_prefix(BEFORE)
        .and_then(|text| text.trim_end().strip_suffix(AFTER));
    let quoted = quoted.with_context(|| format!("`{}` is no index of mdBook", file.display()))?;
    let mut search: Value = serde_json::from_str(&unquoted(quoted)).context("mdBook's index")?;
    let prose = prose(&mut context, &search["doc_urls"]);
    index(&mut search, &prose);
    let search = search.to_string().replace('\\', r"\\").replace('\'', r"\'");
    fs::write(&file, format!("{BEFORE}{search}{AFTER}"))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the text of each of mdBook's addresses. What stands below a heading that has no address
/// of its own belongs to the section before it.
fn prose(book: &mut Value, addresses: &Value) -> HashMap<String, String> {
    let addresses = addresses.as_array().into_iter().flatten();
    let addresses: HashSet<&str> = addresses.filter_map(Value::as_str).collect();
    let mut prose = HashMap::<String, String>::new();
    site::chapters(book, &mut |chapter| {
        let page = Path::new(&site::text(chapter, "path")).with_extension("html");
        let mut section = String::new();
        let content = site::text(chapter, "content");
        // What the marks stand for are pictures and tables of numbers.
        let lines = content.lines().filter(|line| !line.starts_with("{{#"));
        let content: Vec<&str> = lines.collect();
        for (title, text) in markdown::sections(&content.join("\n")) {
            let address = format!("{}#{}", page.display(), markdown::slug(&title));
            let is_own = addresses.contains(address.as_str()) && !prose.contains_key(&address);
            let of_section = if is_own {
                section = address;
                text
            } else {
                format!("{title} {text}")
            };
            prose
                .entry(section.clone())
                .or_default()
                .push_str(&of_section);
        }
    });
    prose
}

/// Replaces the index in what mdBook's search program loads by one of `prose`: the text of each
/// address. A section without text keeps mdBook's.
fn index(search: &mut Value, prose: &HashMap<String, String>) {
    let mut builder = IndexBuilder::with_language(Box::new(English::new())).save_docs(true);
    for field in ["title", "body", "breadcrumbs"] {
        builder = builder.add_field_with_tokenizer(field, Box::new(words));
    }
    let mut index = builder.build();
    let documents = search["index"]["documentStore"]["docs"].as_object();
    for (number, document) in documents.into_iter().flatten() {
        let address = number.parse().ok();
        let address = address.and_then(|at: usize| search["doc_urls"][at].as_str());
        let body = prose.get(address.unwrap_or_default());
        let member = |name: &str| site::text(document, name);
        let body = body.cloned().unwrap_or_else(|| member("body"));
        index.add_doc(number, [member("title"), body, member("breadcrumbs")]);
    }
    search["index"] = serde_json::to_value(index).expect("an index has text keys");
    for field in ["title", "body", "breadcrumbs"] {
        if let Value::Object(root) = &mut search["index"]["index"][field]["root"] {
            without_emptiness(root);
        }
    }
}

/// Takes out of a tree of letters what the search program does without: "no documents" at each
/// letter inside a word, and digits of frequencies that decide nothing.
fn without_emptiness(node: &mut Map<String, Value>) {
    if node.get("df").is_some_and(|count| *count == 0) {
        node.remove("docs");
        node.remove("df");
    }
    for (name, inner) in node.iter_mut() {
        let Value::Object(inner) = inner else {
            continue;
        };
        if name != "docs" {
            without_emptiness(inner);
            continue;
        }
        for frequency in inner.values_mut() {
            let tenths = (frequency["tf"].as_f64().unwrap_or(1.0) * 10.0).round();
            frequency["tf"] = if tenths % 10.0 == 0.0 {
                ((tenths / 10.0) as u32).into()
            } else {
                (tenths / 10.0).into()
            };
        }
    }
}

/// Returns the words of a text: names with their dots and colons, and the parts of these.
fn words(text: &str) -> Vec<String> {
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    let mut words = Vec::new();
    for name in text.split(|c| !is_inside(c)) {
        let name = name.trim_matches(['.', ':']).to_lowercase();
        // Measured numbers are not searched for, and there are many.
        let is_long = name.len() > 3 && name.chars().all(|c| c.is_ascii_digit());
        let is_fraction = name.starts_with(|c: char| c.is_ascii_digit()) && name.contains('.');
        if name.is_empty() || is_long || is_fraction {
            continue;
        }
        let parts = name.split(['.', ':']).filter(|part| !part.is_empty());
        if name.contains(['.', ':']) {
            words.extend(parts.map(str::to_owned));
        }
        words.push(name);
    }
    words
}

/// Returns the text of a string of JavaScript.
fn unquoted(quoted: &str) -> String {
    quoted.replace(r"\'", "'").replace(r"\\", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_name_is_found_whole_and_by_its_parts() {
        assert_eq!(
            words("The `cp.async` of sum_all: 3.5 us, 4096 bytes, error 719."),
            [
                "the", "cp", "async", "cp.async", "of", "sum_all", "us", "bytes", "error", "719"
            ]
        );
    }

    #[test]
    fn a_section_is_found_by_its_prose_and_not_by_its_listing() {
        let document = json!({ "title": "Sum", "breadcrumbs": "Sum", "body": "listing" });
        let mut search = json!({
            "doc_urls": ["a.html#sum"],
            "index": { "documentStore": { "docs": { "0": document } } },
        });
        let prose = HashMap::from([("a.html#sum".to_owned(), "on".to_owned() + " kernels")]);
        index(&mut search, &prose);
        let root = &search["index"]["index"]["body"]["root"];
        assert!(root.get("l").is_none(), "{root}");
        let kernel = ["k", "e", "r", "n", "e", "l"];
        let kernel = kernel.iter().fold(root, |node, letter| &node[letter]);
        assert_eq!(kernel["docs"], json!({ "0": { "tf": 1 } }));
        assert!(root["k"].get("docs").is_none(), "{root}");
    }
}
