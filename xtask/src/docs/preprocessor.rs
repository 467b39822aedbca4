//! `cargo xtask book`: what pages get while mdBook builds the book: listings of items, figures,
//! tables of counters, of times and of bars, ladders, the exercises, and the way to the next page.
//!
//! mdBook calls a preprocessor (`docs/book.toml`) with the question whether it supports a renderer,
//! and then with the book as JSON on its standard input. It reads the changed book from the
//! program's standard output.

use std::io::{Read, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::Value;

use super::bars;
use super::counters;
use super::exercises;
use super::figures::Figures;
use super::items;
use super::ladder;
use super::site;
use super::times::{self, Records};
use super::twins;
use crate::{forward, workspace};

/// Put figures, times and exercises into the book, as a preprocessor of mdBook
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  cargo xtask book supports html")]
pub(crate) struct Args {
    #[command(subcommand)]
    question: Option<Question>,
}

/// What mdBook asks beforehand.
#[derive(Debug, clap::Subcommand)]
enum Question {
    /// Whether this renderer is supported; HTML is
    Supports {
        /// mdBook's name of the renderer
        renderer: String,
    },
}

/// Answers mdBook's question, or changes the book.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if let Some(Question::Supports { renderer }) = &args.question {
        return Ok(ExitCode::from(u8::from(renderer != "html")));
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let input: Value = serde_json::from_str(&text).context("mdBook's book is not JSON")?;
    // The input is a pair of the context and the book.
    let mut book = input.get(1).cloned().context("mdBook sent no book")?;
    let address = &input[0]["config"]["output"]["html"]["git-repository-url"];
    let sources = address
        .as_str()
        .map(|address| format!("{address}/blob/main"));
    site::extend(&mut book, sources.as_deref());
    let records = Records::read(workspace::root())?;
    let patterns = forward::build("patterns")?;
    let mut figures = Figures::new(patterns.clone());
    change_pages(&mut book, &mut |path, text| {
        let text = exercises::inserted(path.trim_end_matches(".md"), text);
        let text = twins::inserted(path.trim_end_matches(".md"), &text, workspace::root())?;
        let text = items::inserted(&text, workspace::root(), sources.as_deref())?;
        let text = counters::inserted(&text, &patterns)?;
        let text = ladder::inserted(&text, &records)?;
        let text = bars::inserted(&text, &records)?;
        figures.inserted(&times::inserted(&text, &records)?)
    })?;
    figures.finish()?;
    Ok(std::io::stdout()
        .write_all(book.to_string().as_bytes())
        .map(|()| ExitCode::SUCCESS)?)
}

/// Changes the text of every chapter in a part of the book.
fn change_pages(
    book: &mut Value,
    change: &mut impl FnMut(&str, &str) -> Result<String>,
) -> Result<()> {
    match book {
        Value::Object(members) => {
            let path = members.get("path").and_then(Value::as_str);
            let path = path.unwrap_or_default().to_owned();
            for (name, member) in members {
                match member {
                    Value::String(text) if name == "content" => *text = change(&path, text)?,
                    other => change_pages(other, change)?,
                }
            }
        }
        Value::Array(elements) => {
            for element in elements {
                change_pages(element, change)?;
            }
        }
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_chapter_is_changed() {
        let mut book = json!({ "sections": [
            { "Chapter": { "name": "A", "path": "a.md", "content": "one", "sub_items": [
                { "Chapter": { "name": "B", "path": "b.md", "content": "two", "sub_items": [] } },
                "Separator",
            ] } },
        ] });
        let mut change = |path: &str, text: &str| Ok(format!("{text} of {path}"));
        change_pages(&mut book, &mut change).expect("nothing fails");
        let chapter = &book["sections"][0]["Chapter"];
        assert_eq!(chapter["content"], "one of a.md");
        assert_eq!(chapter["sub_items"][0]["Chapter"]["content"], "two of b.md");
    }
}
