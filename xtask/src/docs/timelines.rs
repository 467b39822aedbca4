//! `cargo xtask timelines`: draws the book's timelines while mdBook builds it.
//!
//! A page contains `{{#timeline overlap}}`. Options of `patterns run` may follow the name, for
//! other sizes. This command runs the pattern on the simulator, whose times are the same in
//! every run, and inserts the picture. mdBook calls it as a preprocessor (`docs/book.toml`):
//! it writes the book as JSON to this program's standard input and reads the changed book from
//! its standard output.

use std::io::{Read, Write};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::forward;

/// The text in a page before the pattern's name.
pub(crate) const MARK: &str = "{{#timeline ";

/// Put the timelines of patterns into the book, as a preprocessor of mdBook
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  cargo xtask timelines supports html")]
pub(crate) struct Args {
    #[command(subcommand)]
    question: Option<Preprocessing>,
}

/// What mdBook asks beforehand.
#[derive(Debug, clap::Subcommand)]
enum Preprocessing {
    /// Whether this renderer is supported; HTML is
    Supports {
        /// mdBook's name of the renderer
        renderer: String,
    },
}

/// Answers mdBook's question, or changes the book.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if let Some(Preprocessing::Supports { renderer }) = &args.question {
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
    super::site::extend(&mut book, sources.as_deref());
    let patterns = forward::build("patterns")?;
    replace(&mut book, &mut |pattern| draw(&patterns, pattern))?;
    Ok(std::io::stdout()
        .write_all(book.to_string().as_bytes())
        .map(|()| ExitCode::SUCCESS)?)
}

/// Returns the timeline of a pattern, which `patterns` draws. Options may follow
/// the pattern's name.
fn draw(patterns: &std::path::Path, options: &str) -> Result<String> {
    let pattern = options.split_whitespace().next().unwrap_or_default();
    let folder = crate::workspace::target().join("timelines");
    std::fs::create_dir_all(&folder)?;
    let file = folder.join(format!("{pattern}.svg"));
    let output = Command::new(patterns)
        .arg("run")
        .args(options.split_whitespace())
        .args(["--device", "sim", "--timeline"])
        .arg(&file)
        // A pattern that works with several devices shows two.
        .env("LANEWISE_SIM_DEVICES", "2")
        .output()
        .context("`patterns` could not be started")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "`patterns run {pattern}` failed: {said}"
    );
    Ok(std::fs::read_to_string(&file)?)
}

/// Replaces each mark by a picture, in every chapter.
fn replace(book: &mut Value, draw: &mut impl FnMut(&str) -> Result<String>) -> Result<()> {
    match book {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if name == "content" => *text = pictured(text, draw)?,
                    other => replace(other, draw)?,
                }
            }
        }
        Value::Array(elements) => {
            for element in elements {
                replace(element, draw)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Returns a page with its pictures.
fn pictured(page: &str, draw: &mut impl FnMut(&str) -> Result<String>) -> Result<String> {
    let mut parts = page.split(MARK);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (pattern, rest) = part
            .split_once("}}")
            .context("a timeline's mark does not end")?;
        let svg = draw(pattern.trim())?;
        // An empty line would end the HTML block, and the rest of the picture would be text.
        let lines = svg.lines().filter(|line| !line.trim().is_empty());
        out.push_str("<div class=\"timeline\">\n");
        lines.for_each(|line| {
            out.push_str(line);
            out.push('\n');
        });
        out.push_str("</div>\n");
        out.push_str(rest);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_chapter_gets_its_pictures() {
        let mut book = json!({ "sections": [
            { "Chapter": { "name": "A", "content": "before\n\n{{#timeline overlap}}\nafter", "sub_items": [
                { "Chapter": { "name": "B", "content": "none", "sub_items": [] } },
                "Separator",
            ] } },
        ] });
        replace(&mut book, &mut |pattern| {
            Ok(format!("<svg>\n\n{pattern}</svg>"))
        })
        .expect("it is drawn");
        let chapter = &book["sections"][0]["Chapter"];
        let expected = "before\n\n<div class=\"timeline\">\n<svg>\noverlap</svg>\n</div>\n\nafter";
        assert_eq!(chapter["content"], expected);
        assert_eq!(chapter["sub_items"][0]["Chapter"]["content"], "none");
    }

    #[test]
    fn a_mark_without_an_end_is_an_error() {
        assert!(pictured("{{#timeline overlap", &mut |_| Ok(String::new())).is_err());
    }
}
